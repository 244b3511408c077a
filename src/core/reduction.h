// Sums in a fixed order: pairwise, which depends on the number of terms alone and has a smaller rounding error than
// sequential summation.
#pragma once

#include "core/host_device.h"

#include <cstddef>

namespace kinema {

template <class T>
KINEMA_HD inline double pairwise_sum(const T* values, std::size_t count, std::size_t stride = 1) {
  // a binary counter of partial sums: sums[n] holds 2^n terms
  double sums[64];
  std::size_t done = 0;
  for (; done < count; ++done) {
    double sum = static_cast<double>(values[done * stride]);
    std::size_t level = 0;
    for (std::size_t bit = done; bit & 1; bit >>= 1) sum = sums[level++] + sum;
    sums[level] = sum;
  }
  double total = 0;
  std::size_t level = 0;
  for (std::size_t bit = done; bit != 0; bit >>= 1, ++level)
    if (bit & 1) total = sums[level] + total;
  return total;
}

}  // namespace kinema
