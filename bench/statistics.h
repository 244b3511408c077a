// Order statistics of repeated measurements. Medians, because on a shared machine outliers occur in one direction only.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace kinema::bench {

/// The value below which a `fraction` of the values lies, by linear interpolation; 0 for no values.
inline double quantile(std::vector<double> values, double fraction) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double place = fraction * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], place - std::floor(place));
}

/// Median with its quartiles.
struct Spread {
  double median = 0, low = 0, high = 0;
};

inline Spread spread(const std::vector<double>& values) {
  return {quantile(values, 0.5), quantile(values, 0.25), quantile(values, 0.75)};
}

}  // namespace kinema::bench
