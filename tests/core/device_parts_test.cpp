// The division of work: slices, workers, devices that fail, and how they are named.
#include "core/device_parts.h"
#include "core/slice.h"
#include "core/worker.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

namespace kinema {
namespace {

TEST(Slices, AreContiguousAndOfNearlyEqualSize) {
  for (int parts : {1, 2, 3, 4, 7}) {
    for (std::size_t total : {0, 1, 3, 7, 100}) {
      std::size_t end = 0;
      for (int p = 0; p < parts; ++p) {
        const Slice slice = slice_of(total, p, parts);
        EXPECT_EQ(slice.begin, end);
        EXPECT_LE(slice.size(), total / static_cast<std::size_t>(parts) + 1);
        end = slice.end;
      }
      EXPECT_EQ(end, total);
    }
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
  parts.make([](int device) { return std::make_unique<Fake>(Fake{device}); });
  ASSERT_TRUE(parts.wait());
  parts.each([](Fake& fake, int) {
    if (fake.device == 6) throw DeviceFailure("GPU 6 failed while counting: out of memory");
  });
  EXPECT_FALSE(parts.wait());
  EXPECT_EQ(parts.count(), 2);
  EXPECT_EQ(parts[1].device, 7);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0], "GPU 6 failed while counting: out of memory; the others take its part (2 left)");
  // what is made later leaves it out from the start
  EXPECT_EQ(DeviceParts<Fake>({5, 6, 7}, losses).count(), 2);
}

TEST(DeviceParts, WithoutLeaveToGoOnAFailureIsAnError) {
  DeviceParts<Fake> parts({0, 1}, nullptr);
  parts.make([](int device) { return std::make_unique<Fake>(Fake{device}); });
  parts.each([](Fake& fake, int) {
    if (fake.device == 1) throw DeviceFailure("GPU 1 failed");
  });
  EXPECT_THROW(parts.wait(), DeviceFailure);
}

}  // namespace
}  // namespace kinema
