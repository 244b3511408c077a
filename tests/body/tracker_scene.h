// A person of capsules before a small depth camera, for tests of the tracker and its parts.
#pragma once

#include "body/refine/refine.h"
#include "kinema/body_tracker.h"
#include "kinema/camera.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace kinema::body {

/// What a frame shows, as the tracker takes it.
struct SeenPoints {
  std::vector<float> xyz;                // (I, 3)
  std::vector<std::uint8_t> background;  // (I)

  std::size_t size() const { return background.size(); }
  PointsView view() const { return {xyz.data(), background.size(), background}; }
  RefinePoints refine_points() const;
};

/// The skin of a pose, pixel by pixel, and every fourth ray that sees past it, with a wall at 4 m.
SeenPoints see(const Skeleton& skeleton, const Pose& pose, const Camera& camera = {120, 90, 95, 95, 59.5, 44.5});

/// The same of several people.
SeenPoints see(const Skeleton& skeleton, std::span<const Pose> people,
               const Camera& camera = {120, 90, 95, 95, 59.5, 44.5});

/// A depth image.
struct DrawnDepth {
  std::vector<float> depth;  // row by row, metres
  std::size_t width = 0;

  ImageView<const float> view() const { return {depth.data(), width, depth.size() / width, width}; }
};

/// The skin of several people before a wall at 4 m, as a depth image without noise.
DrawnDepth draw(const Skeleton& skeleton, std::span<const Pose> people, const Camera& camera);

/// Points in a box in front of the camera that are nobody.
SeenPoints noise(std::size_t count);

/// Upright at `distance` in the pose most people stand in, turned to the camera's side by `facing` radians: 0 looks at
/// the camera, pi away from it.
Pose standing(const Skeleton& skeleton, double distance, double facing);

/// Sets an angle of a joint by its freedom's number.
void turn(const Skeleton& skeleton, Pose& pose, std::string_view joint, std::size_t freedom, double angle);

/// Steps, arms that swing, and a way across the picture: a pose for every second.
Pose walking(const Skeleton& skeleton, double seconds);

/// Mean distance of joints, metres.
double mean_error(const std::vector<Vec3>& joints, const std::vector<Vec3>& truth);

double distance(const Vec3& a, const Vec3& b);

/// True where every angle of a state is within its limits.
bool within_limits(const Skeleton& skeleton, std::span<const float> state);

}  // namespace kinema::body
