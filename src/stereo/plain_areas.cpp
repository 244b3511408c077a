#include "stereo/plain_areas.h"

#include "stereo/constants.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace kinema::stereo {
namespace {

// The first byte with this value, or `end`.
const std::uint8_t* next_byte(const std::uint8_t* from, const std::uint8_t* end, int value) {
  const void* found = from == end ? nullptr : std::memchr(from, value, static_cast<std::size_t>(end - from));
  return found != nullptr ? static_cast<const std::uint8_t*>(found) : end;
}

}  // namespace

// Pixels whose brightness hardly changes, and whose neighbours' hardly does: gaps in an outline of two pixels are closed.
void PlainAreas::find_plain(ImageView<const std::uint8_t> left, const Threads& threads) {
  const auto columns = static_cast<std::size_t>(columns_), rows = static_cast<std::size_t>(rows_);
  smooth_.resize(columns * rows);
  flat_.assign(columns * rows, 0);
  plain_.assign(columns * rows, 0);
  threads.for_each(rows, [&](std::size_t at_row) {
    const int y = static_cast<int>(at_row);
    std::vector<std::int16_t> sums(columns + 2);  // of columns, from the one before the window on
    const auto row = [&](int at) {
      return left.data + left.stride * static_cast<std::size_t>(std::clamp(at, 0, static_cast<int>(left.height) - 1));
    };
    const std::uint8_t *above = row(window_.top + y - 1), *here = row(window_.top + y),
                       *below = row(window_.top + y + 1);
    const auto sum = [&](int x) { return static_cast<std::int16_t>(above[x] + 2 * here[x] + below[x]); };
    for (int x = 0; x < columns_; ++x) sums[static_cast<std::size_t>(x) + 1] = sum(window_.left + x);
    sums.front() = sum(std::max(window_.left - 1, 0));
    sums.back() = sum(std::min(window_.right, static_cast<int>(left.width) - 1));
    std::int16_t* out = smooth_.data() + static_cast<std::size_t>(y) * columns;
    for (std::size_t x = 0; x < columns; ++x)
      out[x] = static_cast<std::int16_t>(sums[x] + 2 * sums[x + 1] + sums[x + 2]);
  });
  // sixteenths of grey levels, over two pixels, weights of four
  const auto limit = static_cast<std::int16_t>(16 * 2 * 4 * constants::plain_slope);
  if (rows < 3 || columns < 3) return;
  // with copies of their own of what they read, which bytes that are written might otherwise change
  threads.for_each(rows - 2, [&](std::size_t row) {
    const std::size_t y = row + 1, end = columns - 1;
    const std::int16_t most = limit;
    const std::int16_t *s = smooth_.data() + y * columns, *above = s - columns, *below = s + columns;
    std::uint8_t* out = flat_.data() + y * columns;
    for (std::size_t x = 1; x < end; ++x) {
      const auto across = static_cast<std::int16_t>(above[x + 1] + 2 * s[x + 1] + below[x + 1] - above[x - 1] -
                                                    2 * s[x - 1] - below[x - 1]);
      const auto down = static_cast<std::int16_t>(below[x - 1] + 2 * below[x] + below[x + 1] - above[x - 1] -
                                                  2 * above[x] - above[x + 1]);
      out[x] = static_cast<std::uint8_t>((across < most) & (across > -most) & (down < most) & (down > -most));
    }
  });
  threads.for_each(rows - 2, [&](std::size_t row) {
    const std::size_t y = row + 1, end = columns - 1;
    const std::uint8_t *f = flat_.data() + y * columns, *above = f - columns, *below = f + columns;
    std::uint8_t* out = plain_.data() + y * columns;
    for (std::size_t x = 1; x < end; ++x)
      out[x] = static_cast<std::uint8_t>(f[x] & f[x + 1] & f[x - 1] & above[x] & below[x]);
  });
}

// The run that stands for all that were found to be one area.
std::int32_t PlainAreas::root(std::int32_t run) {
  while (runs_[static_cast<std::size_t>(run)].area != run) {
    std::int32_t& parent = runs_[static_cast<std::size_t>(run)].area;
    parent = runs_[static_cast<std::size_t>(parent)].area;
    run = parent;
  }
  return run;
}

// Runs of successive rows that touch are of one area.
void PlainAreas::join() {
  const auto columns = static_cast<std::size_t>(columns_);
  runs_.clear();
  std::size_t above = 0, above_end = 0;  // runs of the row before
  for (int y = 0; y < rows_; ++y) {
    const std::uint8_t* row = plain_.data() + static_cast<std::size_t>(y) * columns;
    const std::size_t first = runs_.size();
    for (const std::uint8_t *at = row, *end = row + columns;;) {
      at = next_byte(at, end, 1);
      if (at == end) break;
      const std::uint8_t* stop = next_byte(at, end, 0);
      runs_.push_back(
          {y, static_cast<int>(at - row), static_cast<int>(stop - row), static_cast<std::int32_t>(runs_.size())});
      at = stop;
    }
    for (std::size_t own = first; own < runs_.size(); ++own) {
      while (above < above_end && runs_[above].end <= runs_[own].begin) ++above;
      for (std::size_t other = above; other < above_end && runs_[other].begin < runs_[own].end; ++other) {
        const std::int32_t one = root(static_cast<std::int32_t>(own)), two = root(static_cast<std::int32_t>(other));
        runs_[static_cast<std::size_t>(std::max(one, two))].area = std::min(one, two);
      }
    }
    above = first;
    above_end = runs_.size();
  }
  areas_.assign(runs_.size(), {});
  labels_.resize(plain_.size());
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    Run& run = runs_[i];
    run.area = root(static_cast<std::int32_t>(i));
    std::fill_n(labels_.begin() + run.row * columns_ + run.begin, run.end - run.begin, run.area);
    Area& area = areas_[static_cast<std::size_t>(run.area)];
    area.left = area.left || run.begin <= 2;
    area.top = area.top || run.row <= 2;
    area.right = area.right || run.end > columns_ - 3;
  }
}

// The first pixels with a disparity beside each area, along rows and columns: they lie on its outline.
void PlainAreas::judge(const Disparities& disparities, double disparity) {
  const auto inside = [&](const Run& run, int x, int y) {
    const auto at = static_cast<std::size_t>(y * columns_ + x);
    return plain_[at] != 0 && labels_[at] == run.area;
  };
  const auto look = [&](const Run& run, int x, int dx, int dy) {
    for (int n = 1; n <= constants::outline_distance; ++n) {
      const int i = x + n * dx, j = run.row + n * dy;
      if (i < 0 || j < 0 || i >= columns_ || j >= rows_ || inside(run, i, j)) return;
      const float d =
          disparities
              .disparity[static_cast<std::size_t>(window_.top + j) * static_cast<std::size_t>(disparities.width) +
                         static_cast<std::size_t>(window_.left + i)];
      if (d <= 0) continue;
      Area& area = areas_[static_cast<std::size_t>(run.area)];
      ++(static_cast<double>(d) < disparity ? area.far : area.near);
      return;
    }
  };
  for (const Run& run : runs_) {
    look(run, run.begin, -1, 0);
    look(run, run.end - 1, 1, 0);
    // a plain pixel above or below is of the same area
    for (const int dy : {1, -1}) {
      if (run.row + dy < 0 || run.row + dy >= rows_) continue;
      const std::uint8_t *row = plain_.data() + static_cast<std::size_t>((run.row + dy) * columns_),
                         *end = row + run.end;
      for (const std::uint8_t* at = next_byte(row + run.begin, end, 0); at != end; at = next_byte(at + 1, end, 0))
        look(run, static_cast<int>(at - row), 0, dy);
    }
  }
}

void PlainAreas::mark_beyond(ImageView<const std::uint8_t> left, const Disparities& disparities, const Window& window,
                             double disparity, const Threads& threads, std::vector<std::uint8_t>& marks) {
  window_ = window;
  columns_ = window.right - window.left;
  rows_ = window.bottom - window.top;
  const auto width = static_cast<std::size_t>(disparities.width), height = static_cast<std::size_t>(disparities.height);
  marks.resize(width * height);
  find_plain(left, threads);
  join();
  judge(disparities, disparity);
  const auto mark = [&](int row, int begin, int end, std::uint8_t value) {
    std::uint8_t* first =
        marks.data() + static_cast<std::size_t>(window.top + row) * width + static_cast<std::size_t>(window.left);
    std::fill(first + begin, first + end, value);
  };
  for (int y = 0; y < rows_; ++y) mark(y, 0, columns_, 0);
  for (const Run& run : runs_) {
    const Area& area = areas_[static_cast<std::size_t>(run.area)];
    // beyond the sides of a window that is not the whole picture, there is more of the area than of a person
    const bool open = (area.left && window.left > 0) || (area.top && window.top > 0) ||
                      (area.right && window.right < disparities.width);
    const bool wide = area.left && area.right;
    const bool far =
        static_cast<double>(area.far) >= constants::far_share * static_cast<double>(area.far + area.near) &&
        area.far >= constants::far_pixels;
    if (far || open || wide) mark(run.row, run.begin, run.end, 1);
  }
}

}  // namespace kinema::stereo
