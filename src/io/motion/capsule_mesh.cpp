#include "io/motion/motion_files.h"

#include "core/geometry.h"

#include <cmath>
#include <numbers>

namespace kinema::io {
namespace {

constexpr int sides = 12;     // of a ring about the axis
constexpr int cap_rings = 4;  // from the pole to the equator of an end, both included
constexpr int rings = 2 * cap_rings;

// All capsules that a skeleton may have fit the 16 bits of an index.
static_assert(body::max_capsules * rings * sides <= 65536 && body::max_joints <= 256);

struct Axes {
  Vec3 along, u, v;  // right-handed
};

Axes axes_of(const body::SkinCapsule& capsule) {
  const Vec3 axis = capsule.b - capsule.a;
  const double length = norm(axis);
  const Vec3 along = length > 1e-9 ? (1 / length) * axis : Vec3{0, 1, 0};
  // any direction that is not the axis
  const Vec3 other = std::abs(along.x) < 0.7 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  const Vec3 across = cross(along, other);
  const Vec3 u = (1 / norm(across)) * across;
  return {along, u, cross(along, u)};
}

}  // namespace

std::vector<Vec3> rest_places(const body::Skeleton& skeleton) {
  std::vector<Vec3> places;
  for (const body::Joint& joint : skeleton.joints) {
    places.push_back(joint.parent < 0 ? Vec3{0, 0, 0} : places[static_cast<std::size_t>(joint.parent)] + joint.offset);
  }
  return places;
}

SkinMesh capsule_mesh(const body::Skeleton& skeleton) {
  const std::vector<Vec3> places = rest_places(skeleton);
  SkinMesh mesh;
  for (const body::SkinCapsule& capsule : skeleton.capsules) {
    const std::size_t first = mesh.positions.size();
    const Vec3 joint = places[static_cast<std::size_t>(capsule.joint)];
    const auto [along, u, v] = axes_of(capsule);
    for (int ring = 0; ring < rings; ++ring) {
      // the first half about a, from its pole; the second about b, to its pole
      const bool far = ring >= cap_rings;
      const double step = std::numbers::pi / 2 / (cap_rings - 1);
      const double latitude = far ? (ring - cap_rings) * step : (ring - cap_rings + 1) * step;
      for (int side = 0; side < sides; ++side) {
        const double turn = 2 * std::numbers::pi * side / sides;
        const Vec3 normal = std::sin(latitude) * along + std::cos(latitude) * (std::cos(turn) * u + std::sin(turn) * v);
        mesh.normals.push_back(normal);
        mesh.positions.push_back(joint + (far ? capsule.b : capsule.a) + capsule.radius * normal);
        mesh.joints.push_back(static_cast<std::uint8_t>(capsule.joint));
      }
    }
    const auto index = [&](int ring, int side) {
      return static_cast<std::uint16_t>(first + static_cast<std::size_t>(ring * sides + side % sides));
    };
    const bool sphere = norm(capsule.b - capsule.a) <= 1e-9;
    for (int ring = 0; ring + 1 < rings; ++ring) {
      if (sphere && ring + 1 == cap_rings) continue;  // both equators are one
      for (int side = 0; side < sides; ++side) {
        const std::uint16_t a = index(ring, side), b = index(ring, side + 1);
        const std::uint16_t c = index(ring + 1, side), d = index(ring + 1, side + 1);
        // at a pole all vertices of the ring coincide, and one of the two triangles has no area
        if (ring > 0) mesh.indices.insert(mesh.indices.end(), {a, b, d});
        if (ring + 2 < rings) mesh.indices.insert(mesh.indices.end(), {a, d, c});
      }
    }
  }
  return mesh;
}

}  // namespace kinema::io
