// Work that a block of threads does together, written once for the host and the device. A work is a struct of pointers and
// numbers with
//
//   static constexpr int threads = 128;      // of a block on the device
//   std::size_t shared_bytes() const;        // memory that the threads of a block share
//   template <class Block> KINEMA_HD void operator()(Block& block) const;
//
// and runs on a grid of blocks that do not depend on each other. Threads divide a loop by
//   for (int i = block.thread(); i < count; i += block.threads())
// and meet at block.wait(). block.fetch() begins a copy to the block's memory, and block.wait_fetched() is a block.wait() after
// which all such copies are done. A sum has one thread, or a fixed number of strands that are added in a fixed order, so that the
// result does not depend on how many threads there are. On the device most of these loops are entered once or twice: those
// marked `#pragma unroll 1` are not unrolled, which would only be more code. The host runs a block with one thread, which is how the work is held against the cpu backend where there
// is no GPU; core/cuda/block_launch.cuh runs it on one.
#pragma once

#include "core/host_device.h"

#include <cstddef>
#include <vector>

namespace kinema {

/// A block with one thread.
class SerialBlock {
public:
  SerialBlock(int x, int y, std::byte* shared) : x_(x), y_(y), shared_(shared) {}

  int x() const { return x_; }  ///< of the grid
  int y() const { return y_; }
  int thread() const { return 0; }
  int threads() const { return 1; }
  void wait() const {}
  template <class T>
  void fetch(const T* from, T* to) const {
    *to = *from;
  }
  void wait_fetched() const {}

  /// The block's memory from a byte on, which must be aligned for T. Its content is undefined at the start.
  template <class T>
  T* shared(std::size_t from = 0) const {
    return reinterpret_cast<T*>(shared_ + from);
  }

private:
  int x_, y_;
  std::byte* shared_;
};

/// Runs the blocks one after the other.
struct SerialLauncher {
  template <class Work>
  void operator()(const Work& work, int columns, int rows) const {
    std::vector<double> memory(work.shared_bytes() / sizeof(double) + 2);  // aligned to 16 bytes
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < columns; ++x) {
        SerialBlock block(x, y, reinterpret_cast<std::byte*>(memory.data()));
        work(block);
      }
  }
};

/// Begins to copy from memory to the block's own; after block.wait_fetched(), all threads see it. A device waits once for all
/// that is fetched.
template <class Block, class T>
KINEMA_HD void fetch(Block& block, const T* from, T* to, int count) {
  for (int i = block.thread(); i < count; i += block.threads()) block.fetch(from + i, to + i);
}

/// use(load(i), i) for i = first, first + step, ... below last, in this order, but `batch` of them are loaded together: a device
/// waits for memory once for all of them. In the last batch, what is missing is loaded from `first` and not used.
template <int batch, class Load, class Use>
KINEMA_HD void in_batches(int first, int last, int step, const Load& load, const Use& use) {
#pragma unroll 1
  for (; first < last; first += batch * step) {
    decltype(load(0)) values[batch];
#pragma unroll
    for (int u = 0; u < batch; ++u) values[u] = load(first + u * step < last ? first + u * step : first);
#pragma unroll
    for (int u = 0; u < batch; ++u)
      if (first + u * step < last) use(values[u], first + u * step);
  }
}

/// The sum of value(i), likewise.
template <int batch, class Value>
KINEMA_HD double sum_in_batches(int first, int last, int step, const Value& value) {
  double sum = 0;
  in_batches<batch>(first, last, step, value, [&sum](double of, int) { sum += of; });
  return sum;
}

/// The same in four strands, which do not wait for each other's additions. `batch` is a multiple of 4.
template <int batch, class Value>
KINEMA_HD double sum_in_strands(int first, int last, int step, const Value& value) {
  static_assert(batch % 4 == 0);
  double sums[4] = {0, 0, 0, 0};
#pragma unroll 1
  for (; first < last; first += batch * step) {
    double values[batch];
#pragma unroll
    for (int u = 0; u < batch; ++u) values[u] = value(first + u * step < last ? first + u * step : first);
#pragma unroll
    for (int u = 0; u < batch; ++u)
      if (first + u * step < last) sums[u % 4] += values[u];
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// Bytes of `count` values, rounded up so that anything may follow.
template <class T>
KINEMA_HD constexpr std::size_t shared_size(int count) {
  return (static_cast<std::size_t>(count) * sizeof(T) + 15) / 16 * 16;
}

}  // namespace kinema
