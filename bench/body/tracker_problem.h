// Synthetic frames of a person walking in front of a camera, for the tracker, with the true poses.
#pragma once

#include "kinema/body_tracker.h"
#include "kinema/camera.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kinema::bench {

inline constexpr double frame_seconds = 1.0 / 30;
inline constexpr double step_seconds = 1.1;  ///< of a walk, left and right

/// Frames at the beginning of a sequence, which run with cold memory and are not timed.
inline constexpr std::size_t first_frames = 5;

struct SeenPerson {
  std::vector<float> points;             // (I, 3), in scan order of the camera
  std::vector<std::uint8_t> background;  // (I): those outside the person's silhouette
  std::size_t person = 0;                // how many are not background

  PointsView view() const { return {points.data(), points.size() / 3, background}; }
};

/// Depth (height, width) in metres, as measured by a depth camera in a room.
using DepthImage = std::vector<float>;

/// A camera of this many pixels; with the default, the default human at 2.5 m covers about 43,000 of them.
Camera person_camera(int width = 640, int height = 480, double focal_length = 768);

/// A step of walking on the spot towards the camera: `phase` runs from 0 to 2 pi.
body::Pose walking_pose(const body::Skeleton& skeleton, double phase);

/// The skin as seen by the camera: one point per pixel, with noise of `noise` metres along the ray, and about
/// `background` of the other pixels, evenly chosen, on a wall behind the person.
SeenPerson see_person(const body::Skeleton& skeleton, const body::Pose& pose, const Camera& camera, double noise,
                      std::size_t background, std::uint64_t seed);

/// The same as an image, with the floor that the person stands on.
DepthImage see_room(const body::Skeleton& skeleton, const body::Pose& pose, const Camera& camera, double noise,
                    std::uint64_t seed);

}  // namespace kinema::bench
