// A copy of a caller's points, for those who may need them again after the caller has freed them.
#pragma once

#include "kinema/points.h"

#include <cstdint>
#include <vector>

namespace kinema::body {

class KeptPoints {
public:
  void set(PointsView points) {
    xyz_.assign(points.xyz, points.xyz + 3 * points.size);
    background_.assign(points.background.begin(), points.background.end());
    deviation_.assign(points.deviation.begin(), points.deviation.end());
  }
  PointsView view() const { return {xyz_.data(), xyz_.size() / 3, background_, deviation_}; }

private:
  std::vector<float> xyz_;
  std::vector<std::uint8_t> background_;
  std::vector<float> deviation_;
};

}  // namespace kinema::body
