#include "stereo/plain_areas.h"

#include "stereo/constants.h"

#include <algorithm>
#include <cstdlib>

namespace kinema::stereo {
namespace {

// The label that stands for all that were found to be one area.
std::int32_t root(std::vector<std::int32_t>& parents, std::int32_t label) {
  while (parents[static_cast<std::size_t>(label)] != label) {
    std::int32_t& parent = parents[static_cast<std::size_t>(label)];
    parent = parents[static_cast<std::size_t>(parent)];
    label = parent;
  }
  return label;
}

}  // namespace

// Pixels whose brightness hardly changes, and whose neighbours' hardly does: gaps in an outline of two pixels are closed.
void PlainAreas::set_slopes(ImageView<const std::uint8_t> left) {
  const auto columns = static_cast<std::size_t>(columns_), rows = static_cast<std::size_t>(rows_);
  smooth_.assign(columns * rows, 0);
  std::vector<std::uint8_t> flat(columns * rows, 0);
  const auto pixel = [&](int x, int y) {
    return static_cast<int>(
        left.at(static_cast<std::size_t>(std::clamp(window_.left + x, 0, static_cast<int>(left.width) - 1)),
                static_cast<std::size_t>(std::clamp(window_.top + y, 0, static_cast<int>(left.height) - 1))));
  };
  for (int y = 0; y < rows_; ++y) {
    for (int x = 0; x < columns_; ++x) {
      const auto column = [&](int i) { return pixel(i, y - 1) + 2 * pixel(i, y) + pixel(i, y + 1); };
      smooth_[static_cast<std::size_t>(y) * columns + static_cast<std::size_t>(x)] =
          column(x - 1) + 2 * column(x) + column(x + 1);
    }
  }
  // sixteenths of grey levels, over two pixels, weights of four
  const int limit = static_cast<int>(16 * 2 * 4 * constants::plain_slope);
  for (std::size_t y = 1; y + 1 < rows; ++y) {
    for (std::size_t x = 1; x + 1 < columns; ++x) {
      const std::int32_t* s = smooth_.data() + y * columns + x;
      const std::int32_t *above = s - columns, *below = s + columns;
      const int across = above[1] + 2 * s[1] + below[1] - above[-1] - 2 * s[-1] - below[-1];
      const int down = below[-1] + 2 * below[0] + below[1] - above[-1] - 2 * above[0] - above[1];
      flat[y * columns + x] = std::abs(across) < limit && std::abs(down) < limit ? 1 : 0;
    }
  }
  plain_.assign(columns * rows, 0);
  for (std::size_t y = 1; y + 1 < rows; ++y) {
    for (std::size_t x = 1; x + 1 < columns; ++x) {
      const std::uint8_t* f = flat.data() + y * columns + x;
      plain_[y * columns + x] = f[0] & f[1] & f[-1] & f[columns] & f[-static_cast<std::ptrdiff_t>(columns)];
    }
  }
}

void PlainAreas::label() {
  const auto columns = static_cast<std::size_t>(columns_);
  labels_.assign(plain_.size(), -1);
  parents_.clear();
  for (std::size_t i = columns; i < plain_.size(); ++i) {
    if (plain_[i] == 0) continue;
    const std::int32_t before = labels_[i - 1], above = labels_[i - columns];
    if (before < 0 && above < 0) {
      labels_[i] = static_cast<std::int32_t>(parents_.size());
      parents_.push_back(labels_[i]);
    } else if (before >= 0 && above >= 0) {
      const std::int32_t one = root(parents_, before), other = root(parents_, above);
      labels_[i] = parents_[static_cast<std::size_t>(std::max(one, other))] = std::min(one, other);
    } else {
      labels_[i] = std::max(before, above);
    }
  }
  areas_.assign(parents_.size(), {});
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    if (labels_[i] < 0) continue;
    labels_[i] = root(parents_, labels_[i]);
    Area& area = areas_[static_cast<std::size_t>(labels_[i])];
    const auto x = static_cast<int>(i % columns), y = static_cast<int>(i / columns);
    ++area.pixels;
    area.left = area.left || x <= 2;
    area.top = area.top || y <= 2;
    area.right = area.right || x >= columns_ - 3;
    area.bottom = area.bottom || y >= rows_ - 3;
  }
}

// The first pixels with a disparity beside each area, along rows and columns: they lie on its outline.
void PlainAreas::judge(const Disparities& disparities, double disparity) {
  const auto columns = static_cast<std::size_t>(columns_);
  const auto width = static_cast<std::size_t>(disparities.width);
  const auto look = [&](std::size_t x, std::size_t y, int dx, int dy) {
    const std::int32_t own = labels_[y * columns + x];
    for (int n = 1; n <= constants::outline_distance; ++n) {
      const int i = static_cast<int>(x) + n * dx, j = static_cast<int>(y) + n * dy;
      if (i < 0 || j < 0 || i >= columns_ || j >= rows_) return;
      const std::size_t at = static_cast<std::size_t>(j) * columns + static_cast<std::size_t>(i);
      if (labels_[at] == own) return;
      const float d = disparities.disparity[static_cast<std::size_t>(window_.top + j) * width +
                                            static_cast<std::size_t>(window_.left + i)];
      if (d <= 0) continue;
      Area& area = areas_[static_cast<std::size_t>(own)];
      ++(static_cast<double>(d) < disparity ? area.far : area.near);
      return;
    }
  };
  for (std::size_t y = 0; y < static_cast<std::size_t>(rows_); ++y) {
    for (std::size_t x = 0; x < columns; ++x) {
      if (labels_[y * columns + x] < 0) continue;
      look(x, y, 1, 0);
      look(x, y, -1, 0);
      look(x, y, 0, 1);
      look(x, y, 0, -1);
    }
  }
}

void PlainAreas::mark_beyond(ImageView<const std::uint8_t> left, const Disparities& disparities, const Window& window,
                             double disparity, std::vector<std::uint8_t>& marks) {
  window_ = window;
  columns_ = window.right - window.left;
  rows_ = window.bottom - window.top;
  const auto width = static_cast<std::size_t>(disparities.width), height = static_cast<std::size_t>(disparities.height);
  marks.resize(width * height);
  set_slopes(left);
  label();
  judge(disparities, disparity);
  for (int y = 0; y < rows_; ++y) {
    for (int x = 0; x < columns_; ++x) {
      const std::size_t pixel =
          static_cast<std::size_t>(window.top + y) * width + static_cast<std::size_t>(window.left + x);
      const std::int32_t label =
          labels_[static_cast<std::size_t>(y) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(x)];
      marks[pixel] = 0;
      if (label < 0) continue;
      const Area& area = areas_[static_cast<std::size_t>(label)];
      // beyond the sides of a window that is not the whole picture, there is more of the area than of a person
      const bool open = (area.left && window.left > 0) || (area.top && window.top > 0) ||
                        (area.right && window.right < disparities.width);
      const bool wide = area.left && area.right;
      const bool far =
          static_cast<double>(area.far) >= constants::far_share * static_cast<double>(area.far + area.near) &&
          area.far >= constants::far_pixels;
      marks[pixel] = far || open || wide ? 1 : 0;
    }
  }
}

}  // namespace kinema::stereo
