#include "body/foreground/foreground_exterior.h"

#include "body/foreground/constants_foreground.h"

#include <algorithm>

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

bool Exterior::person_alone(ImageView<const float> depth, float nearest, const Gate& gate,
                            std::span<const float> columns, std::span<const float> rows) {
  const std::size_t side = side_of(depth);
  std::size_t pixels = 0, all = 0, person = 0;
  for (std::size_t v = 0; v < depth.height; v += side) {
    for (std::size_t u = 0; u < depth.width; u += side) {
      const float z = depth.at(u, v);
      ++pixels;
      if (!(z >= nearest)) continue;
      ++all;
      if (gate.at(columns[u] * z, rows[v] * z, z) != Gate::outside) ++person;
    }
  }
  return static_cast<double>(all) < most_measured * static_cast<double>(pixels) &&
         static_cast<double>(person) > alone_share * static_cast<double>(all);
}

}  // namespace kinema::body
