#include "core/worker.h"

#include <utility>

namespace kinema {

Worker::Worker(std::chrono::microseconds spinning) : spinning_(spinning), thread_([this] { run(); }) {}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Worker::post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    ++unfinished_;
  }
  changed_.notify_all();
}

void Worker::spin(bool until_empty) const {
  const auto end = std::chrono::steady_clock::now() + spinning_;
  while ((unfinished_.load(std::memory_order_acquire) == 0) != until_empty && std::chrono::steady_clock::now() < end)
    continue;
}

std::exception_ptr Worker::wait() {
  spin(true);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return tasks_.empty() && !busy_; });
  return std::exchange(failure_, nullptr);
}

void Worker::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (spinning_.count() > 0 && tasks_.empty() && !ending_) {
      lock.unlock();
      spin(false);
      lock.lock();
    }
    changed_.wait(lock, [&] { return ending_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    if (failure_) {
      --unfinished_;
      if (tasks_.empty()) changed_.notify_all();
      continue;
    }
    busy_ = true;
    lock.unlock();
    std::exception_ptr failure;
    try {
      task();
    } catch (...) {
      failure = std::current_exception();
    }
    task = nullptr;  // what it holds is released in this thread
    lock.lock();
    busy_ = false;
    --unfinished_;
    if (failure) failure_ = failure;
    if (tasks_.empty()) changed_.notify_all();
  }
}

}  // namespace kinema
