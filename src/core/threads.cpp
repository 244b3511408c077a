#include "core/threads.h"

#include <algorithm>
#include <exception>
#include <thread>

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

int usable_cores() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

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
  arena_->arena.execute([&] { tbb::parallel_for(std::size_t{0}, n, work); });
}

std::string_view Threads::built_with() { return "TBB"; }

#else

struct Threads::Arena {
  explicit Arena(int threads) : count(threads) {}
  int count;
};

void Threads::for_each(std::size_t n, const std::function<void(std::size_t)>& work) const {
#if defined(KINEMA_HAVE_OPENMP)
  // an exception may not leave an OpenMP loop
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic) num_threads(arena_->count)
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

Threads::Threads(int count) : arena_(std::make_unique<Arena>(count > 0 ? count : usable_cores())) {}
Threads::~Threads() = default;
Threads::Threads(Threads&&) noexcept = default;
Threads& Threads::operator=(Threads&&) noexcept = default;

int Threads::count() const { return arena_->count; }

}  // namespace kinema
