// A face in a colour picture, as evidence of where a body's head is and which way it looks. The body tracker takes such
// observations with a frame; kinema/face_observer.h makes them from pictures.
#pragma once

#include "kinema/geometry.h"

namespace kinema::body {

/// In the camera frame of the points: the picture must be registered to them.
struct FaceObservation {
  /// Unit vector from the camera to the point midway between the outer corners of the eyes, and its standard deviation
  /// across, radians.
  Vec3 ray = {0, 0, 1};
  double ray_deviation = 0.01;

  /// To that point, metres, and its standard deviation. 0: not known.
  double distance = 0;
  double distance_deviation = 0;

  /// Unit vector out of the face, and its standard deviation, radians.
  Vec3 direction = {0, 0, -1};
  double direction_deviation = 0.1;

  /// That it is a face, and lies as stated.
  double probability = 1;
};

}  // namespace kinema::body
