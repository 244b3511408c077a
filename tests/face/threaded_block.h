// A block with several threads on the host, so that work of core/thread_block.h shows races and missing barriers where there
// is no GPU: to the thread sanitizer, and by results that depend on the number of threads.
#pragma once

#include "core/thread_block.h"

#include <barrier>
#include <cstddef>
#include <cstring>
#include <thread>
#include <vector>

namespace kinema {

class ThreadedBlock {
public:
  ThreadedBlock(int x, int y, int rows, int thread, int threads, std::byte* shared, std::barrier<>& barrier)
      : x_(x), y_(y), rows_(rows), thread_(thread), threads_(threads), shared_(shared), barrier_(barrier) {}

  int x() const { return x_; }
  int y() const { return y_; }
  int rows() const { return rows_; }
  int thread() const { return thread_; }
  int threads() const { return threads_; }
  static constexpr int lanes = 1;
  void wait() const { barrier_.arrive_and_wait(); }
  template <class T>
  void fetch(const T* from, T* to, int count) const {
    for (int i = thread_; i < count; i += threads_) to[i] = from[i];
  }
  void wait_fetched() const { wait(); }
  template <class T>
  T* shared(std::size_t from = 0) const {
    return reinterpret_cast<T*>(shared_ + from);
  }

private:
  int x_, y_, rows_, thread_, threads_;
  std::byte* shared_;
  std::barrier<>& barrier_;
};

/// Runs the blocks one after the other. A block's memory starts as NaNs, which show where it is read before it is written.
struct ThreadedLauncher {
  int threads = 3;

  static std::size_t block_bytes() { return static_cast<std::size_t>(-1); }

  template <class Kernel>
  void operator()(const Kernel& kernel, int columns, int rows, const int* rows_used) const {
    std::vector<double> memory(kernel.shared_bytes() / sizeof(double) + 2);
    auto* shared = reinterpret_cast<std::byte*>(memory.data());
    std::barrier<> barrier(threads);
    const auto run = [&](int thread) {
      for (int y = 0; y < rows; ++y)
        for (int x = 0; x < columns; ++x) {
          if (thread == 0) std::memset(shared, 0xff, memory.size() * sizeof(double));
          barrier.arrive_and_wait();
          ThreadedBlock block(x, y, *rows_used, thread, threads, shared, barrier);
          prepare(kernel, block);
          kernel(block);
          barrier.arrive_and_wait();
        }
    };
    std::vector<std::jthread> others;
    for (int t = 1; t < threads; ++t) others.emplace_back(run, t);
    run(0);
  }
};

}  // namespace kinema
