// Threads that share the tasks of a loop, for builds without TBB. The caller works too and waits only for tasks that have
// begun: a thread that gets no core in time is not waited for, as at a barrier of all threads, where on a busy machine the
// slowest to arrive would set the pace of every loop.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace kinema {

class ThreadPool {
public:
  /// With the caller of run() there are `threads`. They start with the first loop that is worth one.
  explicit ThreadPool(int threads) : most_workers_(threads > 1 ? static_cast<std::size_t>(threads - 1) : 0) {}
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// work(i) for every i below n. Rethrows what one of them throws, after the others. Within the work of a loop of this pool,
  /// another loop runs on the same thread. May be called by several threads at once.
  void run(std::size_t n, const std::function<void(std::size_t)>& work);

private:
  struct Loop;

  void serve();
  void take_part(Loop& loop) const;
  std::shared_ptr<Loop> next_loop();

  std::size_t most_workers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Loop>> loops_;
  std::atomic<std::uint64_t> begun_{0};  // loops
  bool ending_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace kinema
