// A thread that is kept for tasks one after another, such as the calls of one device: CUDA's current device belongs to a
// thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace kinema {

class Worker {
public:
  /// `spinning`: for how long a thread that waits for another looks for it before it sleeps, since to be woken takes some ten
  /// microseconds; for machines with cores to spare.
  explicit Worker(std::chrono::microseconds spinning = {});
  /// Finishes the posted tasks.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Tasks run one after another, in this order. After one that throws, the others until the next wait() are dropped.
  void post(std::function<void()> task);

  /// Until all are done. Returns what one of them has thrown, or nothing.
  std::exception_ptr wait();

private:
  void run();
  // Until there are tasks, or there are none, or it takes long.
  void spin(bool until_empty) const;

  const std::chrono::microseconds spinning_;
  std::atomic<int> unfinished_ = 0;  // tasks
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::exception_ptr failure_;
  bool busy_ = false, ending_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace kinema
