// A visible part of a body: a rounded cone, stretched along its own axes, and its intersection with rays.
//
// In its own space a part is the hull of two balls on the y axis: one of radius `start` at the origin, one of radius
// `end` at `height`. Stretching makes trunks elliptical and heads egg-shaped; none is a capsule.
#pragma once

#include "core/geometry.h"

#include <array>
#include <cstdint>
#include <optional>

namespace kinema::synth {

enum class Material { skin, head, hair, shirt, trousers, shoe };

struct Part {
  Vec3 origin;
  std::array<Vec3, 3> axes;  // of the part in the scene, orthonormal
  Vec3 stretch{1, 1, 1};     // along its axes
  double height = 0, start = 0, end = 0;
  Material material = Material::skin;

  /// Cloth that stands off by 0 to `loose` metres. How far is a function of the place on the person at rest, so that folds
  /// stay where they are on the body and go on from part to part.
  double loose = 0;
  std::uint32_t folds = 0;  // seed
  Vec3 rest_origin{};
  std::array<Vec3, 3> rest_axes{};

  Vec3 to_own(Vec3 direction) const {
    return {dot(axes[0], direction) / stretch.x, dot(axes[1], direction) / stretch.y,
            dot(axes[2], direction) / stretch.z};
  }
};

/// The part, thicker by some metres.
Part inflated(const Part& part, double metres);

/// How far its cloth stands off at a point in the scene, metres.
double standing_off(const Part& part, Vec3 place);

struct Hit {
  double t = 0;   // the ray's parameter: eye + t direction
  Vec3 own{};     // the point in the part's own space
  Vec3 normal{};  // in the scene, of length 1, outwards
};

/// A part as seen from one eye, with ray-independent values precomputed.
class SeenPart {
public:
  SeenPart(const Part& part, Vec3 eye);

  const Part& part() const { return part_; }

  /// The first point of the part on the ray from the eye, t > 0, if any.
  std::optional<Hit> hit(Vec3 direction) const;

  /// Likewise of a part with cloth; `eye` and `bare` are its own, this one is inflated by all that the cloth stands off.
  std::optional<Hit> hit_cloth(Vec3 direction, const Part& bare, Vec3 eye) const;

private:
  Part part_;
  Vec3 eye_;                      // in the part's own space
  double sine_ = 0, cosine_ = 1;  // of the slope of the cone's side
  double low_ = 0, high_ = 0;     // y where the side touches the balls; low_ > high_ where one ball contains the other
};

}  // namespace kinema::synth
