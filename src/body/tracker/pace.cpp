#include "body/tracker/pace.h"

#include "body/constants.h"
#include "body/tracker/constants_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kinema::body {
namespace {

using namespace constants::pace;

constexpr std::size_t longest_window = 1000;  // frames
constexpr std::size_t judged_searches = 5;

std::size_t scaled(std::size_t most, double effort, std::size_t least) {
  const auto wanted = static_cast<std::size_t>(std::lround(effort * static_cast<double>(most)));
  return std::clamp(wanted, std::min(least, most), most);
}

double share(std::size_t part, std::size_t whole) {
  return static_cast<double>(part) / static_cast<double>(std::max<std::size_t>(1, whole));
}

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Pace::Pace(PaceCounts most, double fps)
    : most_(most), counts_(most), budget_ms_(budget * 1000 / (fps > 0 ? fps : 30)), patience_(patience) {}

std::optional<PaceCounts> Pace::add(double time, double ms, Kind kind, std::size_t late) {
  if (!begin_) begin_ = time;
  ++frames_;
  // what is late on account of a search says nothing about other frames
  if (std::exchange(last_kind_, kind) == Kind::usual) late_in_window_ += late;
  if (kind == Kind::usual) ms_.push_back(ms);
  if (kind == Kind::searched) {
    if (search_ms_.size() == judged_searches) search_ms_.erase(search_ms_.begin());
    search_ms_.push_back(ms);
  }
  if (ms_.size() < fewest_frames || (time - *begin_ < window && ms_.size() < longest_window)) return std::nullopt;
  const double median = median_of(ms_);
  effort_ *= factor(median, share(late_in_window_, late_in_window_ + frames_));
  // no lower than the counts can go, lest it take many windows to rise again
  effort_ = std::clamp(
      effort_, std::min({1.0, share(least_points, most_.points), share(least_particles, most_.particles)}), 1.0);
  ms_.clear();
  frames_ = 0;
  late_in_window_ = 0;
  begin_ = time;
  PaceCounts counts = most_;
  if (!fixed_particles_) counts.particles = scaled(most_.particles, effort_, least_particles);
  if (!fixed_points_) counts.points = scaled(most_.points, effort_, least_points);
  counts.search_rest = search_rest(median);
  if (counts == counts_) return std::nullopt;
  counts_ = counts;
  ++changes_;
  return counts_;
}

// So rare that searches take at most their share of the time.
int Pace::search_rest(double median) const {
  if (search_ms_.empty()) return counts_.search_rest;
  std::vector<double> last = search_ms_;
  const double extra = median_of(last) - median;
  const double rest = std::ceil(extra / (search_share * constants::rivals::search_interval * budget_ms_));
  const int wanted = static_cast<int>(std::clamp(rest, 1.0, static_cast<double>(most_search_rest)));
  // a little less time than before is no reason to change
  return wanted == counts_.search_rest - 1 ? counts_.search_rest : wanted;
}

// By which to multiply the effort.
double Pace::factor(double median, double late_share) {
  const double too_slow = median > budget_ms_ ? budget_ms_ / median : late_share > most_late ? lowering : 1;
  if (too_slow < 1) {
    if (raised_) patience_ = std::min(2 * patience_, most_patience);
    raised_ = false;
    quiet_ = 0;
    return lowering_factor(median, too_slow);
  }
  slow_.reset();
  futile_.reset();
  if (effort_ == 1 || median > raise_below * budget_ms_ || ++quiet_ < patience_) return 1;
  quiet_ = 0;
  raised_ = true;
  return raising;
}

// Where the effort is not what takes the time, as on a GPU before a very fast camera, less of it would be lost accuracy.
double Pace::lowering_factor(double median, double wanted) {
  if (futile_ && median > other_load * *futile_) {
    slow_.reset();
    futile_.reset();
  }
  if (futile_) return 1;
  if (!slow_) slow_ = Window{effort_, median};
  if (effort_ < judged_below * slow_->effort && median > helps_below * slow_->median) {
    futile_ = median;
    return slow_->effort / effort_;
  }
  return wanted;
}

}  // namespace kinema::body
