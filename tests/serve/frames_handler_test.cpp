#include "serve/requests/frames_handler.h"
#include "io/recordings/raw_recording.h"
#include "kinema/error.h"
#include "listener.h"

#include <gtest/gtest.h>

#include <future>

namespace kinema::serve {
namespace {

constexpr int width = 4, height = 3;

std::string header() {
  return R"({"kinema":1,"width":4,"height":3,"fx":4,"fy":4,"cx":1.5,"cy":1,"depth":"uint16","depth_scale":0.001})"
         "\n";
}

std::string frame(double time, char depth) {
  return "{\"time\":" + std::to_string(time) + "}\n" + std::string(2 * width * height, depth);
}

// What was tracked, as a tracker that keeps the nearest depth of each frame.
class FramesHandlerTest : public ::testing::Test {
protected:
  void track(const std::shared_ptr<io::FrameInbox>& inbox) {
    const io::RecordingSettings settings;
    const auto recording = io::open_raw(io::FrameInbox::opener(inbox, settings), settings);
    EXPECT_TRUE(recording->live());
    for (io::Frame next; recording->next(next);) {
      const std::lock_guard lock(mutex_);
      depths_.push_back(next.depth.front());
      seen_.notify_all();
    }
    ++runs_;
    seen_.notify_all();
  }

  // Until so many frames were tracked; false where they do not come.
  bool wait_for(std::size_t frames, int runs = 0) {
    std::unique_lock lock(mutex_);
    return seen_.wait_for(lock, std::chrono::seconds(60), [&] { return depths_.size() >= frames && runs_ >= runs; });
  }

  std::mutex mutex_;
  std::condition_variable seen_;
  std::vector<float> depths_;
  std::atomic<int> runs_ = 0;
  Listener page_, other_page_;
  FrameSenders senders_{[this](const auto& inbox) { track(inbox); }};
  FramesHandler handler_{page_, senders_};
};

TEST_F(FramesHandlerTest, FramesInPiecesAreTracked) {
  EXPECT_FALSE(handler_.bytes("before anybody asked"));
  EXPECT_TRUE(handler_.request("frames", {}));
  EXPECT_EQ(page_.next()["say"], "frames");
  EXPECT_TRUE(handler_.bytes(header() + frame(0, 1)));
  ASSERT_TRUE(wait_for(1));
  const std::string next = frame(0.1, 2);
  EXPECT_TRUE(handler_.bytes(next.substr(0, 9)));
  EXPECT_TRUE(handler_.bytes(next.substr(9)));
  ASSERT_TRUE(wait_for(2));
  EXPECT_FLOAT_EQ(depths_[0], 0.257F);
  EXPECT_FLOAT_EQ(depths_[1], 0.514F);
  EXPECT_TRUE(handler_.request("frames off", {}));
  EXPECT_TRUE(wait_for(2, 1));
}

TEST_F(FramesHandlerTest, OneProgramSendsAtATime) {
  handler_.request("frames", {});
  FramesHandler other(other_page_, senders_);
  EXPECT_THROW(other.request("frames", {}), Error);
  handler_.request("frames off", {});
  EXPECT_TRUE(other.request("frames", {}));
  EXPECT_EQ(other_page_.next()["say"], "frames");
  other.bytes(header() + frame(0, 3));
  EXPECT_TRUE(wait_for(1));
}

TEST_F(FramesHandlerTest, WhatIsNoStreamIsRefusedAndEndsIt) {
  handler_.request("frames", {});
  page_.next();
  try {
    handler_.bytes("GIF89a\n");
    FAIL() << "it was accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("frames of another program: the header is not JSON"), std::string::npos)
        << error.what();
  }
  EXPECT_FALSE(handler_.bytes("more"));
  // colour alone says nothing about a body; that is found by the thread that tracks
  handler_.request("frames", {});
  EXPECT_EQ(page_.next()["say"], "frames");
  handler_.bytes(R"({"kinema":1,"width":4,"height":3,"colour":"bgr"})"
                 "\n");
  EXPECT_NE(page_.next()["text"].get<std::string>().find("which the body needs"), std::string::npos);
}

// whichever thread is first: the one that reads what comes, or the one that tracks it
TEST_F(FramesHandlerTest, WhatEndsBeforeItsHeaderIsReportedOnceOrNotAtAll) {
  for (int i = 0; i < 200; ++i) {
    handler_.request("frames", {});
    EXPECT_EQ(page_.next()["say"], "frames") << i;
    if (i % 2 == 0) {
      EXPECT_THROW(handler_.bytes("GIF89a\n"), Error);
    } else {
      handler_.request("frames off", {});
    }
  }
}

TEST_F(FramesHandlerTest, ASenderThatIsQuickerThanTheTrackerCostsNoMemory) {
  auto inbox = std::make_shared<io::FrameInbox>("test");
  inbox->add(header());
  for (int i = 0; i < 1000; ++i) inbox->add(frame(i, static_cast<char>(i % 100 + 1)));
  inbox->add("{\"end\":true}\n");
  const auto source = io::FrameInbox::opener(inbox, {})();
  io::RawFrame last;
  std::size_t count = 0;
  while (source->read(last, std::chrono::milliseconds(0)) == io::RawSource::Got::frame) ++count;
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(last.time, 999);
}

}  // namespace
}  // namespace kinema::serve
