// The head's pattern: found where it went, in another light too, and not where it is not.
#include "head/pattern.h"

#include "synth/head_clip.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace kinema::head {
namespace {

ColourView view_of(const io::Picture& picture) {
  const auto width = static_cast<std::size_t>(picture.width);
  return {picture.bgr.data(), width, static_cast<std::size_t>(picture.height), 3 * width, PixelFormat::bgr};
}

class PatternOfAHead : public ::testing::Test {
protected:
  void SetUp() override { pattern.start(patch_of(view_of(first), oval(0))); }

  Oval oval(std::size_t frame) const {
    const synth::HeadTruth truth = clip.truth(frame);
    return {truth.x, truth.y, truth.rx, truth.ry};
  }

  const synth::HeadClip clip{{.width = 320, .height = 240}};
  const io::Picture first = clip.picture(0);
  Pattern pattern;
};

TEST_F(PatternOfAHead, IsWhereItWasLearned) {
  const Oval head = oval(0);
  const Pattern::Match match = pattern.find(view_of(first), head);
  EXPECT_NEAR(match.x, head.cx, 0.05 * head.rx);
  EXPECT_NEAR(match.y, head.cy, 0.05 * head.ry);
  EXPECT_GT(match.response, 0.8);
}

TEST_F(PatternOfAHead, IsFoundWhereItWent) {
  for (const std::size_t frame : {2u, 4u, 6u}) {
    const io::Picture picture = clip.picture(frame);
    const Oval from = oval(0), to = oval(frame);
    const Pattern::Match match = pattern.find(view_of(picture), from);
    // a cell is an eighth of a radius; the top between cells is good to a part of it
    EXPECT_NEAR(match.x, to.cx, 0.1 * to.rx) << frame;
    EXPECT_NEAR(match.y, to.cy, 0.1 * to.ry) << frame;
    EXPECT_GT(std::abs(to.cx - from.cx), 0.03 * frame * to.rx) << "it did move";
  }
}

TEST_F(PatternOfAHead, IsTheSameInHalfTheLight) {
  io::Picture dim = clip.picture(3);
  for (std::uint8_t& value : dim.bgr) value = static_cast<std::uint8_t>(value / 2);
  const Oval to = oval(3);
  const Pattern::Match match = pattern.find(view_of(dim), oval(0));
  EXPECT_NEAR(match.x, to.cx, 0.1 * to.rx);
  EXPECT_NEAR(match.y, to.cy, 0.1 * to.ry);
  EXPECT_GT(match.response, 0.5);
}

TEST_F(PatternOfAHead, AnswersLittleWhereThereIsNone) {
  const io::Picture room = clip.empty_room();
  EXPECT_LT(pattern.find(view_of(room), oval(0)).response, 0.3);
}

TEST_F(PatternOfAHead, LearnsWhatTheHeadBecomesAndKeepsTheStart) {
  // upside down is another pattern
  io::Picture turned = first;
  const Oval head = oval(0);
  for (int y = 0; y < 240; ++y) {
    const int from = static_cast<int>(std::lround(2 * head.cy)) - y;
    if (from < 0 || from >= 240) continue;
    std::copy_n(first.bgr.begin() + 960 * from, 960, turned.bgr.begin() + 960 * y);
  }
  const double before = pattern.find(view_of(turned), head).response;
  for (int i = 0; i < 40; ++i) pattern.learn(view_of(turned), head, 0.1);
  EXPECT_GT(pattern.find(view_of(turned), head).response, before + 0.3);
  EXPECT_GT(pattern.find(view_of(first), head).response, 0.2);
}

TEST_F(PatternOfAHead, TakesHeadsAtTheBorderOfAFrame) {
  for (const Oval& oval : {Oval{0, 0, 30, 40}, Oval{319, 239, 30, 40}, Oval{160, 120, 400, 500}, Oval{5, 5, 1, 1}}) {
    Pattern other;
    other.start(patch_of(view_of(first), oval));
    EXPECT_TRUE(std::isfinite(other.find(view_of(first), oval).response));
  }
}

}  // namespace
}  // namespace kinema::head
