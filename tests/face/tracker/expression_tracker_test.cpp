// Blinks from pictures of drawn eyes, and expressions against the neutral face.
#include "kinema/expression_tracker.h"

#include "face/tracker/eyelid.h"
#include "kinema/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace kinema::face {
namespace {

constexpr std::size_t width = 200, height = 100;
constexpr double rate = 1.0 / 25, eye_width = 40;

// Where the eyes of the drawn face are: the outer corner of the person's right one, and the inner one of the left.
constexpr double right_x = 40, left_x = 120, eye_y = 50;

struct Gaze {
  double right = 0, left = 0;  ///< how far the lids are closed, 0 to 1
  double aside = 0;            ///< of both irises, widths of the eye
};

// Brightness of a point of an eye: x along it from 0 to 1, y down.
double eye_at(double x, double y, double closed, double aside) {
  constexpr double skin = 170, white = 200, iris = 40, lashes = 45;
  const double arch = std::sqrt(std::max(0.0, 4 * x * (1 - x)));
  const double top = -0.26 * arch + closed * 0.21 * arch, bottom = 0.12 * arch - closed * 0.15 * arch;
  const double lid = std::exp(-0.5 * std::pow((y - top) / 0.035, 2)) * (arch > 0.2 ? 1 : 0);
  double value = skin;
  if (arch > 0 && y > top && y < bottom) value = std::hypot(x - 0.5 - aside, y + 0.05) < 0.2 ? iris : white;
  return value + lid * (lashes - value);
}

std::vector<std::uint8_t> drawn(const Gaze& gaze, std::uint32_t seed, double light = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, 2);
  std::vector<std::uint8_t> picture(width * height);
  for (std::size_t row = 0; row < height; ++row) {
    for (std::size_t column = 0; column < width; ++column) {
      const double px = static_cast<double>(column), y = (static_cast<double>(row) - eye_y) / eye_width;
      const bool left = px > 0.5 * (right_x + eye_width + left_x);
      const double x = (px - (left ? left_x : right_x)) / eye_width;
      const double value = x < -0.1 || x > 1.1 ? 170 : eye_at(x, y, left ? gaze.left : gaze.right, gaze.aside);
      picture[row * width + column] = static_cast<std::uint8_t>(std::clamp(light * value + noise(random), 0.0, 255.0));
    }
  }
  return picture;
}

// Only the corners of the eyes matter.
std::vector<float> landmarks() {
  std::vector<float> points(2 * HeadPoseSolver::landmarks, 50.0f);
  const auto set = [&](std::size_t point, double x) {
    points[2 * point] = static_cast<float>(x);
    points[2 * point + 1] = static_cast<float>(eye_y);
  };
  set(36, right_x), set(39, right_x + eye_width), set(42, left_x), set(45, left_x + eye_width);
  return points;
}

constexpr std::size_t jaw = 0, blink_left = 4, blink_right = 5;

class Expressions : public ::testing::Test {
protected:
  Expression see(const Gaze& gaze, double light = 1) {
    const std::vector<std::uint8_t> picture = drawn(gaze, ++frame_, light);
    HeadPose pose;
    tracker.follow(ImageView<const std::uint8_t>{picture.data(), width, height, width}, landmarks(),
                   rate * static_cast<double>(frame_), pose);
    return pose.expression;
  }
  Expression see_for(double seconds, const Gaze& gaze, double light = 1) {
    Expression last{};
    for (double t = 0; t < seconds; t += rate) last = see(gaze, light);
    return last;
  }

  ExpressionTracker tracker;

private:
  std::uint32_t frame_ = 0;
};

TEST_F(Expressions, OpenEyesAreOpenAndClosedOnesClosed) {
  for (int i = 0; i < 50; ++i) {
    const Expression open = see({});
    EXPECT_LE(open[blink_left], 0.15) << i;
    EXPECT_LE(open[blink_right], 0.15) << i;
  }
  const Expression closed = see({1, 1});
  EXPECT_GE(closed[blink_left], 0.8);
  EXPECT_GE(closed[blink_right], 0.8);
  EXPECT_LE(see({})[blink_left], 0.15);
}

TEST_F(Expressions, EachEyeWinksAlone) {
  see_for(2, {});
  const Expression right = see({1, 0}), left = see({0, 1});
  EXPECT_GE(right[blink_right], 0.8);
  EXPECT_LE(right[blink_left], 0.15);
  EXPECT_GE(left[blink_left], 0.8);
  EXPECT_LE(left[blink_right], 0.15);
}

TEST_F(Expressions, AGlanceAsideIsNoBlink) {
  see_for(2, {});
  for (double aside : {-0.2, -0.1, 0.1, 0.2}) {
    const Expression now = see({0, 0, aside});
    EXPECT_LE(std::max(now[blink_left], now[blink_right]), 0.15) << aside;
  }
}

TEST_F(Expressions, ABlinkInTheFirstFramesDoesNotSpoilTheRest) {
  see_for(0.2, {1, 1});
  see_for(2, {});
  EXPECT_GE(see({1, 1})[blink_left], 0.8);
  EXPECT_LE(see({})[blink_left], 0.15);
  tracker.reset();
  see_for(1, {});
  see_for(0.2, {1, 1});
  see_for(1, {});
  EXPECT_GE(see({1, 1})[blink_right], 0.8);
}

TEST_F(Expressions, OtherLightIsNoBlinkAndBlinksAreSeenInIt) {
  see_for(2, {});
  EXPECT_LE(see({}, 0.5)[blink_left], 0.15);
  EXPECT_GE(see({1, 1}, 0.5)[blink_left], 0.8);
}

TEST_F(Expressions, EyesThatStayClosedStayClosed) {
  see_for(3, {});
  EXPECT_GE(see_for(5, {1, 1})[blink_left], 0.8);
  EXPECT_LE(see({})[blink_left], 0.15);
}

TEST_F(Expressions, ColourPicturesGiveTheSame) {
  ExpressionTracker other;
  for (std::uint32_t i = 0; i < 20; ++i) {
    const std::vector<std::uint8_t> grey = drawn({i == 15 ? 1.0 : 0, 0}, i);
    std::vector<std::uint8_t> colour;
    for (std::uint8_t value : grey) colour.insert(colour.end(), 3, value);
    HeadPose one, two;
    tracker.follow(ImageView<const std::uint8_t>{grey.data(), width, height, width}, landmarks(), rate * i, one);
    other.follow(ColourView{colour.data(), width, height, 3 * width, PixelFormat::bgr}, landmarks(), rate * i, two);
    EXPECT_EQ(one.expression, two.expression) << i;
  }
}

// Without a picture there is what landmarks tell.
HeadPose follow(ExpressionTracker& tracker, double time, double open, double pitch = 0) {
  HeadPose pose;
  pose.expression[jaw] = open;
  pose.pitch = pitch;
  tracker.follow(ImageView<const std::uint8_t>{}, {}, time, pose);
  return pose;
}

TEST_F(Expressions, AreRelativeToTheNeutralFaceOfTheFirstSeconds) {
  // the mouth opens for a fifth of the time
  for (int i = 0; i < 75; ++i) follow(tracker, rate * i, i % 5 == 0 ? 0.5 : 0.2, 11);
  EXPECT_EQ(follow(tracker, 3.1, 0.2).expression[jaw], 0);
  EXPECT_NEAR(follow(tracker, 3.1, 0.5).expression[jaw], 0.5, 0.01);
  EXPECT_EQ(follow(tracker, 3.1, 0.1).expression[jaw], 0);
  EXPECT_NEAR(follow(tracker, 3.1, 0.2).rest_angles[1], 11, 1e-9);
  // somebody who opens it further than most has more to give
  EXPECT_NEAR(follow(tracker, 3.2, 1).expression[jaw], 1, 1e-9);
  EXPECT_NEAR(follow(tracker, 3.2, 0.6).expression[jaw], 0.5, 0.01);
}

TEST_F(Expressions, ANeutralFaceCanBeSet) {
  for (int i = 0; i < 100; ++i) follow(tracker, rate * i, 0.5);
  tracker.set_neutral();
  for (int i = 100; i < 130; ++i) follow(tracker, rate * i, 0.1);
  for (int i = 130; i < 2000; ++i) follow(tracker, rate * i, 0.4);
  EXPECT_NEAR(follow(tracker, rate * 2000, 0.4).expression[jaw], 0.5, 1e-9);  // it does not drift
}

TEST(NeutralFace, IsThatOfTheSecondThatWasNamed) {
  ExpressionTracker tracker(ExpressionSettings{.neutral_at = 2.0});
  for (int i = 0; i < 100; ++i) follow(tracker, rate * i, i < 50 ? 0.6 : 0.1);
  EXPECT_EQ(follow(tracker, 4.1, 0.1).expression[jaw], 0);
  EXPECT_GT(follow(tracker, 4.1, 0.6).expression[jaw], 0.7);
}

TEST(NeutralFace, RefusesTimesThatAreNone) {
  EXPECT_THROW(ExpressionTracker(ExpressionSettings{.learning = -1}), Error);
  EXPECT_THROW(ExpressionTracker(ExpressionSettings{.neutral_at = std::nan("")}), Error);
}

TEST(EyePictures, AnEyeThatIsSmallOrOutsideIsNotRead) {
  const std::vector<std::uint8_t> picture = drawn({}, 1);
  const ImageView<const std::uint8_t> image{picture.data(), width, height, width};
  std::vector<float> points = landmarks();
  points[2 * 39] = points[2 * 36] + 3;
  points[2 * 45] = 250;
  for (const auto& eye : eye_patches(image, points)) EXPECT_FALSE(eye);
  EXPECT_FALSE(eye_patches(ColourView{}, points)[0]);
}

TEST(Blinks, ValuesAreFlatAtBothEnds) {
  EXPECT_EQ(blink_of(0), 0);
  EXPECT_EQ(blink_of(0.3), 0);
  EXPECT_EQ(blink_of(0.8), 1);
  EXPECT_EQ(blink_of(1.4), 1);
  for (double closure = 0; closure < 1; closure += 0.01) EXPECT_LE(blink_of(closure), blink_of(closure + 0.01));
}

}  // namespace
}  // namespace kinema::face
