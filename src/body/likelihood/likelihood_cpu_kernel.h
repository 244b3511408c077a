// The inner loops of the cpu backend, compiled once for every SIMD level and chosen at run time.
#pragma once

#include "body/likelihood/point_order.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace kinema::body {

/// The culling data of the capsules as structure of arrays, so that several are tested at once.
class CullNumbers {
public:
  static constexpr std::size_t widest = 16;  // lanes of a vector
  enum Number : std::size_t {
    cx,
    cy,
    cz,
    length,
    ax,
    ay,
    az,
    r,
    ac,
    aa,
    rounding_size,
    numbers
  };  // ac = a.c, aa = a.a
  /// (1e-3 S)^2 bounds the rounding error of a squared distance of points within S of the camera: some 2^-20 S^2.
  static constexpr float rounding = 1e-3f;

  explicit CullNumbers(std::size_t capsules)
      : count(capsules), room_((capsules + widest - 1) / widest * widest), values_(numbers * room_, 0.0f) {
    std::fill_n(values_.data() + aa * room_, room_, 1e30f);
  }
  void set(std::size_t k, const CullCapsule& c) {
    const float ac_of = c.ax * c.cx + c.ay * c.cy + c.az * c.cz, aa_of = c.ax * c.ax + c.ay * c.ay + c.az * c.az;
    const float size = rounding * (std::sqrt(aa_of) + c.length);
    const float values[numbers] = {c.cx, c.cy, c.cz, c.length, c.ax, c.ay, c.az, c.r, ac_of, aa_of, size};
    for (std::size_t n = 0; n < numbers; ++n) values_[n * room_ + k] = values[n];
  }
  const float* of(std::size_t number) const { return values_.data() + number * room_; }

  std::size_t count;

private:
  std::size_t room_;           // the last vector is padded with capsules far from everything
  std::vector<float> values_;  // (numbers, room)
};

/// One sample's capsules, prepared for the tiles.
struct PreparedSample {
  explicit PreparedSample(std::size_t capsules) : count(capsules), exact(capsules), frames(capsules), cull(capsules) {}
  void prepare(const float* capsules, const Vec3& camera);

  std::size_t count;
  std::vector<CapsuleExact> exact;  // (count), relative to the camera
  std::vector<CapsuleFrame> frames;
  CullNumbers cull;
};

struct WeighSettings {
  float tau;
  bool first_hit;
  bool culling;
  Vec3 camera = {};
};

/// sums[j, t] = the sum of squared distances of tile t to sample j, for the tiles of groups [begin, end) of all tiles.
void weigh_groups(const RayTiles& rays, std::size_t begin, std::size_t end, std::span<const PreparedSample> samples,
                  const WeighSettings& settings, double* sums);

}  // namespace kinema::body
