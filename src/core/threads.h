// Runs tasks on several threads: oneTBB, OpenMP where TBB is not built in, else one thread. Work is divided by index,
// never by time, so results that are written by index do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

namespace kinema {

/// The cores that this process may use; fewer than the machine has in a container or a batch job.
int usable_cores();

class Threads {
public:
  /// What threads do between two calls: to wake one takes some ten microseconds, as long as a short task. Those that stay
  /// awake for a while after each are for calls in quick succession; one call is divided at a time, others run on their caller.
  enum class Between { asleep, awake };

  /// At most `count` threads; 0: one per usable core.
  explicit Threads(int count = 0, Between between = Between::asleep);
  ~Threads();
  Threads(Threads&&) noexcept;
  Threads& operator=(Threads&&) noexcept;

  int count() const;

  /// Calls work(i) for every i below n, in any order, and returns when all are done. Rethrows an exception of any of
  /// them.
  void for_each(std::size_t n, const std::function<void(std::size_t)>& work) const;

  /// The same in at most `ranges` ranges of successive i, and so on at most as many threads: for work of which one task is
  /// not worth waking a thread.
  void for_ranges(std::size_t n, std::size_t ranges, const std::function<void(std::size_t)>& work) const;

  /// The backend that is built in: "TBB", "OpenMP" or "none".
  static std::string_view built_with();

private:
  struct Arena;
  class Team;
  std::unique_ptr<Arena> arena_;
  std::unique_ptr<Team> team_;  // if they stay awake
};

/// work(first, last) on successive ranges of `size`, one for each thread; all of it at once without threads.
template <class Work>
void in_parts(const Threads* threads, std::size_t size, const Work& work) {
  const std::size_t parts = threads != nullptr ? std::min(size, static_cast<std::size_t>(threads->count())) : 1;
  if (parts < 2) return work(std::size_t{0}, size);
  threads->for_each(parts, [&](std::size_t p) { work(p * size / parts, (p + 1) * size / parts); });
}

}  // namespace kinema
