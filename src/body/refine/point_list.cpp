#include "body/refine/point_list.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

namespace kinema::body {
namespace {

using Neighbours = PointList::Neighbours;

constexpr int axis_bits = 7;  // of a cell's number along an axis
constexpr int digit_bits = 11;

Vec3f place_of(Vec3f point, Neighbours neighbours) {
  return neighbours == Neighbours::in_space ? point : (1 / norm(point)) * point;
}

// Two zero bits before each bit.
std::uint32_t spread_bits(std::uint32_t cell) {
  std::uint32_t spread = 0;
  for (int bit = 0; bit < axis_bits; ++bit) spread |= (cell >> bit & 1U) << (3 * bit);
  return spread;
}

// The order of places along a Z-shaped curve through the cells of a cube: a stretch of it is compact.
std::vector<std::uint32_t> order_along_curve(const std::vector<Vec3f>& places) {
  constexpr float far = std::numeric_limits<float>::max();
  Vec3f low{far, far, far}, high{-far, -far, -far};
  for (const Vec3f& p : places) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  constexpr std::uint32_t cells = 1U << axis_bits;
  std::array<std::uint32_t, cells> spread;
  for (std::uint32_t cell = 0; cell < cells; ++cell) spread[cell] = spread_bits(cell);
  const Vec3f extent = high - low;
  const float scale = static_cast<float>(cells) / std::max({extent.x, extent.y, extent.z, 1e-6f});
  const auto along = [&](float from_low) {
    return spread[static_cast<std::size_t>(std::min(static_cast<float>(cells - 1), from_low * scale))];
  };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> keyed(places.size()), other(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Vec3f from_low = places[i] - low;
    keyed[i] = {along(from_low.x) | along(from_low.y) << 1 | along(from_low.z) << 2, static_cast<std::uint32_t>(i)};
  }
  // by radix: tens of thousands of points in a fraction of a millisecond
  for (int shift = 0; shift < 3 * axis_bits; shift += digit_bits) {
    const auto digit = [&](std::uint32_t key) { return key >> shift & ((1U << digit_bits) - 1); };
    std::vector<std::uint32_t> next((1U << digit_bits) + 1, 0);
    for (const auto& [key, i] : keyed) ++next[digit(key) + 1];
    for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
    for (const auto& entry : keyed) other[next[digit(entry.first)]++] = entry;
    keyed.swap(other);
  }
  std::vector<std::uint32_t> order(places.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = keyed[i].second;
  return order;
}

}  // namespace

PointList::PointList(std::vector<Vec3f> points, Neighbours neighbours) : neighbours_(neighbours) {
  std::vector<Vec3f> places(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) places[i] = place_of(points[i], neighbours);
  const std::vector<std::uint32_t> order = order_along_curve(places);
  for (std::size_t i = 0; i < points.size(); ++i) places[i] = points[order[i]];
  make_blocks(places);
}

void PointList::make_blocks(const std::vector<Vec3f>& points) {
  size_ = points.size();
  blocks_.resize((size_ + contact_block - 1) / contact_block);
  for (std::size_t first = 0; first < blocks_.size() * contact_block; first += contact_part) {
    PointBlock& block = blocks_[first / contact_block];
    PointBlock::Bounds& bounds = block.parts[first % contact_block / contact_part];
    std::array<Vec3f, contact_part> places;
    Vec3f sum{0, 0, 0};
    for (std::size_t i = 0; i < contact_part; ++i) {
      const Vec3f point = points[std::min(first + i, size_ - 1)];
      const std::size_t at = first % contact_block + i;
      block.x[at] = point.x;
      block.y[at] = point.y;
      block.z[at] = point.z;
      places[i] = place_of(point, neighbours_);
      sum = sum + places[i];
    }
    bounds = {(1.0f / contact_part) * sum, 0};
    for (const Vec3f& place : places) bounds.reach = std::max(bounds.reach, norm(place - bounds.middle));
  }
}

PointList PointList::thinned(std::size_t most) const {
  if (size_ <= most) return *this;
  std::vector<Vec3f> points(size_);
  for (std::size_t i = 0; i < size_; ++i) points[i] = (*this)[i];
  PointList result;
  result.neighbours_ = neighbours_;
  result.make_blocks(body::thinned(std::move(points), most));
  return result;
}

std::vector<Vec3f> thinned(std::vector<Vec3f> points, std::size_t most) {
  if (points.size() <= most) return points;
  const double step = static_cast<double>(points.size()) / static_cast<double>(std::max<std::size_t>(1, most));
  std::size_t kept = 0;
  for (double i = 0; i < static_cast<double>(points.size()); i += step)
    points[kept++] = points[static_cast<std::size_t>(i)];
  points.resize(kept);
  return points;
}

}  // namespace kinema::body
