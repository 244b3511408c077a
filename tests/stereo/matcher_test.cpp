// What a matcher must know and what it must not claim to know, on every backend.
#include "../body/print_backend.h"
#include "drawn_pair.h"
#include "kinema/error.h"

#include <gtest/gtest.h>

namespace kinema::stereo {
namespace {

class Matching : public testing::TestWithParam<Backend> {
  void SetUp() override {
    if (!available(GetParam())) GTEST_SKIP() << "no " << name(GetParam()) << " here";
  }
};

// Counts of pixels away from outlines and from what only one camera sees.
struct Counts {
  std::size_t pixels = 0, known = 0, right = 0;
  double squares = 0;  // of errors over stated deviations
};

Counts count(const DrawnPair& pair, const Disparities& out, bool on_square, double tolerance = 0.3) {
  Counts counts;
  const int far = static_cast<int>(pair.square) + 8;
  for (int y = 10; y < pair.height - 10; ++y) {
    for (int x = far; x < pair.width - 10; ++x) {
      if (pair.on_square(x, y) != on_square) continue;
      bool edge = false;
      for (const int dx : {-8, 0, 8, far})
        for (const int dy : {-8, 0, 8}) edge = edge || pair.on_square(x + dx, y + dy) != on_square;
      if (edge) continue;
      ++counts.pixels;
      const std::size_t at =
          static_cast<std::size_t>(y) * static_cast<std::size_t>(pair.width) + static_cast<std::size_t>(x);
      if (out.disparity[at] <= 0) continue;
      ++counts.known;
      const double error = static_cast<double>(out.disparity[at]) - pair.disparity(x, y);
      counts.right += std::abs(error) < tolerance ? 1 : 0;
      counts.squares += error * error / static_cast<double>(out.deviation[at] * out.deviation[at]);
    }
  }
  return counts;
}

TEST_P(Matching, MeasuresKnownDisparitiesToAFractionOfAPixel) {
  for (const double part : {0.0, 0.25, 0.5, 0.75}) {
    DrawnPair pair;
    pair.wall += part;
    pair.square += part;
    pair.noise = 1;
    const Disparities out = matched(pair, GetParam());
    for (const bool square : {false, true}) {
      const Counts counts = count(pair, out, square);
      EXPECT_GT(counts.known, counts.pixels * 95 / 100) << part << square;
      EXPECT_GT(counts.right, counts.known * 995 / 1000) << part << square;
    }
  }
}

TEST_P(Matching, DoesNotMindAnotherExposure) {
  DrawnPair pair;
  pair.noise = 1;
  pair.gain = 0.85;
  pair.offset = 9;
  const Disparities out = matched(pair, GetParam());
  const Counts counts = count(pair, out, true);
  EXPECT_GT(counts.known, counts.pixels * 95 / 100);
  EXPECT_GT(counts.right, counts.known * 99 / 100);
}

TEST_P(Matching, StatesDeviationsThatAreTrue) {
  // Noise of 2 to 5 grey levels on waves of 18: the mean square of errors over deviations is one, or less, since flat patterns are
  // matched better than the skin that deviations are made for.
  for (const double noise : {2.0, 5.0}) {
    DrawnPair pair;
    pair.noise = noise;
    const Disparities out = matched(pair, GetParam());
    for (const bool square : {false, true}) {
      const Counts counts = count(pair, out, square);
      ASSERT_GT(counts.known, counts.pixels / 2);
      const double mean = counts.squares / static_cast<double>(counts.known);
      EXPECT_GT(mean, 0.1) << noise;
      EXPECT_LT(mean, 2.5) << noise;
    }
  }
}

TEST_P(Matching, SaysNothingAboutAPlainWall) {
  DrawnPair pair;
  pair.wall_contrast = 0;
  pair.noise = 1.5;
  const Disparities out = matched(pair, GetParam());
  const Counts wall = count(pair, out, false);
  EXPECT_LT(wall.known, wall.pixels / 100);
  const Counts square = count(pair, out, true);
  EXPECT_GT(square.right, square.pixels * 95 / 100);
  // nor beside the outline, at the depth of the square
  std::size_t beside = 0, pixels = 0;
  for (int y = 0; y < pair.height; ++y) {
    for (int x = 0; x < pair.width; ++x) {
      if (pair.on_square(x, y)) continue;
      bool near = false;
      for (const int d : {-3, 3}) near = near || pair.on_square(x + d, y) || pair.on_square(x, y + d);
      const bool rim = near && !pair.on_square(x + 1, y) && !pair.on_square(x - 1, y) && !pair.on_square(x, y + 1) &&
                       !pair.on_square(x, y - 1);
      pixels += rim ? 1 : 0;
      beside += rim && out.disparity[static_cast<std::size_t>(y) * static_cast<std::size_t>(pair.width) +
                                     static_cast<std::size_t>(x)] > 0
                    ? 1
                    : 0;
    }
  }
  EXPECT_LT(beside, pixels / 5);
}

TEST_P(Matching, OfTwoUnrelatedPicturesFindsNothing) {
  DrawnPair one, other;
  one.noise = other.noise = 30;
  one.wall_contrast = 0;
  other.seed = 77;
  const std::vector<std::uint8_t> left = one.left(), right = other.right();
  const auto matcher = make_matcher(one.camera(), DrawnPair::baseline, {}, GetParam());
  Disparities out;
  matcher->match(one.view(left), one.view(right), {}, matcher->whole(), out);
  const auto known = std::count_if(out.disparity.begin(), out.disparity.end(), [](float d) { return d > 0; });
  EXPECT_LT(known, one.width * one.height / 10);
}

TEST_P(Matching, KeepsOnlyTheDepthsThatAreAskedFor) {
  DrawnPair pair;
  pair.wall = 3;  // 10 m
  const Disparities out = matched(pair, GetParam(), {.nearest = 1, .farthest = 5});
  std::size_t square = 0, wall = 0;
  for (int y = 0; y < pair.height; ++y) {
    for (int x = 0; x < pair.width; ++x) {
      const float d = out.disparity[static_cast<std::size_t>(y) * static_cast<std::size_t>(pair.width) +
                                    static_cast<std::size_t>(x)];
      ASSERT_TRUE(d == 0 || (d >= 6 && d <= 30));
      (pair.on_square(x, y) ? square : wall) += d > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(square, 5900u);  // of 7680, less its rim
  EXPECT_LT(wall, 700u);     // of 69120
}

TEST_P(Matching, AWindowGivesWhatTheWholePictureGivesThere) {
  DrawnPair pair;
  pair.noise = 1;
  const std::vector<std::uint8_t> left = pair.left(), right = pair.right();
  const auto matcher = make_matcher(pair.camera(), DrawnPair::baseline, {.nearest = 0.3, .farthest = 6}, GetParam());
  Disparities whole, part;
  matcher->match(pair.view(left), pair.view(right), {}, matcher->whole(), whole);
  const Window window{100, 50, 230, 190, 32};
  matcher->match(pair.view(left), pair.view(right), {}, window, part);
  std::size_t pixels = 0, same = 0;
  for (int y = 0; y < pair.height; ++y) {
    for (int x = 0; x < pair.width; ++x) {
      const std::size_t at =
          static_cast<std::size_t>(y) * static_cast<std::size_t>(pair.width) + static_cast<std::size_t>(x);
      const bool inside = x >= window.left && x < window.right && y >= window.top && y < window.bottom;
      if (!inside) {
        ASSERT_EQ(part.disparity[at], 0);
      }
      const bool inner =
          x >= window.left + 16 && x < window.right - 16 && y >= window.top + 16 && y < window.bottom - 16;
      if (!inner || whole.disparity[at] <= 0) continue;
      ++pixels;
      same += std::abs(part.disparity[at] - whole.disparity[at]) < 0.05f ? 1 : 0;
    }
  }
  EXPECT_GT(same, pixels * 98 / 100);
}

TEST_P(Matching, AWindowMayBeASingleRow) {
  DrawnPair pair;
  pair.noise = 1;
  const std::vector<std::uint8_t> left = pair.left(), right = pair.right();
  const Window window{100, 120, 230, 121, 32};
  std::vector<float> first;
  for (const int threads : {1, 2, 4}) {
    Compute compute{GetParam()};
    compute.threads = threads;
    const auto matcher = make_matcher(pair.camera(), DrawnPair::baseline, {.nearest = 0.3, .farthest = 6}, compute);
    Disparities part;
    matcher->match(pair.view(left), pair.view(right), {}, window, part);
    if (first.empty()) first = part.disparity;
    EXPECT_EQ(part.disparity, first) << threads;
  }
}

TEST_P(Matching, FromALaterFirstDisparityOnGivesWhatAllDisparitiesGiveThere) {
  DrawnPair pair;
  pair.square = 44.25;
  pair.noise = 1;
  const std::vector<std::uint8_t> left = pair.left(), right = pair.right();
  const auto matcher = make_matcher(pair.camera(), DrawnPair::baseline, {.nearest = 0.4, .farthest = 6}, GetParam());
  Disparities all, near;
  matcher->match(pair.view(left), pair.view(right), {}, matcher->whole(), all);
  Window window{100, 60, 220, 180, 32};
  window.first = 32;
  matcher->match(pair.view(left), pair.view(right), {}, window, near);
  std::size_t pixels = 0, same = 0;
  for (int y = 82; y < 158; ++y) {
    for (int x = 130; x < 190; ++x) {
      const std::size_t at =
          static_cast<std::size_t>(y) * static_cast<std::size_t>(pair.width) + static_cast<std::size_t>(x);
      if (all.disparity[at] <= 0) continue;
      ++pixels;
      same += std::abs(near.disparity[at] - all.disparity[at]) < 0.05f ? 1 : 0;
    }
  }
  EXPECT_GT(pixels, 4000u);  // of 4560 on the square
  EXPECT_GT(same, pixels * 98 / 100);
}

TEST_P(Matching, IsTheSameAgainAndForAnyNumberOfThreads) {
  DrawnPair pair;
  pair.noise = 3;
  const Disparities once = matched(pair, {GetParam(), 1});
  for (const int threads : {1, 2, 3, 7}) {
    const Disparities again = matched(pair, {GetParam(), threads});
    EXPECT_EQ(once.disparity, again.disparity) << threads;
    EXPECT_EQ(once.deviation, again.deviation) << threads;
  }
}

TEST_P(Matching, RefusesWhatCannotBe) {
  const DrawnPair pair;
  const auto make = [&](const Camera& camera, double baseline, const Settings& settings) {
    return make_matcher(camera, baseline, settings, GetParam());
  };
  EXPECT_THROW(make(pair.camera(), 0.1, {.nearest = 2, .farthest = 1}), Error);
  EXPECT_THROW(make(pair.camera(), 0.1, {.nearest = 0, .farthest = 1}), Error);
  EXPECT_THROW(make(pair.camera(), 0, {}), Error);
  EXPECT_THROW(make({4, 4, 300, 300, 2, 2}, 0.1, {}), Error);
  const auto matcher = make(pair.camera(), 0.1, {});
  const std::vector<std::uint8_t> picture = pair.left();
  Disparities out;
  EXPECT_THROW(matcher->match({picture.data(), 4, 4, 4}, {picture.data(), 4, 4, 4}, {}, matcher->whole(), out), Error);
  for (const Window& window : {Window{-1, 0, 10, 10, 32},
                               {0, 0, 321, 10, 32},
                               {10, 10, 10, 20, 32},
                               {0, 0, 10, 10, 1},
                               {0, 0, 10, 10, 4096},
                               {0, 0, 10, 10, 32, -32},
                               {0, 0, 10, 10, 32, 8},
                               {0, 0, 10, 10, 32, 4096}})
    EXPECT_THROW(matcher->match(pair.view(picture), pair.view(picture), {}, window, out), Error);
}

INSTANTIATE_TEST_SUITE_P(Backends, Matching, testing::Values(Backend::reference, Backend::cpu, Backend::cuda),
                         [](const auto& of) { return std::string(name(of.param)); });

}  // namespace
}  // namespace kinema::stereo
