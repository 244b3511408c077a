// Live and recorded sources behind one seam: which frames are returned, which are late, and what happens where a source
// disappears.
#include "io/recordings/raw_recording.h"

#include "io/sources/reopening_source.h"
#include "kinema/backend.h"
#include "kinema/error.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>

namespace kinema::io {
namespace {

using namespace std::chrono_literals;

constexpr int width = 4, height = 3;

RawFormat format(bool live) {
  RawFormat format;
  format.camera.file = {{width, height, 4, 4, 2, 1.5}, 30, 0.001, 0, {}};
  format.live = format.reopens = live;
  format.name = "test:";
  return format;
}

RawFrame frame_at(double time, std::uint16_t units = 1000) {
  RawFrame frame;
  frame.time = time;
  frame.depth = {width, height, std::vector<std::uint16_t>(width * height, units)};
  return frame;
}

// What a test lets a camera do; each source opened takes from the same script.
class Script {
public:
  enum class Step { frame, fail, end };

  void add(RawFrame frame) { push({Step::frame, std::move(frame)}); }
  void fail() { push({Step::fail, {}}); }
  void end() { push({Step::end, {}}); }

  // Returns when all was taken, and the source has been asked for more: what it delivered before is then stored.
  void wait_until_taken() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return steps_.empty() && waiting_; });
  }

  RawSource::Got take(RawFrame& frame, std::chrono::milliseconds wait) {
    std::unique_lock lock(mutex_);
    waiting_ = steps_.empty();
    changed_.notify_all();
    if (!changed_.wait_for(lock, wait, [this] { return !steps_.empty(); })) return RawSource::Got::nothing;
    waiting_ = false;
    auto [step, content] = std::move(steps_.front());
    steps_.pop_front();
    if (step == Step::fail) throw Error("test: is gone", Error::Cause::running);
    if (step == Step::end) return RawSource::Got::end;
    frame = std::move(content);
    return RawSource::Got::frame;
  }

private:
  void push(std::pair<Step, RawFrame> step) {
    const std::lock_guard lock(mutex_);
    steps_.push_back(std::move(step));
    waiting_ = false;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<Step, RawFrame>> steps_;
  bool waiting_ = false;
};

class ScriptedSource final : public RawSource {
public:
  ScriptedSource(Script& script, RawFormat format) : RawSource(std::move(format)), script_(script) {}
  Got read(RawFrame& frame, std::chrono::milliseconds wait) override { return script_.take(frame, wait); }

private:
  Script& script_;
};

std::unique_ptr<Recording> opened(Script& script, bool live, const RecordingSettings& settings = {}) {
  return open_raw([&script, live] { return std::make_unique<ScriptedSource>(script, format(live)); }, settings);
}

TEST(RecordedSource, ReturnsEveryFrameAtItsTimeSinceTheFirst) {
  Script script;
  for (int i = 0; i < 3; ++i) script.add(frame_at(100 + 0.25 * i));
  script.end();
  const auto recording = opened(script, false);
  EXPECT_FALSE(recording->live());
  Frame frame;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(recording->next(frame));
    EXPECT_EQ(frame.index, i);
    EXPECT_EQ(frame.time, 0.25 * i);
    EXPECT_EQ(frame.depth, std::vector<float>(width * height, 1.0f));
  }
  EXPECT_FALSE(recording->next(frame));
  EXPECT_EQ(recording->late(), 0u);
}

TEST(RecordedSource, HoldsPicturesWhereItsDepthHasThemAndTheyAreRead) {
  Script script;
  script.end();
  for (const bool has : {false, true}) {
    for (const bool read : {false, true}) {
      const RawOpener open = [&] {
        RawFormat with = format(false);
        with.pictures = has;
        return std::make_unique<ScriptedSource>(script, with);
      };
      RecordingSettings settings;
      settings.colour = read;
      EXPECT_EQ(open_raw(open, settings)->holds_pictures(), has && read);
    }
  }
}

TEST(RecordedSource, AFrameThatCannotBeUsedIsAGap) {
  Script script;
  script.add(frame_at(0, 0));
  script.add(frame_at(1));
  script.end();
  const auto recording = opened(script, false);
  Frame frame;
  ASSERT_TRUE(recording->next(frame));
  EXPECT_NE(frame.gap.find("test:: frame 0: holds no measurement"), std::string::npos) << frame.gap;
  ASSERT_TRUE(recording->next(frame));
  EXPECT_EQ(frame.gap, "");
}

TEST(RecordedSource, TimeIncreasesWhereAClockIsSetBack) {
  Script script;
  for (double time : {5.0, 6.0, 2.0, 7.0}) script.add(frame_at(time));
  script.end();
  const auto recording = opened(script, false);
  double last = -1;
  for (Frame frame; recording->next(frame); last = frame.time) EXPECT_GT(frame.time, last);
  EXPECT_EQ(last, 2.0);
}

TEST(LiveSource, TheNewestFrameWinsAndTheOthersAreLate) {
  Script script;
  const auto recording = opened(script, true);
  EXPECT_TRUE(recording->live());
  EXPECT_FALSE(recording->ready(0ms));
  for (int i = 0; i < 10; ++i) script.add(frame_at(i));
  script.wait_until_taken();
  Frame frame;
  ASSERT_TRUE(recording->next(frame));
  EXPECT_EQ(frame.index, 9);
  EXPECT_EQ(frame.time, 9.0);
  EXPECT_EQ(recording->late(), 9u);
  EXPECT_EQ(frame.late, 9u);
  script.add(frame_at(10));
  ASSERT_TRUE(recording->next(frame));
  EXPECT_EQ(frame.index, 10);
  EXPECT_EQ(recording->late(), 9u);
  EXPECT_EQ(frame.late, 0u);
  script.end();
  EXPECT_FALSE(recording->next(frame));
}

TEST(LiveSource, OneThatDisappearsIsOpenedAgain) {
  Script script;
  script.add(frame_at(50));
  const auto recording = opened(script, true);
  Frame frame;
  ASSERT_TRUE(recording->next(frame));
  const double before = frame.time;
  script.fail();
  script.add(frame_at(3));  // its clock has started again
  ASSERT_TRUE(recording->next(frame));
  EXPECT_EQ(frame.index, 1);
  EXPECT_GT(frame.time, before);
  EXPECT_EQ(recording->reopened(), 1u);
  EXPECT_LT(2 * reopen_interval, 2s);  // what the documentation promises
}

TEST(LiveSource, OneThatDoesNotComeBackEndsTheRunWithItsReason) {
  Script script;
  script.add(frame_at(0));
  RecordingSettings settings;
  settings.reconnect = 0;
  const auto recording = opened(script, true, settings);
  Frame frame;
  ASSERT_TRUE(recording->next(frame));
  script.fail();
  try {
    recording->next(frame);
    FAIL() << "it is gone";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "test: is gone");
    EXPECT_EQ(error.cause(), Error::Cause::running);
  }
}

TEST(LiveSource, AnotherCameraInItsPlaceIsRefused) {
  Script script;
  script.add(frame_at(0));
  int opens = 0;
  const auto recording = open_raw(
      [&] {
        RawFormat other = format(true);
        if (opens++ > 0) other.camera.file.camera.fx = 5;
        return std::make_unique<ScriptedSource>(script, other);
      },
      {});
  Frame frame;
  ASSERT_TRUE(recording->next(frame));
  script.fail();
  EXPECT_THROW(recording->next(frame), Error);
}

// Writes a source while its newest frames are taken; what was written reads back as a recording.
TEST(LiveSource, IsRecordedWithFramesThatCameTooLate) {
  if (!build().opencv) GTEST_SKIP() << "this build has no OpenCV";
  const auto folder = std::filesystem::path(testing::TempDir()) / "kinema-live-copy";
  std::filesystem::remove_all(folder);
  Script script;
  script.add(frame_at(5));
  const auto source = opened(script, true);
  Frame frame;
  ASSERT_TRUE(source->next(frame));
  EXPECT_FALSE(source->copy());
  EXPECT_FALSE(source->end_copy());
  source->start_copy(folder);
  EXPECT_THROW(source->start_copy(folder), Error) << "it is being recorded";
  for (int i = 1; i <= 3; ++i) script.add(frame_at(5 + 0.1 * i, static_cast<std::uint16_t>(1000 + i)));
  script.wait_until_taken();
  ASSERT_TRUE(source->next(frame));
  EXPECT_EQ(source->late(), 2U);
  EXPECT_EQ(source->copy()->folder, folder);
  const auto status = source->end_copy();
  ASSERT_TRUE(status);
  EXPECT_EQ(status->frames, 3U);
  EXPECT_EQ(status->dropped, 0U);
  EXPECT_EQ(status->failed, "");
  script.add(frame_at(6));
  script.wait_until_taken();
  const auto recording = open_recording({folder.string()});
  std::size_t count = 0;
  for (Frame read; recording->next(read); ++count)
    EXPECT_NEAR(read.depth[0], 1.001 + 0.001 * static_cast<double>(count), 1e-6);
  EXPECT_EQ(count, 3U);
  EXPECT_THROW(source->start_copy(folder), Error) << "a recording is never written over";
  EXPECT_FALSE(source->copy());
  std::filesystem::remove_all(folder);
}

TEST(RecordedSource, IsNotRecordedWhileItIsTracked) {
  Script script;
  script.add(frame_at(0));
  EXPECT_THROW(opened(script, false)->start_copy("nowhere"), Error);
  EXPECT_FALSE(std::filesystem::exists("nowhere"));
}

TEST(LiveSource, CanBeClosedWhileItWaits) {
  Script script;
  opened(script, true).reset();
  script.add(frame_at(0));
  opened(script, true).reset();
}

}  // namespace
}  // namespace kinema::io
