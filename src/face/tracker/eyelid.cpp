#include "face/tracker/eyelid.h"

#include "face/constants.h"

#include <algorithm>
#include <cmath>

namespace kinema::face {
namespace {

constexpr std::size_t columns = EyePatch::columns, rows = EyePatch::rows;
using Row = std::array<double, columns>;

// The part of the patch that a closing lid covers, and its border.
constexpr double zone_top = -0.35, zone_bottom = 0.25, zone_border = 0.1;
// Skin above the eye is searched below the brow, that below it on the cheek.
constexpr double above_top = -0.48, above_bottom = -0.22, below_top = 0.12, below_bottom = 0.38;
// The eye itself, without its corners, and the rows that the iris fills.
constexpr double eye_left = 0.12, eye_right = 0.88, iris_top = -0.18, iris_bottom = 0.12;
// The contrast of an open eye is learnt anew within these first seconds if it turns out to be much greater.
constexpr double uncertain_seconds = 3;

bool inside(double value, double low, double high) { return value > low && value < high; }
double ramp(double value) { return std::clamp(value, 0.0, 1.0); }

// The mean over seven neighbours.
Row smoothed(const Row& row) {
  Row result{};
  const auto last = static_cast<std::ptrdiff_t>(columns) - 1;
  for (std::ptrdiff_t i = 0; i <= last; ++i) {
    for (std::ptrdiff_t k = -3; k <= 3; ++k) {
      const auto from = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(i + k, 0, last));
      result[static_cast<std::size_t>(i)] += row[from] / 7;
    }
  }
  return result;
}

// The brightest skin above the eye, which is the lid, and the mean below it.
std::array<Row, 2> skin_about(const EyePatch& open) {
  Row above, below{};
  above.fill(-1e9);
  double count = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const double y = EyePatch::y(row);
    const bool lower = inside(y, below_top, below_bottom);
    count += lower;
    for (std::size_t column = 0; column < columns; ++column) {
      if (inside(y, above_top, above_bottom)) above[column] = std::max(above[column], open(row, column));
      if (lower) below[column] += open(row, column);
    }
  }
  for (double& value : below) value /= count;
  return {smoothed(above), smoothed(below)};
}

// How much of what differs from the open eye is the change: over the picture, and over profiles alone, in which the place of
// the iris along the eye does not show. And what differs otherwise, over all that the open eye shows.
struct Likeness {
  double picture = 0, profile = 0, other = 0;
};

Likeness likeness(const EyePatch& patch, const EyePatch& open) {
  const EyePatch change = closing_of(open);
  double along = 0, length = 0, difference = 0, all = 0;
  std::array<double, rows> differs{}, changes{};
  double mean = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const double differ = patch(row, column) - open(row, column), by = change(row, column);
      along += differ * by;
      length += by * by;
      difference += differ * differ;
      all += open(row, column) * open(row, column);
      if (!inside(EyePatch::x(column), eye_left, eye_right)) continue;
      differs[row] += differ;
      changes[row] += by;
    }
    mean += changes[row] / rows;
  }
  double profile_along = 0, profile_length = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const double by = changes[row] - mean;
    profile_along += differs[row] * by;
    profile_length += by * by;
  }
  const double picture = along / std::max(1e-9, length), taken = std::clamp(picture, 0.0, 1.2);
  const double other = (difference - 2 * taken * along + taken * taken * length) / std::max(1e-9, all);
  return {picture, profile_along / std::max(1e-9, profile_length), other};
}

// 0 open to about 1 closed.
double closure_of(const Likeness& alike, double contrast, double open_contrast) {
  // a blink takes about half of the contrast away
  const double faded = 2 * (1 - contrast / std::max(1e-9, open_contrast));
  return std::sqrt(std::max(0.0, 0.5 * (alike.picture + alike.profile)) * std::max(0.0, faded));
}

}  // namespace

EyePatch closing_of(const EyePatch& open) {
  const auto [above, below] = skin_about(open);
  std::array<double, columns* rows> sorted = open.value;
  const auto dark_at = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 33);
  std::nth_element(sorted.begin(), dark_at, sorted.end());
  const double dark = *dark_at;
  EyePatch change;
  for (std::size_t row = 0; row < rows; ++row) {
    const double y = EyePatch::y(row), off = (y - lid_line) / lash_spread;
    const double lashes = lash_darkness * std::exp(-0.5 * off * off),
                 down = ramp((y - lid_line) / (zone_bottom - lid_line));
    const double high = ramp((y - zone_top) / zone_border) * ramp((zone_bottom - y) / zone_border);
    for (std::size_t column = 0; column < columns; ++column) {
      const double x = EyePatch::x(column), wide = ramp((x + 0.05) / 0.15) * ramp((1.05 - x) / 0.15);
      const double skin = above[column] + (below[column] - above[column]) * down;
      change(row, column) = high * wide * (skin + (dark - skin) * lashes - open(row, column));
    }
  }
  return change;
}

double contrast_of(const EyePatch& patch) {
  double sum = 0, squares = 0, count = 0;
  for (std::size_t column = 0; column < columns; ++column) {
    if (!inside(EyePatch::x(column), eye_left, eye_right)) continue;
    double mean = 0, height = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      if (!inside(EyePatch::y(row), iris_top, iris_bottom)) continue;
      mean += patch(row, column);
      ++height;
    }
    mean /= height;
    sum += mean;
    squares += mean * mean;
    ++count;
  }
  return std::sqrt(std::max(0.0, squares / count - sum * sum / (count * count)));
}

// At first the mean of all, later that over the memory. Returns the share that this patch has.
double Eyelid::learn(const EyePatch& patch, double contrast, double weight, double seconds) {
  const double over = std::min(eye_memory, seconds_ + seconds);
  const double share = weight * std::min(1.0, seconds / std::max(1e-9, over));
  for (std::size_t i = 0; i < open_.value.size(); ++i) open_.value[i] += share * (patch.value[i] - open_.value[i]);
  contrast_ += share * (contrast - contrast_);
  return share;
}

Eyelid::Value Eyelid::follow(const EyePatch& patch, double seconds) {
  // while little is known, the scatter is that of open eyes of other people
  constexpr double usual = 0.12, covered = 0.5, hardly = 0.1;
  const double contrast = contrast_of(patch);
  const auto was_closed = [&] {
    return seconds_ < uncertain_seconds && contrast > opened_contrast * contrast_ &&
           closure_of(likeness(open_, patch), contrast_, contrast) > 0.5 * (open_below + closed_above);
  };
  if (seconds_ < 0 || was_closed()) {
    open_ = patch;
    contrast_ = contrast;
    squares_ = usual * usual;
    seconds_ = 0;
    return {0, usual};
  }
  const Likeness alike = likeness(patch, open_);
  seconds_ += seconds;
  if (alike.other > other_thing) {
    learn(patch, contrast, hardly, seconds);
    return {0, covered};
  }
  const double closure = closure_of(alike, contrast, contrast_);
  const double deviation = std::sqrt(squares_);

  // open eyes are learnt, closed ones hardly: only so that an eye that looks otherwise from now on is not closed for good
  const double openness = std::clamp((closed_above - 0.05 - closure) / 0.3, hardly, 1.0);
  const double share = learn(patch, contrast, openness, seconds);
  if (closure < 0.5) squares_ += share * (closure * closure - squares_);
  return {closure, deviation};
}

double blink_of(double closure) {
  const double share = ramp((closure - open_below) / (closed_above - open_below));
  return share * share * (3 - 2 * share);
}

}  // namespace kinema::face
