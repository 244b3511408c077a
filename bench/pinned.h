// One core for a thread that is timed: serial programs otherwise wander between cores of different clocks and caches.
#pragma once

#ifdef __linux__
#include <sched.h>
#endif

namespace kinema::bench {

/// Keeps the calling thread on the core where it is, until the end of the scope. Threads that it starts meanwhile inherit that.
class Pinned {
public:
#ifdef __linux__
  Pinned() {
    if (sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
    held_ = sched_setaffinity(0, sizeof one, &one) == 0;
  }
  ~Pinned() {
    if (held_) sched_setaffinity(0, sizeof before_, &before_);
  }

private:
  cpu_set_t before_{};
  bool held_ = false;

public:
#else
  Pinned() {}
#endif
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
};

}  // namespace kinema::bench
