// Latencies of a run however long: counted in bins, so that nothing grows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kinema::app {

class Latencies {
public:
  /// A negative one, of clocks that differ, counts as 0.
  void add(double ms) {
    if (bins_.empty()) bins_.assign(count_of_bins, 0);
    const double place = std::clamp(ms / width, 0.0, static_cast<double>(count_of_bins - 1));
    ++bins_[static_cast<std::size_t>(place)];
    ++count_;
  }

  std::size_t count() const { return count_; }

  /// Milliseconds that this share of them does not exceed, to half a bin; 0 if there are none.
  double quantile(double share) const {
    const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(count_));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      seen += bins_[i];
      if (seen > wanted || seen == count_) return (static_cast<double>(i) + 0.5) * width;
    }
    return 0;
  }

private:
  static constexpr double width = 0.5;                     // milliseconds
  static constexpr std::size_t count_of_bins = 2 * 20000;  // up to 20 s
  std::vector<std::uint64_t> bins_;
  std::uint64_t count_ = 0;
};

}  // namespace kinema::app
