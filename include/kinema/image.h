// A view of an image that somebody else owns: row-major, rows `stride` elements apart.
#pragma once

#include <cstddef>

namespace kinema {

template <class T>
struct ImageView {
  T* data = nullptr;
  std::size_t width = 0, height = 0;
  std::size_t stride = 0;  // elements from one row to the next, at least width

  T& at(std::size_t x, std::size_t y) const { return data[y * stride + x]; }
};

}  // namespace kinema
