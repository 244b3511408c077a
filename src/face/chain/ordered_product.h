// A matrix times a vector in single precision, in an order that SIMD of any width and any number of threads can keep: a row
// is divided into segments, a segment into 32 strands of every 32nd value. The cascade gives the same bits on every CPU and
// on the device.
#pragma once

#include "core/host_device.h"
#include "core/threads.h"
#include "face/chain/fit_batch.h"

#include <span>

namespace kinema::face {

inline constexpr int product_strands = 32;

/// The strands of a segment, added.
KINEMA_HD inline float sum_of_strands(const float* strands) {
  float sum = 0;
  for (int s = 0; s < product_strands; ++s) sum += strands[s];
  return sum;
}

/// out = matrix * vector, on the host. `threads`: to divide the rows among; null: the caller only.
void ordered_product(const Matrix& matrix, std::span<const float> vector, std::span<float> out,
                     const Threads* threads = nullptr);

}  // namespace kinema::face
