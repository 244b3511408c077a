// The outline of a head in the picture, as its place, its size and (by a face) its pose say it: what the head tracker and
// the face both measure.
#pragma once

#include "core/geometry.h"
#include "kinema/camera.h"
#include "kinema/head_calibration.h"
#include "kinema/head_pose.h"
#include "person/constants.h"

#include <cmath>
#include <span>
#include <vector>

namespace kinema::person {

/// The centre of the outline in pixels, and the logarithm of the outer-eye distance in pixels as seen from the front.
struct Outline {
  double x = 0, y = 0, size = 0;

  Outline operator+(const Outline& other) const { return {x + other.x, y + other.y, size + other.size}; }
  Outline operator-(const Outline& other) const { return {x - other.x, y - other.y, size - other.size}; }

  double eye_distance() const { return std::exp(size); }
  head::Oval oval() const { return {x, y, outline_width * eye_distance(), outline_height * eye_distance()}; }
};

inline Outline outline_of(const head::Oval& oval) { return {oval.cx, oval.cy, std::log(oval.rx / outline_width)}; }

/// The centre of the head from its place, metres.
inline Vec3 centre_offset(const Quaternion& rotation, double eye_distance) {
  return rotate(rotation, Vec3{0, -outline_below * eye_distance, -outline_behind * eye_distance});
}

inline Outline outline_of(const face::HeadPose& pose, const Camera& camera, double eye_distance) {
  const Vec3 centre = pose.position + centre_offset(pose.rotation, eye_distance);
  return {camera.fx * centre.x / centre.z + camera.cx, camera.fy * centre.y / centre.z + camera.cy,
          std::log(camera.fx * eye_distance / centre.z)};
}

/// The place of a head with this outline and rotation.
inline Vec3 place_of(const Outline& outline, const Quaternion& rotation, const Camera& camera, double eye_distance) {
  const double z = camera.fx * eye_distance / outline.eye_distance();
  const Vec3 centre{z * (outline.x - camera.cx) / camera.fx, z * (outline.y - camera.cy) / camera.fy, z};
  return centre - centre_offset(rotation, eye_distance);
}

/// The box of the 68 landmarks of a face in an outline, in shares of the mean face.
inline std::vector<float> box_in(const Outline& outline) {
  const double unit = outline.eye_distance();
  return {static_cast<float>(outline.x - 0.83 * unit), static_cast<float>(outline.y - (outline_below + 0.28) * unit),
          static_cast<float>(1.66 * unit), static_cast<float>(1.59 * unit)};
}

}  // namespace kinema::person
