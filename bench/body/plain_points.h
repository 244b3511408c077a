// The points of programs that know the paper's likelihood and none of the additions to it.
#pragma once

#include "kinema/body.h"

#include <string_view>
#include <vector>

namespace kinema::bench {

/// Throws Error where the settings ask for another association than `nearest`.
void check_plain(const body::LikelihoodSettings& settings, std::string_view program);

/// The points that define a ray, (I, 3). Throws Error where points have deviations of their own, or marks that count.
std::vector<float> plain_points(PointsView points, const body::LikelihoodSettings& settings, std::string_view program);

/// What set_points() returns for them.
inline body::PointCount plain_count(const std::vector<float>& used, PointsView points) {
  return {used.size() / 3, points.size - used.size() / 3};
}

}  // namespace kinema::bench
