// The head of a synthetic face in three dimensions: rows of half ellipses about the vertical axis, whose width follows
// the jaw of the plan, with raised nose, eyes, lips, brows and cheeks. z points out of the face.
#pragma once

#include "core/geometry.h"
#include "synth/faces/face_plan.h"

#include <array>
#include <cstdint>
#include <vector>

namespace kinema::synth {

/// The material of a surface.
enum class FaceMaterial : std::uint8_t { head, hair, skin, cloth };

/// Triangles with a normal and a place (where the surface lies on the head at rest, for its texture) at each corner.
struct FaceMesh {
  FaceMaterial material = FaceMaterial::head;
  std::vector<Vec3f> position, normal, place;
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

/// In the precision of a mesh.
inline Vec3f single(const Vec3& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

class FaceSurface {
public:
  FaceSurface(const FacePlan& plan, const FaceIdentity& identity);

  /// A point of a row: `angle` 0 is the middle of the face, +-pi/2 its contour, +-pi the back of the head.
  Vec3 at(double y, double angle) const;

  /// The position of a point of the plan on the surface.
  Vec3 on_surface(Point2 p) const;

  double top() const { return top_; }
  double bottom() const { return plan_[8].y; }

  /// The head, its ears, its hair, neck and shoulders.
  std::vector<FaceMesh> meshes() const;

private:
  double half_width(double y, double side) const;
  double front(double y) const;
  double axis(double y) const;
  double relief(double x, double y) const;
  FaceMesh head() const;
  FaceMesh curtain(double side) const;

  FacePlan plan_;
  FaceIdentity identity_;
  double top_ = 0;
};

}  // namespace kinema::synth
