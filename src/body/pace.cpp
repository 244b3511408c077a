#include "kinema/body_pace.h"

#include "body/constants.h"

#include <algorithm>
#include <cmath>

namespace kinema::body {
namespace {

using namespace constants::pace;

constexpr std::size_t longest_window = 1000;  // frames

std::size_t scaled(std::size_t most, double effort, std::size_t least) {
  const auto wanted = static_cast<std::size_t>(std::lround(effort * static_cast<double>(most)));
  return std::clamp(wanted, std::min(least, most), most);
}

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Pace::Pace(PaceCounts most, double fps)
    : most_(most), counts_(most), budget_ms_(budget * 1000 / (fps > 0 ? fps : 30)), patience_(patience) {}

std::optional<PaceCounts> Pace::add(double time, double ms, bool usual, std::size_t late) {
  if (!begin_) {
    begin_ = time;
    late_at_begin_ = late;
  }
  ++frames_;
  if (usual) ms_.push_back(ms);
  if (ms_.size() < fewest_frames || (time - *begin_ < window && ms_.size() < longest_window)) return std::nullopt;
  const auto late_now = static_cast<double>(late - late_at_begin_);
  const double change = factor(median_of(ms_), late_now / (late_now + static_cast<double>(frames_)));
  ms_.clear();
  frames_ = 0;
  begin_ = time;
  late_at_begin_ = late;
  if (change == 1) return std::nullopt;
  // the least counts bound it, lest it take many windows to rise again
  const double least =
      std::min(static_cast<double>(least_points) / static_cast<double>(std::max<std::size_t>(1, most_.points)),
               static_cast<double>(least_particles) / static_cast<double>(std::max<std::size_t>(1, most_.particles)));
  effort_ = std::clamp(effort_ * change, std::min(1.0, least), 1.0);
  PaceCounts counts = most_;
  if (!fixed_particles_) counts.particles = scaled(most_.particles, effort_, least_particles);
  if (!fixed_points_) counts.points = scaled(most_.points, effort_, least_points);
  if (counts == counts_) return std::nullopt;
  counts_ = counts;
  ++changes_;
  return counts_;
}

// By which to multiply the effort.
double Pace::factor(double median, double late_share) {
  const double too_slow = median > budget_ms_ ? budget_ms_ / median : late_share > most_late ? lowering : 1;
  if (too_slow < 1) {
    if (raised_) patience_ = std::min(2 * patience_, most_patience);
    raised_ = false;
    quiet_ = 0;
    return too_slow;
  }
  if (effort_ == 1 || median > raise_below * budget_ms_ || ++quiet_ < patience_) return 1;
  quiet_ = 0;
  raised_ = true;
  return raising;
}

}  // namespace kinema::body
