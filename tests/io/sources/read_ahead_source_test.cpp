// Frames that are read ahead arrive as the source gives them.
#include "io/sources/read_ahead_source.h"
#include "kinema/error.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace kinema::io {
namespace {

class Counting final : public Source {
public:
  Counting(long frames, long breaks_at = -1) : Source(SourceKind::video), frames_(frames), breaks_at_(breaks_at) {
    fps_ = 25;
  }
  std::optional<std::size_t> size() const override { return static_cast<std::size_t>(frames_); }

  std::atomic<long> next_frame = 0;

private:
  bool read(Frame& frame) override {
    if (next_frame == breaks_at_) throw Error("the video breaks off");
    if (next_frame == frames_) return false;
    frame.index = next_frame++;
    if (frame.index == 3) frame.gap = "unreadable";
    return true;
  }
  long frames_, breaks_at_;
};

TEST(ReadAheadSource, KeepsFramesAndGapsInOrder) {
  Counting source(50);
  ReadAheadSource ahead(source, 4);
  EXPECT_EQ(ahead.fps(), 25);
  EXPECT_EQ(ahead.size(), 50u);
  EXPECT_EQ(ahead.kind(), SourceKind::video);
  Frame frame;
  for (long i = 0; i < 50; ++i) {
    while (!ahead.ready(std::chrono::milliseconds(100))) {
    }
    ASSERT_TRUE(ahead.next(frame));
    EXPECT_EQ(frame.index, i);
    EXPECT_EQ(frame.gap.empty(), i != 3);
    EXPECT_GT(frame.taken, 0);
  }
  EXPECT_FALSE(ahead.next(frame));
  EXPECT_FALSE(ahead.next(frame));
  EXPECT_GE(ahead.read_ms(), 0);
}

TEST(ReadAheadSource, ShowsTheFrameThatFollows) {
  Counting source(2);
  ReadAheadSource ahead(source);
  Frame frame;
  for (long i = 0; i < 2; ++i) {
    while (ahead.following() == nullptr) {
    }
    EXPECT_EQ(ahead.following()->index, i);
    ASSERT_TRUE(ahead.next(frame));
    EXPECT_EQ(frame.index, i);
  }
  EXPECT_EQ(ahead.following(), nullptr);
}

TEST(ReadAheadSource, BreaksOffWhereTheSourceDoes) {
  Counting source(50, 10);
  ReadAheadSource ahead(source);
  Frame frame;
  for (long i = 0; i < 10; ++i) ASSERT_TRUE(ahead.next(frame));
  EXPECT_THROW(ahead.next(frame), Error);
  EXPECT_FALSE(ahead.next(frame));
}

TEST(ReadAheadSource, ReadsNoMoreThanAskedAndCanBeLeftEarly) {
  Counting source(1000);
  {
    ReadAheadSource ahead(source, 4);
    Frame frame;
    ASSERT_TRUE(ahead.next(frame));
  }
  // one was taken, four wait, and the thread holds one more
  EXPECT_LE(source.next_frame, 6);
}

}  // namespace
}  // namespace kinema::io
