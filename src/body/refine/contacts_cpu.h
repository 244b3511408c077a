// The contacts of a block of points with the skin, for the refinement: SIMD over points, and capsules too far from all
// of them are left out.
#pragma once

#include "body/refine/contact.h"
#include "body/refine/point_list.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kinema::body {

/// The capsules of a pose.
class Skin {
public:
  /// `capsules`: (count, capsule_floats)
  explicit Skin(std::span<const float> capsules);

  std::size_t size() const { return segments_.size(); }
  const Segment& operator[](std::size_t k) const { return segments_[k]; }

  /// A number of each capsule. `furthest`: the greatest distance of its axis from the camera. Padded to a multiple of
  /// any SIMD vector.
  enum Field { ax, ay, az, cx, cy, cz, inverse, radius, furthest, fields };
  const float* field(Field which) const { return fields_.data() + which * padded_; }
  std::size_t padded() const { return padded_; }

private:
  std::vector<Segment> segments_;
  std::size_t padded_;
  std::vector<float> fields_;
};

/// How a distance from the skin counts.
struct ContactWeights {
  float reach;              ///< points further from the skin are ignored
  float tau;                ///< of Tukey's function
  float noise2;             ///< see share_across()
  bool projective = false;  ///< see projective_distance(); noise2 is above 0
};

/// Contacts of the points of a block; those past its last point are meaningless.
struct alignas(64) ContactBlock {
  float capsule[contact_block];                                   ///< its index, an integer; -1: none
  float distance[contact_block];                                  ///< signed
  float nx[contact_block], ny[contact_block], nz[contact_block];  ///< normal
  float footx[contact_block], footy[contact_block], footz[contact_block];
  float weight[contact_block];  ///< of the square of the distance
  float cost[contact_block];    ///< Tukey's function, 1 beyond tau

  std::vector<float> bounds;              // scratch memory: of the distance of every capsule
  std::vector<std::uint32_t> candidates;  // capsules that may matter
};

/// The capsule whose surface is nearest to each point, and its distance. Neighbours are in space.
void nearest_capsules(const Skin& skin, const PointBlock& points, ContactBlock& contacts);

/// Likewise, and touch_point() or touch_projective() with all else of the contact.
void touch_points(const Skin& skin, const PointBlock& points, const ContactWeights& weights, ContactBlock& contacts);

/// The capsule that blocks each ray from the origin to a point most deeply, and the distance; -1 where none does.
/// Neighbours are in direction.
void deepest_obstacles(const Skin& skin, const PointBlock& points, ContactBlock& contacts);

}  // namespace kinema::body
