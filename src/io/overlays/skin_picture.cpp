#include "io/overlays/overlay.h"

#include "kinema/body.h"
#include "kinema/points.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

namespace kinema::io {
namespace {

constexpr double nearest_depth = 0.02;  // metres in front of the camera

double dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vec3 minus(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vec3 along(const Vec3& a, double s, const Vec3& b) { return {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z}; }

struct Capsule {
  Vec3 a = {}, b = {};
  double radius;

  bool before_camera() const { return std::min(a.z, b.z) - radius > nearest_depth; }
};

// First and last pixel of a row or column that an end may cover. The sphere's tangents from the camera, in the plane of
// that axis and z, make the angle asin(r / distance) with the line to its centre.
struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();

  void add(double across, double z, double radius, double focal, double centre) {
    const double middle = std::atan2(across, z);
    const double half = std::asin(std::min(1.0, radius / std::hypot(across, z)));
    low = std::min(low, focal * std::tan(middle - half) + centre);
    high = std::max(high, focal * std::tan(middle + half) + centre);
  }
  int first() const { return static_cast<int>(std::floor(std::max(low, 0.0))); }
  int last(int size) const { return static_cast<int>(std::ceil(std::min(high, size - 1.0))); }
};

struct Hit {
  double distance;
  Vec3 normal = {};
};

// The first intersection of a ray from the camera along the unit vector `ray` with the capsule: the union of two
// spheres and the cylinder between them, whose flat ends lie inside the spheres.
std::optional<Hit> meet(const Capsule& capsule, const Vec3& ray) {
  std::optional<Hit> first;
  const auto enter = [&](double distance, const Vec3& axis_point) {
    if (distance <= 0 || (first && first->distance <= distance)) return;
    const Vec3 off = minus(along({}, distance, ray), axis_point);
    first = {distance, {off.x / capsule.radius, off.y / capsule.radius, off.z / capsule.radius}};
  };
  const double r2 = capsule.radius * capsule.radius;
  for (const Vec3& centre : {capsule.a, capsule.b}) {
    const double middle = dot(ray, centre);
    const double inside = middle * middle - dot(centre, centre) + r2;
    if (inside > 0) enter(middle - std::sqrt(inside), centre);
  }
  const Vec3 axis = minus(capsule.b, capsule.a);
  const double length2 = dot(axis, axis);
  if (length2 < 1e-12) return first;
  // the same across the axis: |t p - q|^2 = r^2 with p and q the components of the ray and of a orthogonal to it
  const double ray_axis = dot(ray, axis) / length2, a_axis = dot(capsule.a, axis) / length2;
  const Vec3 p = along(ray, -ray_axis, axis), q = along(capsule.a, -a_axis, axis);
  const double pp = dot(p, p), pq = dot(p, q), inside = pq * pq - pp * (dot(q, q) - r2);
  if (pp < 1e-12 || inside <= 0) return first;
  const double distance = (pq - std::sqrt(inside)) / pp;
  const double place = distance * ray_axis - a_axis;  // 0 at a, 1 at b
  if (place >= 0 && place <= 1) enter(distance, along(capsule.a, place, axis));
  return first;
}

// From a common joint's own name; nothing for names that do not determine it, such as left_clavicle.
std::optional<Limb> named_limb(std::string_view name) {
  const std::string_view common = body::common_joint(name);
  if (common.empty()) return std::nullopt;
  const bool left = common.starts_with("left_");
  for (std::string_view end : {"_shoulder", "_elbow", "_wrist"}) {
    if (common.ends_with(end)) return left ? Limb::left_arm : Limb::right_arm;
  }
  for (std::string_view end : {"_hip", "_knee", "_ankle"}) {
    if (common.ends_with(end)) return left ? Limb::left_leg : Limb::right_leg;
  }
  return common == "pelvis" ? Limb::trunk : Limb::head;
}

}  // namespace

std::vector<Limb> limbs(const body::Skeleton& skeleton) {
  std::vector<Limb> result;
  for (const body::Joint& joint : skeleton.joints) {
    const Limb inherited = joint.parent < 0 ? Limb::trunk : result[static_cast<std::size_t>(joint.parent)];
    // a joint's own name takes precedence: arms attached to a joint called neck or head are not part of it
    result.push_back(named_limb(joint.name).value_or(inherited));
  }
  return result;
}
SkinPicture skin_picture(std::span<const float> capsules, std::span<const Limb> limb, const Camera& camera) {
  const std::size_t pixels = static_cast<std::size_t>(camera.width) * static_cast<std::size_t>(camera.height);
  SkinPicture picture{camera.width, camera.height, std::vector<std::uint8_t>(pixels, SkinPicture::nothing),
                      std::vector<float>(pixels)};
  std::vector<float> nearest(pixels, std::numeric_limits<float>::infinity());
  const std::size_t count = std::min(capsules.size() / body::capsule_floats, limb.size());
  for (std::size_t k = 0; k < count; ++k) {
    const float* c = capsules.data() + k * body::capsule_floats;
    const Capsule capsule{{c[0], c[1], c[2]}, {c[4], c[5], c[6]}, c[3]};
    if (!capsule.before_camera()) continue;
    Extent columns, rows;
    for (const Vec3& end : {capsule.a, capsule.b}) {
      columns.add(end.x, end.z, capsule.radius, camera.fx, camera.cx);
      rows.add(end.y, end.z, capsule.radius, camera.fy, camera.cy);
    }
    for (int v = rows.first(); v <= rows.last(camera.height); ++v) {
      for (int u = columns.first(); u <= columns.last(camera.width); ++u) {
        const double x = (u - camera.cx) / camera.fx, y = (v - camera.cy) / camera.fy;
        const double scale = 1 / std::sqrt(x * x + y * y + 1);
        const Vec3 ray{x * scale, y * scale, scale};
        const std::optional<Hit> hit = meet(capsule, ray);
        const std::size_t at =
            static_cast<std::size_t>(v) * static_cast<std::size_t>(camera.width) + static_cast<std::size_t>(u);
        if (!hit || hit->distance >= nearest[at]) continue;
        nearest[at] = static_cast<float>(hit->distance);
        picture.limb[at] = static_cast<std::uint8_t>(limb[k]);
        picture.light[at] = static_cast<float>(std::clamp(-dot(hit->normal, ray), 0.0, 1.0));
      }
    }
  }
  return picture;
}

}  // namespace kinema::io
