// A picture of a synthetic face, with the landmarks that a careful annotator would set: pose, light, lens and sensor.
#pragma once

#include "kinema/geometry.h"
#include "kinema/picture.h"
#include "synth/faces/face_plan.h"
#include "synth/texture.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kinema::synth {

struct FaceScene {
  int width = 256, height = 256;
  double x = 127.5, y = 127.5;  ///< centre of the face, pixels
  double scale = 70;            ///< pixels between the outer corners of the eyes, seen from the front
  double distance = 8;          ///< of the camera, in units of that eye distance: nearer cameras enlarge the nose

  /// Of the head from the camera's axis, in eye distances: x, y above are then where the axis meets the picture.
  double aside_x = 0, aside_y = 0;

  double yaw = 0, pitch = 0,
         roll = 0;  ///< radians; 0: upright, facing the camera. yaw: to the right of the picture, pitch: up

  double light_azimuth = 0.5, light_elevation = 0.6;  ///< radians; from the right and from above
  double key = 0.75, fill = 0.35;                     ///< of the directional light, and of the ambient light
  Colour tint{1, 1, 1};                               ///< of the light
  double second_azimuth = -1, second_elevation = 0.3, second = 0;  ///< another light, which throws no shadows
  double exposure = 1, contrast = 1;                               ///< of the sensor: factor, and exponent

  double blur = 0.6;  ///< of the lens, standard deviation in pixels
  double noise = 2;   ///< of the sensor, standard deviation in grey levels
  std::uint32_t backdrop = 1;

  /// Something before the face: a disc of this radius, in units of the eye distance; 0: nothing.
  double cover = 0, cover_x = 0, cover_y = 0;
  std::uint64_t seed = 1;  ///< of the noise
};

struct FaceShot {
  io::Picture picture;
  std::vector<float> landmarks;  ///< x0 y0 x1 y1 ..., 68 of them, pixels from 0
};

/// The head in front of the camera, as kinema/head_pose.h counts it, in eye distances: the rotation from the head's frame to
/// the camera's, and the place of a point of the plan's surface, such as (0, 0, z).
Quaternion true_rotation(const FaceScene& scene);
Vec3 true_place(const FaceScene& scene, const Vec3& point);

/// The landmarks of a picture that is not drawn.
std::vector<float> true_landmarks(const FaceIdentity& identity, const FaceExpression& expression,
                                  const FaceScene& scene);

/// Several people in one picture: size, light, lens, sensor and backdrop are those of the first scene, and whoever is drawn larger is
/// in front.
struct FaceActor {
  FaceIdentity identity;
  FaceExpression expression;
  FaceScene scene;
};
struct FaceShots {
  io::Picture picture;
  std::vector<std::vector<float>> landmarks;  ///< of each
};
FaceShots photograph_faces(std::span<const FaceActor> actors);

FaceShot photograph_face(const FaceIdentity& identity, const FaceExpression& expression, const FaceScene& scene);

}  // namespace kinema::synth
