#include "core/threads.h"

#include <gtest/gtest.h>

#if defined(__linux__)
#include <sched.h>
#endif

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace kinema {
namespace {

TEST(Threads, VisitEveryIndexOnce) {
  for (int count : {1, 2, 3, 8}) {
    std::vector<std::atomic<int>> visits(1000);
    Threads(count).for_each(visits.size(), [&](std::size_t i) { ++visits[i]; });
    for (const auto& v : visits) EXPECT_EQ(v, 1);
  }
}

TEST(Threads, ThatStayAwakeVisitEveryIndexOnceInEachOfManyShortCalls) {
  for (int count : {1, 2, 3, 8}) {
    const Threads threads(count, Threads::Between::awake);
    std::vector<std::atomic<int>> visits(7);
    for (int call = 0; call < 2000; ++call) threads.for_each(visits.size(), [&](std::size_t i) { ++visits[i]; });
    for (const auto& v : visits) EXPECT_EQ(v, 2000);
  }
}

TEST(Threads, ThatStayAwakeTakeCallsWithinCallsAndFromOtherThreads) {
  const Threads threads(3, Threads::Between::awake);
  std::atomic<int> visits = 0;
  const auto work = [&] {
    for (int call = 0; call < 200; ++call)
      threads.for_each(5, [&](std::size_t) { threads.for_each(4, [&](std::size_t) { ++visits; }); });
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_EQ(visits, 2 * 200 * 5 * 4);
}

TEST(Threads, ThatStayAwakeHandOnWhatTheWorkThrowsAndGoOn) {
  const Threads threads(3, Threads::Between::awake);
  for (int call = 0; call < 50; ++call) {
    EXPECT_THROW(threads.for_each(20,
                                  [](std::size_t i) {
                                    if (i % 7 == 3) throw std::runtime_error("3");
                                  }),
                 std::runtime_error);
    std::atomic<int> visits = 0;
    threads.for_each(20, [&](std::size_t) { ++visits; });
    EXPECT_EQ(visits, 20);
  }
}

TEST(Threads, OfNothingDoNothing) {
  Threads().for_each(0, [](std::size_t) { FAIL(); });
}

TEST(Threads, HandOnWhatTheWorkThrows) {
  EXPECT_THROW(Threads(2).for_each(100,
                                   [](std::size_t i) {
                                     if (i == 57) throw std::runtime_error("57");
                                   }),
               std::runtime_error);
}

TEST(Threads, TakeRangesOfSuccessiveTasks) {
  for (const int count : {1, 3})
    for (const std::size_t ranges : {0u, 1u, 2u, 7u, 1000u, 5000u}) {
      std::vector<std::atomic<int>> visits(1000);
      Threads(count).for_ranges(visits.size(), ranges, [&](std::size_t i) { ++visits[i]; });
      for (const auto& v : visits) EXPECT_EQ(v, 1);
    }
}

TEST(Threads, AreAtLeastOne) {
  EXPECT_GE(Threads(0).count(), 1);
  EXPECT_EQ(Threads(3).count(), 3);
}

#if defined(__linux__)
TEST(Threads, KeepToTheCoresThatTheProcessMayUse) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  int core = 0;
  while (!CPU_ISSET(core, &before)) ++core;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(usable_cores(), 1);
  EXPECT_EQ(Threads().count(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_LE(usable_cores(), CPU_COUNT(&before));  // a container may grant fewer
}
#endif

}  // namespace
}  // namespace kinema
