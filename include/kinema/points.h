// Points and arrays, owning and as views of the caller's memory. Metres; camera frame x right, y down, z forward.
#pragma once

#include "kinema/geometry.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kinema {

/// I points, each three consecutive floats x y z.
struct PointsView {
  const float* xyz = nullptr;  // shape (size, 3)
  std::size_t size = 0;

  /// Empty, or one byte per point: nonzero marks background, seen behind the person (see body::LikelihoodSettings).
  std::span<const std::uint8_t> background = {};

  /// Empty, or one number per point: its standard deviation along its ray, in metres, besides that of the skin; see
  /// body::LikelihoodSettings. That of background points is not used.
  std::span<const float> deviation = {};
};

/// Points that own their memory: those of the person (mark 0), then the end points of rays past it (mark 1).
struct PointCloud {
  std::vector<float> xyz;                // (size, 3)
  std::vector<std::uint8_t> background;  // (size)
  std::vector<float> deviation;          // (size), or empty

  std::size_t size() const { return background.size(); }
  PointsView view() const { return {xyz.data(), background.size(), background, deviation}; }
};

/// A dense row-major array with its shape, such as (J, K, 7) capsules.
template <class T>
struct Array3View {
  T* data = nullptr;
  std::size_t rows = 0, columns = 0, depth = 0;

  T* row(std::size_t r) const { return data + r * columns * depth; }
  T* at(std::size_t r, std::size_t c) const { return data + (r * columns + c) * depth; }
};

}  // namespace kinema
