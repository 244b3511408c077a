// A thread that is kept for the calls of one device: CUDA's current device belongs to a thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace kinema {

class Worker {
public:
  Worker();
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

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::exception_ptr failure_;
  bool busy_ = false, ending_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace kinema
