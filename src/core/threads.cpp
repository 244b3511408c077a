#include "core/threads.h"

#include "core/worker.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <fstream>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

#if defined(KINEMA_HAVE_TBB)
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#elif defined(KINEMA_HAVE_OPENMP)
#include <omp.h>
#endif

namespace kinema {

namespace {

// What a container grants of them: more threads than that would only be stopped in turn.
int granted_cores() {
  double quota = 0, period = 0;
  std::ifstream("/sys/fs/cgroup/cpu.max") >> quota >> period;  // "max" leaves both 0
  if (!(quota > 0)) {
    std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") >> quota;
    std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_period_us") >> period;
  }
  return quota > 0 && period > 0 ? static_cast<int>(std::clamp(std::ceil(quota / period), 1.0, 1e6)) : 1000000;
}

}  // namespace

int usable_cores() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::min(CPU_COUNT(&set), granted_cores());
#endif
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

// Threads of its own beside the caller's. Each has a range of the tasks, the same in every call, so that what it used last
// is still in its cache; one that is done takes from the others' ranges, and nobody waits for a thread that is still asleep.
class Threads::Team {
public:
  explicit Team(int count) {
    constexpr std::chrono::microseconds awake(200);
    for (int i = 1; i < count; ++i) workers_.push_back(std::make_unique<Worker>(awake));
  }

  void for_each(std::size_t n, const std::function<void(std::size_t)>& work) {
    if (n < 2 || workers_.empty() || taken_.test_and_set(std::memory_order_acquire)) {
      for (std::size_t i = 0; i < n; ++i) work(i);
      return;
    }
    const auto call = std::make_shared<Call>(n, std::min(n, workers_.size() + 1), work);
    for (std::size_t own = 1; own < call->ranges.size(); ++own)
      workers_[own - 1]->post([call, own] { call->join(own); });
    call->join(0);
    while (call->inside.load() > 0) std::this_thread::yield();
    taken_.clear(std::memory_order_release);
    if (call->failure) std::rethrow_exception(call->failure);
  }

private:
  struct alignas(64) Range {
    std::atomic<std::size_t> next = 0;
    std::size_t end = 0;
  };

  struct Call {
    Call(std::size_t n, std::size_t parts, const std::function<void(std::size_t)>& task) : ranges(parts), work(task) {
      for (std::size_t r = 0; r < parts; ++r) ranges[r].next = n * r / parts, ranges[r].end = n * (r + 1) / parts;
    }

    // A thread that comes late finds no task left, and does not touch `work`, whose owner may be gone.
    void join(std::size_t own) {
      ++inside;
      for (std::size_t k = 0; k < ranges.size(); ++k) {
        Range& range = ranges[(own + k) % ranges.size()];
        for (std::size_t i; (i = range.next++) < range.end;) run(i);
      }
      --inside;
    }

    void run(std::size_t i) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    }

    std::vector<Range> ranges;
    const std::function<void(std::size_t)>& work;
    std::atomic<int> inside = 0;  // threads
    std::mutex mutex;
    std::exception_ptr failure;
  };

  std::vector<std::unique_ptr<Worker>> workers_;
  std::atomic_flag taken_;
};

#if defined(KINEMA_HAVE_TBB)

struct Threads::Arena {
  explicit Arena(int threads) : count(threads), arena(threads) {
    // more threads than cores must be allowed first, or TBB prints a warning
    if (threads > usable_cores())
      allowed = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                      static_cast<std::size_t>(threads));
  }
  int count;
  std::unique_ptr<tbb::global_control> allowed;
  tbb::task_arena arena;  // starts with the first task
};

void Threads::for_each(std::size_t n, const std::function<void(std::size_t)>& work) const {
  if (team_) return team_->for_each(n, work);
  arena_->arena.execute([&] { tbb::parallel_for(std::size_t{0}, n, work); });
}

std::string_view Threads::built_with() { return "TBB"; }

#else

struct Threads::Arena {
  explicit Arena(int threads) : count(threads) {}
  int count;
};

void Threads::for_each(std::size_t n, const std::function<void(std::size_t)>& work) const {
  if (team_) return team_->for_each(n, work);
#if defined(KINEMA_HAVE_OPENMP)
  // all threads of a team meet at its end: no more of them than there are tasks
  const int team = static_cast<int>(std::min(n, static_cast<std::size_t>(arena_->count)));
  // an exception may not leave an OpenMP loop
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic) num_threads(team > 0 ? team : 1)
  for (std::size_t i = 0; i < n; ++i) {
    try {
      work(i);
    } catch (...) {
#pragma omp critical
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
#else
  for (std::size_t i = 0; i < n; ++i) work(i);
#endif
}

#if defined(KINEMA_HAVE_OPENMP)
std::string_view Threads::built_with() { return "OpenMP"; }
#else
std::string_view Threads::built_with() { return "none"; }
#endif

#endif

void Threads::for_ranges(std::size_t n, std::size_t ranges, const std::function<void(std::size_t)>& work) const {
  ranges = std::min(ranges, n);
  if (ranges < 2 || count() < 2) {
    for (std::size_t i = 0; i < n; ++i) work(i);
    return;
  }
  for_each(ranges, [&](std::size_t range) {
    for (std::size_t i = n * range / ranges; i < n * (range + 1) / ranges; ++i) work(i);
  });
}

Threads::Threads(int count, Between between) : arena_(std::make_unique<Arena>(count > 0 ? count : usable_cores())) {
  if (between == Between::awake) team_ = std::make_unique<Team>(arena_->count);
}
Threads::~Threads() = default;
Threads::Threads(Threads&&) noexcept = default;
Threads& Threads::operator=(Threads&&) noexcept = default;

int Threads::count() const { return arena_->count; }

}  // namespace kinema
