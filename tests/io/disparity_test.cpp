// Disparities are refined to parts of a pixel, and matches that do not look alike are dropped.
#include "io/cameras/disparity.h"

#include <gtest/gtest.h>
#include <opencv2/core/utility.hpp>

#include <algorithm>
#include <cmath>
#include <random>

namespace kinema::io {
namespace {

constexpr int width = 160, height = 60;

// Cloth without an end, of two kinds: waves of 5 to 13 pixels.
double cloth(int kind, double x, int y) {
  double grey = 120;
  for (int wave = 0; wave < 4; ++wave) {
    const double turn = 0.6 * wave + 1.7 * kind, length = 5.3 + 2.6 * wave;
    grey += 18 * std::sin(6.2832 / length * (std::cos(turn) * x + std::sin(turn) * y) + wave * wave + kind);
  }
  return grey;
}

std::uint8_t byte(double grey) { return static_cast<std::uint8_t>(std::lround(std::clamp(grey, 0.0, 255.0))); }

// A near thing up to a column, and a far one behind it, as two cameras see them whose light differs.
struct Pair {
  double near = 12.3, far = 5.2;  // disparities
  int edge = 80;                  // the first column of the left picture that shows the far thing
  GreyImage left{width, height, {}}, right{width, height, {}};

  explicit Pair(double noise = 0) {
    std::mt19937 random(3);
    const auto grain = [&] { return noise * (2 * static_cast<double>(random()) / 4294967296.0 - 1); };
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        left.grey.push_back(byte((x < edge ? cloth(0, x, y) : cloth(1, x, y)) + grain()));
        const double seen = x + near < edge ? cloth(0, x + near, y) : cloth(1, x + far, y);
        right.grey.push_back(byte(0.94 * seen + 3 + grain()));
      }
    }
  }

  double truth(int x) const { return x < edge ? near : far; }

  // Disparities off by `error` to either side, from row to row, and the near ones `fat` columns too far.
  DisparityImage matched(double error, int fat = 0) const {
    DisparityImage disparity{width, height, {}};
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const double d = truth(x - fat) + (y % 2 == 0 ? error : -error);
        disparity.pixels.push_back(x < 20 ? 0 : static_cast<float>(d));  // some of it is not in the right picture
      }
    }
    return disparity;
  }
};

float at(const DisparityImage& disparity, int x, int y) {
  return disparity.pixels[static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x)];
}

TEST(Disparity, IsRefinedToAFewHundredthsOfAPixelOnEachOfTwoThings) {
  const Pair pair;
  DisparityImage disparity = pair.matched(0.2);
  for (int round = 0; round < 2; ++round) refine_disparities(pair.left, pair.right, disparity);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < 20; ++x) ASSERT_EQ(at(disparity, x, y), 0) << "none was made up";
    for (int x = 20; x < width; ++x) {
      // greys are whole numbers over slopes of about 20, squares at the border are halves; at the edge some pixels lie
      // between the two things
      const double tolerance = std::abs(x - pair.edge) < 4 ? 0.3 : 0.1;
      ASSERT_NEAR(at(disparity, x, y), pair.truth(x), tolerance) << x << " " << y;
    }
  }
}

TEST(Disparity, IsNotDrawnToWholePixels) {
  for (const double part : {0.0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875}) {
    const double truth = 9 + part;
    GreyImage left{width, height, {}}, right = left;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        left.grey.push_back(byte(cloth(1, x, y)));
        right.grey.push_back(byte(cloth(1, x + truth, y)));
      }
    }
    // from the nearest whole pixel, to which matching draws it
    DisparityImage disparity{width, height,
                             std::vector<float>(left.grey.size(), static_cast<float>(std::round(truth)))};
    for (int round = 0; round < 2; ++round) refine_disparities(left, right, disparity);
    double sum = 0;
    for (int y = 0; y < height; ++y) {
      for (int x = 20; x < width; ++x) sum += at(disparity, x, y) - truth;
    }
    EXPECT_NEAR(sum / (height * (width - 20)), 0, 0.01) << part;
  }
}

TEST(Disparity, BesideTheOutlineOfANearThingIsDropped) {
  const Pair pair(2);
  DisparityImage disparity = pair.matched(0.1, 4);
  drop_unlike(pair.left, pair.right, disparity);
  int near = 0, beside = 0, far = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 20; x < 78; ++x) near += at(disparity, x, y) > 0;
    for (int x = 80; x < 84; ++x) beside += at(disparity, x, y) > 0;
    for (int x = 86; x < width; ++x) far += at(disparity, x, y) > 0;
  }
  EXPECT_GT(near, 0.98 * height * 58);
  EXPECT_LT(beside, 0.15 * height * 4);
  EXPECT_GT(far, 0.98 * height * (width - 86));
}

TEST(Disparity, StaysWhereThereIsNoTexture) {
  const GreyImage grey{width, height, std::vector<std::uint8_t>(width * height, 90)};
  const DisparityImage before = Pair().matched(0.2);
  DisparityImage after = before;
  refine_disparities(grey, grey, after);
  drop_unlike(grey, grey, after);
  EXPECT_EQ(after.pixels, before.pixels);
}

TEST(Disparity, IsTheSameForAnyNumberOfThreads) {
  const Pair pair(2);
  DisparityImage one = pair.matched(0.2, 3), three = one;
  for (auto [image, count] : {std::pair{&one, 1}, {&three, 3}}) {
    cv::setNumThreads(count);
    refine_disparities(pair.left, pair.right, *image);
    drop_unlike(pair.left, pair.right, *image);
    refine_disparities(pair.left, pair.right, *image);
  }
  cv::setNumThreads(-1);  // as it was
  EXPECT_EQ(one.pixels, three.pixels);
}

TEST(Disparity, OfPicturesSmallerThanASquareOrEmptyIsNoTrouble) {
  for (const int size : {0, 1, 5}) {
    const auto pixels = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
    const GreyImage grey{size, size, std::vector<std::uint8_t>(pixels, 7)};
    DisparityImage disparity{size, size, std::vector<float>(pixels, 1.5f)};
    refine_disparities(grey, grey, disparity);
    drop_unlike(grey, grey, disparity);
    for (const float d : disparity.pixels) EXPECT_EQ(d, 1.5f);
  }
}

}  // namespace
}  // namespace kinema::io
