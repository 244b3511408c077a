// What parts of a computation tell each other, between threads.
#include "core/meeting.h"

#include "core/device_parts.h"
#include "core/worker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <future>
#include <memory>
#include <numeric>
#include <thread>

namespace kinema {
namespace {

// Runs a part in each of several threads; how many ended because another one failed.
template <class Work>
int run_parts(int parts, Work&& work) {
  Meeting meeting(parts);
  std::atomic<int> ended = 0;
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(parts));
  for (int p = 0; p < parts; ++p) {
    threads.emplace_back([&, p] {
      try {
        work(meeting.exchange(p));
      } catch (const MeetingEnded&) {
        ++ended;
      } catch (const std::runtime_error&) {
        meeting.end();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return ended;
}

constexpr int counts[] = {1, 2, 3, 4, 7};

TEST(Slices, AreContiguousAndOfNearlyEqualSize) {
  for (int parts : counts) {
    for (std::size_t total : {0, 1, 3, 7, 100}) {
      std::size_t end = 0;
      for (int p = 0; p < parts; ++p) {
        const Slice slice = slice_of(total, p, parts);
        EXPECT_EQ(slice.begin, end);
        EXPECT_LE(slice.size(), total / static_cast<std::size_t>(parts) + 1);
        for (std::size_t i = slice.begin; i < slice.end; ++i) EXPECT_EQ(owner_of(i, total, parts), p);
        end = slice.end;
      }
      EXPECT_EQ(end, total);
    }
  }
}

TEST(Meeting, GathersTheSlicesOfAll) {
  for (int parts : counts) {
    run_parts(parts, [](Exchange& exchange) {
      for (std::size_t total : {2, 5, 1000}) {
        std::vector<int> numbers(total, -1);
        const Slice own = exchange.own(total);
        std::iota(&numbers[0] + own.begin, &numbers[0] + own.end, static_cast<int>(own.begin));
        exchange.gather({numbers.data(), total, sizeof(int)});
        for (std::size_t i = 0; i < total; ++i) ASSERT_EQ(numbers[i], static_cast<int>(i));
      }
    });
  }
}

// Memory of a device, as far as an exchange can tell.
class DeviceTransfer final : public Transfer {
public:
  void copy(void* to, const void* from, std::size_t bytes) override { host_transfer().copy(to, from, bytes); }
  void wait() override {}
  bool host() const override { return false; }
};

// A device that does what it is asked later, in its own thread.
class LateTransfer final : public Transfer {
public:
  void ask(std::function<void()> work) { device_.post(std::move(work)); }
  void copy(void* to, const void* from, std::size_t bytes) override {
    ask([=] { std::memcpy(to, from, bytes); });
  }
  void wait() override { device_.wait(); }
  bool host() const override { return false; }

  void mark(int which) override {
    auto reached = std::make_shared<std::promise<void>>();
    marks_[which] = reached->get_future();
    ask([reached] { reached->set_value(); });
  }
  void follow(const Transfer& other, int which) override {
    ask([reached = static_cast<const LateTransfer&>(other).marks_[which]] { reached.wait(); });
  }
  bool reads(const Transfer&) const override { return direct; }

  std::atomic<bool> direct = false;  // a late part may still ask

private:
  std::shared_future<void> marks_[2];
  Worker device_;
};

// A transfer that takes its time before it follows others, which must be of its own kind.
class SlowTransfer final : public Transfer {
public:
  void copy(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void wait() override {}
  bool host() const override { return false; }
  void mark(int) override {}
  void follow(const Transfer& other, int) override {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    if (dynamic_cast<const SlowTransfer*>(&other) == nullptr) ++others;
  }

  int others = 0;
};

TEST(Meeting, WhoIsLateFollowsTheTransfersOfItsOwnExchange) {
  run_parts(4, [](Exchange& exchange) {
    std::vector<int> numbers(8, exchange.part());
    SlowTransfer slow;
    for (int round = 0; round < 20; ++round) {
      exchange.gather({numbers.data(), numbers.size(), sizeof(int)}, slow);
      exchange.gather({numbers.data(), numbers.size(), sizeof(int)});
    }
    EXPECT_EQ(slow.others, 0);
    exchange.gather({numbers.data(), numbers.size(), sizeof(int)});  // nobody needs `slow` any more
  });
}

// Waits until all parts have read what they let each other, and this one has.
void rest(Exchange& exchange, LateTransfer& device) {
  exchange.settle(device);
  device.wait();
  // a late one may still ask for the mark of this one
  int any = 0;
  exchange.broadcast(&any, sizeof any, 0);
}

TEST(Meeting, DevicesReadWhatWasWrittenAndWriteAgainWhenItWasRead) {
  for (int parts : counts) {
    run_parts(parts, [](Exchange& exchange) {
      constexpr std::size_t total = 50;
      constexpr int rounds = 40;
      std::vector<int> numbers(total, -1);
      const Slice own = exchange.own(total);
      std::size_t wrong = 0;
      LateTransfer device;
      for (int round = 0; round < rounds; ++round) {
        device.ask([&, round] { std::fill(&numbers[0] + own.begin, &numbers[0] + own.end, round); });
        exchange.gather({numbers.data(), total, sizeof(int)}, device);
        device.ask([&, round] {
          wrong += total - static_cast<std::size_t>(std::count(numbers.begin(), numbers.end(), round));
        });
        exchange.settle(device);
      }
      rest(exchange, device);
      EXPECT_EQ(wrong, 0u);
    });
  }
}

TEST(Meeting, TwoArraysInTurnNeedNoSettling) {
  for (int parts : counts) {
    run_parts(parts, [](Exchange& exchange) {
      constexpr std::size_t total = 50;
      constexpr int rounds = 40;
      std::vector<int> numbers[2] = {std::vector<int>(total, -1), std::vector<int>(total, -1)};
      const Slice own = exchange.own(total);
      std::size_t wrong = 0;
      LateTransfer device;
      for (int round = 0; round < rounds; ++round) {
        std::vector<int>& these = numbers[round % 2];
        device.ask([&, round] { std::fill(&these[0] + own.begin, &these[0] + own.end, round); });
        exchange.gather({these.data(), total, sizeof(int)}, device);
        device.ask(
            [&, round] { wrong += total - static_cast<std::size_t>(std::count(these.begin(), these.end(), round)); });
      }
      rest(exchange, device);
      EXPECT_EQ(wrong, 0u);
    });
  }
}

TEST(Meeting, DevicesThatReachEachOtherShareTheirArrays) {
  run_parts(3, [](Exchange& exchange) {
    std::vector<int> numbers(3, exchange.part());
    LateTransfer device;
    EXPECT_TRUE(exchange.share(numbers.data(), device).empty()) << "they cannot";
    device.direct = true;
    const std::vector<const void*> all = exchange.share(numbers.data(), device);
    ASSERT_EQ(all.size(), 3u);
    for (int p = 0; p < 3; ++p) EXPECT_EQ(*static_cast<const int*>(all[static_cast<std::size_t>(p)]), p);
    const std::vector<int> order = {2, 1, 0};
    exchange.count_fetched(order, sizeof(int));
    EXPECT_EQ(exchange.bytes(), 2 * sizeof(int));
    rest(exchange, device);
  });
}

class MeetingFetch : public testing::TestWithParam<bool> {};

TEST_P(MeetingFetch, BringsWhatAPartNeedsAndCountsIt) {
  for (int parts : counts) {
    run_parts(parts, [](Exchange& exchange) {
      DeviceTransfer device;
      Transfer& transfer = GetParam() ? static_cast<Transfer&>(device) : host_transfer();
      constexpr std::size_t total = 50;
      std::vector<double> numbers(total, -1);
      const Slice own = exchange.own(total);
      for (std::size_t i = own.begin; i < own.end; ++i) numbers[i] = static_cast<double>(i);
      // all continue the last three: every other part gets those three
      std::vector<int> order(total);
      for (std::size_t j = 0; j < total; ++j) order[j] = static_cast<int>(total - 1 - j % 3);
      exchange.fetch({numbers.data(), total, sizeof(double)}, order, transfer);
      for (std::size_t j = own.begin; j < own.end; ++j)
        ASSERT_EQ(numbers[static_cast<std::size_t>(order[j])], order[j]);
      EXPECT_EQ(exchange.bytes(), 3 * sizeof(double) * static_cast<std::size_t>(exchange.parts() - 1));
      // all stay: nothing moves
      for (std::size_t i = own.begin; i < own.end; ++i) ASSERT_EQ(numbers[i], static_cast<double>(i)) << "its own stay";
      std::iota(order.begin(), order.end(), 0);
      const std::uint64_t before = exchange.bytes();
      exchange.fetch({numbers.data(), total, sizeof(double)}, order);
      EXPECT_EQ(exchange.bytes(), before);
      // from all over
      for (std::size_t j = 0; j < total; ++j) order[j] = static_cast<int>(j * 17 % total);
      exchange.fetch({numbers.data(), total, sizeof(double)}, order, transfer);
      for (std::size_t j = own.begin; j < own.end; ++j) {
        ASSERT_EQ(numbers[static_cast<std::size_t>(order[j])], order[j]);
      }
      // others may still be reading
      int any = 0;
      exchange.broadcast(&any, sizeof any, 0);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Memory, MeetingFetch, testing::Bool(),
                         [](const auto& device) { return device.param ? "device" : "host"; });

TEST(Meeting, SumsInTheOrderOfTheItems) {
  std::vector<double> numbers;
  numbers.reserve(100);
  for (int i = 0; i < 100; ++i) numbers.push_back(1 / (1.0 + i));
  const double expected = std::accumulate(numbers.begin(), numbers.end(), 0.0);
  for (int parts : counts) {
    run_parts(parts, [&](Exchange& exchange) {
      const Slice own = exchange.own(numbers.size());
      double sum = 0;
      exchange.sum_in_turn({&sum, 1}, [&] {
        for (std::size_t i = own.begin; i < own.end; ++i) sum += numbers[i];
      });
      EXPECT_EQ(sum, expected) << "to the bit";
    });
  }
}

TEST(Meeting, BroadcastsFromAnyPart) {
  run_parts(4, [](Exchange& exchange) {
    for (int from = 0; from < 4; ++from) {
      int number = exchange.part();
      exchange.broadcast(&number, sizeof number, from);
      EXPECT_EQ(number, from);
    }
  });
}

TEST(Meeting, APartThatFailsEndsTheWaitOfTheOthers) {
  const int ended = run_parts(4, [](Exchange& exchange) {
    if (exchange.part() == 2) throw std::runtime_error("lost");
    double number = 0;
    for (;;) exchange.broadcast(&number, sizeof number, 0);
  });
  EXPECT_EQ(ended, 3);
}

// Host memory that is read by a function of the test.
class ReadTransfer final : public Transfer {
public:
  explicit ReadTransfer(std::function<void()> read) : read_(std::move(read)) {}
  void copy(void* to, const void* from, std::size_t bytes) override {
    read_();
    std::memcpy(to, from, bytes);
  }
  void wait() override {}
  bool host() const override { return true; }

private:
  std::function<void()> read_;
};

// Part 0 fails while it reads, part 1 has read and waits, part 2 is still reading their data.
TEST(Meeting, NobodyLeavesAFailedExchangeWhileItsDataAreRead) {
  for (const int watched : {0, 1}) {
    std::atomic<bool> reading = false, left = false;
    run_parts(3, [&](Exchange& exchange) {
      const int part = exchange.part();
      const auto leave = [&](void*) {
        if (part == watched) left = true;
      };
      const std::unique_ptr<void, decltype(leave)> data_are_gone(&reading, leave);
      std::vector<int> numbers(3, part);
      ReadTransfer transfer([&] {
        if (part == 0) {
          reading.wait(false);
          throw std::runtime_error("lost");
        }
        if (part != 2) return;
        reading = true;
        reading.notify_all();
        // the others get as much time as they need to leave
        for (int look = 0; look < 10000 && !left; ++look) std::this_thread::yield();
        EXPECT_FALSE(left) << "part " << watched;
      });
      exchange.gather({numbers.data(), numbers.size(), sizeof(int)}, transfer);
    });
    EXPECT_TRUE(left) << "part " << watched;
  }
}

TEST(Worker, DropsWhatFollowsAFailureUntilItIsWaitedFor) {
  Worker worker;
  int done = 0;
  worker.post([&] { ++done; });
  worker.post([] { throw std::runtime_error("no"); });
  worker.post([&] { ++done; });
  EXPECT_TRUE(worker.wait());
  EXPECT_EQ(done, 1);
  worker.post([&] { ++done; });
  EXPECT_FALSE(worker.wait());
  EXPECT_EQ(done, 2);
}

TEST(Devices, AreParsedAndNamedWhereTheyAreMissing) {
  EXPECT_EQ(parse_devices("0,2,0"), (std::vector<int>{0, 2, 0}));
  EXPECT_EQ(parse_devices("all").size(), gpus().size());
  for (const char* wrong : {"", "gpu", "0,", ",1", "-1", "0 1", "99999999999"})
    EXPECT_THROW(parse_devices(wrong), Error);
  EXPECT_NO_THROW(check_devices({0, 1, 2}, Backend::cpu));
  try {
    check_devices({0, 4096}, Backend::cuda);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("there is no GPU"), std::string::npos);
  }
}

struct Fake {
  int device;
};

TEST(DeviceParts, AFailedDeviceIsNamedOnceAndLeftOut) {
  std::vector<std::string> lines;
  const auto losses = std::make_shared<DeviceLosses>([&](const std::string& line) { lines.push_back(line); });
  DeviceParts<Fake> parts({5, 6, 7}, losses);
  parts.make([](int device, int, int) { return std::make_unique<Fake>(Fake{device}); });
  ASSERT_TRUE(parts.wait());
  parts.each([](Fake& fake, int) {
    if (fake.device == 6) throw DeviceFailure("GPU 6 failed while counting: out of memory");
  });
  EXPECT_FALSE(parts.wait());
  EXPECT_EQ(parts.count(), 2);
  EXPECT_EQ(parts.device(1), 7);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0], "GPU 6 failed while counting: out of memory; the others take its part (2 left)");
  // what is made later leaves it out from the start
  EXPECT_EQ(DeviceParts<Fake>({5, 6, 7}, losses).count(), 2);
}

TEST(DeviceParts, WithoutLeaveToGoOnAFailureIsAnError) {
  DeviceParts<Fake> parts({0, 1}, nullptr);
  parts.make([](int device, int, int) { return std::make_unique<Fake>(Fake{device}); });
  parts.each([](Fake& fake, int) {
    if (fake.device == 1) throw DeviceFailure("GPU 1 failed");
  });
  EXPECT_THROW(parts.wait(), DeviceFailure);
}

}  // namespace
}  // namespace kinema
