// Kernels of blocks of threads, written once for the host and the device. A kernel is a struct of pointers and
// numbers with
//
//   static constexpr int threads = 128;      // of a block on the device
//   std::size_t shared_bytes() const;        // memory that the threads of a block share
//   template <class Block> KINEMA_HD void operator()(Block& block) const;
//   template <class Block> KINEMA_HD void prepare(Block& block) const;    // may be missing
//
// and runs on a grid of blocks that do not depend on each other; the host has written at a place how many of its rows there is
// work for. Threads divide a loop by
//   for (int i = block.thread(); i < count; i += block.threads())
// and meet at block.wait(). block.fetch() begins a copy to the block's memory, and block.wait_fetched() is a block.wait() after
// which all such copies are done. prepare() comes first, and may run before the kernels before this one have ended: it fetches
// what none of them writes, the tables of a model.
//
// A sum has one thread, or a fixed number of strands that are added in a fixed order, so that the result does not depend on how
// many threads there are. On the device most of these loops are entered once or twice: those marked `#pragma unroll 1` are not
// unrolled, which would only be more code. The host runs a block with one thread, which is how the kernels are held against the cpu
// backend where there is no GPU; core/cuda/block_launch.cuh runs it on one.
#pragma once

#include "core/host_device.h"

#include <cmath>
#include <cstddef>
#include <vector>

namespace kinema {

/// A block with one thread.
class SerialBlock {
public:
  SerialBlock(int x, int y, int rows, std::byte* shared) : x_(x), y_(y), rows_(rows), shared_(shared) {}

  int x() const { return x_; }  ///< of the grid
  int y() const { return y_; }
  int rows() const { return rows_; }  ///< of the grid, those for which there is work
  int thread() const { return 0; }
  int threads() const { return 1; }
  static constexpr int lanes = 1;  ///< threads that lie side by side and go together
  void wait() const {}
  template <class T>
  void fetch(const T* from, T* to, int count) const {
    for (int i = 0; i < count; ++i) to[i] = from[i];
  }
  void wait_fetched() const {}

  /// The block's memory from a byte on, which must be aligned for T. Its content is undefined at the start.
  template <class T>
  T* shared(std::size_t from = 0) const {
    return reinterpret_cast<T*>(shared_ + from);
  }

private:
  int x_, y_, rows_;
  std::byte* shared_;
};

/// What a kernel does first, if it has a prepare().
template <class Kernel, class Block>
KINEMA_HD void prepare(const Kernel& kernel, Block& block) {
  if constexpr (requires { kernel.prepare(block); }) kernel.prepare(block);
}

/// Runs the blocks one after the other.
struct SerialLauncher {
  static std::size_t block_bytes() { return static_cast<std::size_t>(-1); }  ///< the most memory of a block

  template <class Kernel>
  void operator()(const Kernel& kernel, int columns, int rows, const int* rows_used) const {
    std::vector<double> memory(kernel.shared_bytes() / sizeof(double) + 2);  // aligned to 16 bytes
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < columns; ++x) {
        SerialBlock block(x, y, *rows_used, reinterpret_cast<std::byte*>(memory.data()));
        prepare(kernel, block);
        kernel(block);
      }
  }
};

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

/// use(load(i), i) likewise, for what lies in the block's memory or in its caches: without the tests that batches need.
template <int unrolled, class Load, class Use>
KINEMA_HD void in_order(int first, int last, int step, const Load& load, const Use& use) {
#pragma unroll unrolled
  for (int i = first; i < last; i += step) use(load(i), i);
}

/// The sum of value(i), in batches.
template <int batch, class Value>
KINEMA_HD double sum_in_batches(int first, int last, int step, const Value& value) {
  double sum = 0;
  in_batches<batch>(first, last, step, value, [&sum](double of, int) { sum += of; });
  return sum;
}

/// add(strand, load(i)) for i = 0, 1, ... below count in batches likewise, in four strands that do not wait for each other's
/// additions. `batch` is a multiple of 4.
template <int batch, class Load, class Add>
KINEMA_HD void in_strands(int count, const Load& load, const Add& add) {
  static_assert(batch % 4 == 0);
#pragma unroll 1
  for (int first = 0; first < count; first += batch) {
    decltype(load(0)) values[batch];
#pragma unroll
    for (int u = 0; u < batch; ++u) values[u] = load(first + u < count ? first + u : first);
#pragma unroll
    for (int u = 0; u < batch; ++u)
      if (first + u < count) add(u % 4, values[u]);
  }
}

/// Row and column of element t of a lower triangle that lies row by row.
struct TrianglePlace {
  int row, column;
};
KINEMA_HD inline TrianglePlace triangle_place(int t) {
  int row = static_cast<int>((std::sqrt(static_cast<float>(8 * t + 1)) - 1) / 2);
  while (row * (row + 1) / 2 > t) --row;
  while ((row + 1) * (row + 2) / 2 <= t) ++row;
  return {row, t - row * (row + 1) / 2};
}

/// Bytes of `count` values, rounded up so that anything may follow.
template <class T>
KINEMA_HD constexpr std::size_t shared_size(int count) {
  return (static_cast<std::size_t>(count) * sizeof(T) + 15) / 16 * 16;
}

/// Divides a block's memory into arrays, one after the other.
template <class Block>
class SharedArrays {
public:
  KINEMA_HD explicit SharedArrays(const Block& block) : block_(block) {}

  template <class T>
  KINEMA_HD T* take(int count) {
    T* array = block_.template shared<T>(bytes_);
    bytes_ += shared_size<T>(count);
    return array;
  }

private:
  const Block& block_;
  std::size_t bytes_ = 0;
};

/// Counts the bytes of such arrays.
class SharedBytes {
public:
  template <class T>
  KINEMA_HD T* take(int count) {
    bytes_ += shared_size<T>(count);
    return nullptr;
  }
  std::size_t bytes() const { return bytes_; }

private:
  std::size_t bytes_ = 0;
};

/// The bytes of the arrays that divide(arrays) takes.
template <class Divide>
std::size_t bytes_taken(const Divide& divide) {
  SharedBytes counted;
  divide(counted);
  return counted.bytes();
}

/// Two kernels that do not depend on each other, in one grid: the first has its first columns, the second one column more.
template <class First, class Second>
struct SideBySide {
  static constexpr int threads = First::threads > Second::threads ? First::threads : Second::threads;
  First first;
  Second second;
  int columns;  ///< of the first

  int blocks() const { return columns + 1; }
  std::size_t shared_bytes() const {
    const std::size_t a = first.shared_bytes(), b = second.shared_bytes();
    return a > b ? a : b;
  }
  template <class Block>
  KINEMA_HD void prepare(Block& block) const {
    if (block.x() < columns)
      kinema::prepare(first, block);
    else
      kinema::prepare(second, block);
  }
  template <class Block>
  KINEMA_HD void operator()(Block& block) const {
    if (block.x() < columns)
      first(block);
    else
      second(block);
  }
};

}  // namespace kinema
