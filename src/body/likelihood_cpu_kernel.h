// The inner loops of the cpu backend, compiled once for every SIMD level and chosen at run time.
#pragma once

#include "body/point_order.h"

#include <cstddef>
#include <vector>

namespace kinema::body {

/// One sample's capsules, prepared for the tiles.
struct PreparedSample {
  explicit PreparedSample(std::size_t capsules) : count(capsules), exact(capsules), frames(capsules), cull(capsules) {}
  void prepare(const float* capsules, const Vec3& camera);

  std::size_t count;
  std::vector<CapsuleExact> exact;  // (count), relative to the camera
  std::vector<CapsuleFrame> frames;
  std::vector<CullCapsule> cull;
};

struct WeighSettings {
  float tau;
  bool first_hit;
  bool culling;
  Vec3 camera;
};

/// sums[t] = the sum of squared distances of tile t, for t in [begin, end).
void weigh_tiles(const RayTile* tiles, std::size_t begin, std::size_t end, const PreparedSample& sample,
                 const WeighSettings& settings, double* sums);

}  // namespace kinema::body
