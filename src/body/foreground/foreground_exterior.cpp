#include "body/foreground/foreground_exterior.h"

#include "body/foreground/constants_foreground.h"

#include <algorithm>
#include <cmath>

namespace kinema::body {

using namespace constants::exterior;

namespace {

// Pixels of a block, across and down.
std::size_t side_of(ImageView<const float> depth) { return std::max<std::size_t>(1, depth.width / exterior_columns); }

}  // namespace

void Exterior::find(ImageView<const float> depth, float nearest) {
  side_ = side_of(depth);
  columns_ = depth.width / side_;
  rows_ = depth.height / side_;
  enum : unsigned char { unknown, outside, measured, near_measured };
  outside_.assign(columns_ * rows_, unknown);
  if (outside_.empty()) return;
  for (std::size_t v = 0; v < rows_ * side_; ++v) {
    const float* row = &depth.at(0, v);
    unsigned char* blocks = &outside_[v / side_ * columns_];
    for (std::size_t u = 0; u < columns_ * side_; ++u) {
      if (row[u] >= nearest) blocks[u / side_] = measured;
    }
  }
  for (std::size_t y = 0; y < rows_; ++y) {
    for (std::size_t x = 0; x < columns_; ++x) {
      if (outside_[y * columns_ + x] != measured) continue;
      for (std::size_t b = y > 0 ? y - 1 : 0; b <= std::min(y + 1, rows_ - 1); ++b) {
        for (std::size_t a = x > 0 ? x - 1 : 0; a <= std::min(x + 1, columns_ - 1); ++a) {
          if (outside_[b * columns_ + a] == unknown) outside_[b * columns_ + a] = near_measured;
        }
      }
    }
  }
  waiting_.clear();
  const auto reach = [&](std::size_t block) {
    if (outside_[block] != unknown) return;
    outside_[block] = outside;
    waiting_.push_back(block);
  };
  for (std::size_t x = 0; x < columns_; ++x) reach(x), reach((rows_ - 1) * columns_ + x);
  for (std::size_t y = 0; y < rows_; ++y) reach(y * columns_), reach(y * columns_ + columns_ - 1);
  while (!waiting_.empty()) {
    const std::size_t block = waiting_.back(), x = block % columns_;
    waiting_.pop_back();
    if (x > 0) reach(block - 1);
    if (x + 1 < columns_) reach(block + 1);
    if (block >= columns_) reach(block - columns_);
    if (block + columns_ < outside_.size()) reach(block + columns_);
  }
  for (unsigned char& block : outside_) block = block == outside ? 1 : 0;
}

bool Exterior::people_alone(ImageView<const float> depth, float nearest, const std::function<bool(Vec3f)>& of_people,
                            std::span<const float> columns, std::span<const float> rows) {
  const std::size_t side = side_of(depth);
  std::size_t pixels = 0, all = 0, person = 0;
  for (std::size_t v = 0; v < depth.height; v += side) {
    for (std::size_t u = 0; u < depth.width; u += side) {
      const float z = depth.at(u, v);
      ++pixels;
      if (!(z >= nearest)) continue;
      ++all;
      if (of_people({columns[u] * z, rows[v] * z, z})) ++person;
    }
  }
  return static_cast<double>(all) < most_measured * static_cast<double>(pixels) &&
         static_cast<double>(person) > alone_share * static_cast<double>(all);
}

void look_beyond_border(const Camera& camera, std::span<const float> columns, std::span<const float> rows, float far,
                        RayLattice lattice, std::span<GatedPoints> parts) {
  const bool rays = std::any_of(parts.begin(), parts.end(), [](const GatedPoints& p) { return !p.background.empty(); });
  if (!rays) return;
  const float pixel_across = 1 / static_cast<float>(camera.fx), pixel_down = 1 / static_cast<float>(camera.fy);
  const float margin = border_margin * pixel_across;
  const float x_low = columns.front(), x_high = columns.back();
  const float y_low = rows.front(), y_high = rows.back();
  Gate::View person{x_high, x_low, y_high, y_low};
  for (const GatedPoints& part : parts) {
    for (const Vec3f& p : part.person) {
      const float x = p.x / p.z, y = p.y / p.z;
      person = {std::min(person.x_low, x), std::max(person.x_high, x), std::min(person.y_low, y),
                std::max(person.y_high, y)};
    }
  }
  if (person.x_low > person.x_high) return;
  const float extent = beyond_border * (person.y_high - person.y_low);
  const float across = static_cast<float>(lattice.across) * pixel_across;
  const float down = static_cast<float>(lattice.down) * pixel_down;
  const auto add = [&](float x0, float x1, float y0, float y1) {
    const auto steps = [](float length, float step) {
      const float count = length / step;
      return count > 0 && count < 1e4f ? static_cast<std::size_t>(count) + 1 : 0;
    };
    for (std::size_t j = 0; j < steps(y1 - y0, down); ++j) {
      const float y = y0 + static_cast<float>(j) * down;
      for (std::size_t i = 0; i < steps(x1 - x0, across); ++i) {
        const float x = x0 + static_cast<float>(i) * across;
        parts.back().background.push_back({x * far, y * far, far});
      }
    }
  };
  const float x0 = person.x_low - extent, x1 = person.x_high + extent;
  if (person.y_high < y_high - margin && person.y_high > y_high - extent) add(x0, x1, y_high + down, y_high + extent);
  if (person.y_low > y_low + margin && person.y_low < y_low + extent) add(x0, x1, y_low - extent, y_low);
  const float y0 = std::max(person.y_low - extent, y_low), y1 = std::min(person.y_high + extent, y_high);
  if (person.x_high < x_high - margin && person.x_high > x_high - extent) add(x_high + across, x_high + extent, y0, y1);
  if (person.x_low > x_low + margin && person.x_low < x_low + extent) add(x_low - extent, x_low, y0, y1);
}

}  // namespace kinema::body
