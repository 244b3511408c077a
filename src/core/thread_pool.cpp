#include "core/thread_pool.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace kinema {
namespace {

thread_local const ThreadPool* working_for = nullptr;

// Loops follow one another within microseconds, which is less than it takes to wake a thread; longer than this it sleeps.
constexpr int looks_before_sleep = 50;

}  // namespace

struct ThreadPool::Loop {
  Loop(std::size_t count_, const std::function<void(std::size_t)>& work_) : count(count_), work(work_) {}

  const std::size_t count;
  const std::function<void(std::size_t)>& work;  // the caller's: there until all tasks are done
  std::atomic<std::size_t> next{0}, done{0};
  std::mutex mutex;
  std::exception_ptr failure;
};

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    ++begun_;
  }
  changed_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::take_part(Loop& loop) const {
  const ThreadPool* before = std::exchange(working_for, this);
  for (std::size_t i = loop.next++; i < loop.count; i = loop.next++) {
    try {
      loop.work(i);
    } catch (...) {
      const std::lock_guard lock(loop.mutex);
      if (!loop.failure) loop.failure = std::current_exception();
    }
    if (++loop.done == loop.count) loop.done.notify_all();
  }
  working_for = before;
}

void ThreadPool::run(std::size_t n, const std::function<void(std::size_t)>& work) {
  if (n < 2 || most_workers_ == 0 || working_for == this) {
    for (std::size_t i = 0; i < n; ++i) work(i);
    return;
  }
  const auto loop = std::make_shared<Loop>(n, work);
  const std::size_t helpers = std::min(most_workers_, n - 1);
  {
    const std::lock_guard lock(mutex_);
    while (workers_.size() < helpers) workers_.emplace_back([this] { serve(); });
    loops_.push_back(loop);
    ++begun_;
  }
  for (std::size_t i = 0; i < helpers; ++i) changed_.notify_one();
  take_part(*loop);
  {
    const std::lock_guard lock(mutex_);
    std::erase(loops_, loop);
  }
  for (std::size_t done = loop->done; done < n; done = loop->done) loop->done.wait(done);
  if (loop->failure) std::rethrow_exception(loop->failure);
}

// One that has tasks left, or null at the end.
std::shared_ptr<ThreadPool::Loop> ThreadPool::next_loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    for (const std::shared_ptr<Loop>& loop : loops_)
      if (loop->next < loop->count) return loop;
    if (ending_) return nullptr;
    const std::uint64_t seen = begun_;
    lock.unlock();
    for (int look = 0; look < looks_before_sleep && begun_ == seen; ++look) std::this_thread::yield();
    lock.lock();
    changed_.wait(lock, [&] { return begun_ != seen; });
  }
}

void ThreadPool::serve() {
  while (const std::shared_ptr<Loop> loop = next_loop()) take_part(*loop);
}

}  // namespace kinema
