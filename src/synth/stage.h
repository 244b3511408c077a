// The position of the camera relative to a motion, and the room around both.
#pragma once

#include "kinema/camera.h"
#include "synth/figure.h"

#include <optional>
#include <span>

namespace kinema::synth {

struct StageSettings {
  /// Metres on the ground from the camera to the centre of the motion; empty: as near as keeps the whole clip in view.
  std::optional<double> distance;
  double height = 1.2;  ///< of the camera above the floor, metres
  double azimuth = 15;  ///< degrees about the person: 0 sees it from the front, 90 from its left
  double baseline = 0;  ///< metres to a second camera on the right, which sees the whole clip too
};

/// The camera's pose in the world of the motion. Its axes are x right, y down, z forward.
struct Stage {
  Camera camera;
  Vec3 eye;
  Vec3 right, down, forward;
  double distance = 0;  ///< as computed, or as requested

  // the room in the camera's frame: points p of the floor have p.up = floor, those of the wall p.level = wall
  Vec3 up, level;
  double floor = 0, wall = 0;

  Vec3 to_camera(Vec3 direction) const {
    return {dot(right, direction), dot(down, direction), dot(forward, direction)};
  }
  Figure to_camera(const Figure& figure) const;

  /// Whether a whole figure in the camera's frame is inside the picture of an eye `baseline` to the right.
  bool shows(const Figure& figure, double baseline) const;
};

/// Places the camera. Throws Error where a motion extends so far that no distance shows it whole.
Stage set_stage(std::span<const Figure> motion, const Camera& camera, const StageSettings& settings);

}  // namespace kinema::synth
