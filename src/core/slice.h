// Ranges of items, and the division of items among the parts of a computation: by their number, never by speed.
#pragma once

#include <algorithm>
#include <cstddef>

namespace kinema {

struct Slice {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
};

/// The share of `total` items that a part has: contiguous, in the order of the parts, with sizes that differ by at most one.
inline Slice slice_of(std::size_t total, int part, int parts) {
  const auto all = static_cast<std::size_t>(parts), p = static_cast<std::size_t>(part);
  const std::size_t each = total / all, more = total % all;
  const std::size_t begin = p * each + std::min(p, more);
  return {begin, begin + each + (p < more ? 1 : 0)};
}

}  // namespace kinema
