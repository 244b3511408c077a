// Every backend gives the reference's result: on noise, on drawn scenes, at odd sizes and in any window.
#include "../body/print_backend.h"
#include "drawn_pair.h"

#include <gtest/gtest.h>

namespace kinema::stereo {
namespace {

class MatcherRandom : public testing::TestWithParam<Backend> {
  void SetUp() override {
    if (!available(GetParam())) GTEST_SKIP() << "no " << name(GetParam()) << " here";
  }
};

// Paths are whole numbers and agree exactly; squares are summed in single precision, which may tip a pixel over a limit
// or, where a square is nearly plain, move it: a pixel in two hundred.
void expect_alike(const Disparities& expected, const Disparities& got) {
  ASSERT_EQ(expected.disparity.size(), got.disparity.size());
  std::size_t known = 0, other = 0;
  for (std::size_t i = 0; i < expected.disparity.size(); ++i) {
    const float a = expected.disparity[i], b = got.disparity[i];
    known += a > 0 || b > 0 ? 1 : 0;
    const bool alike = (a > 0) == (b > 0) && std::abs(a - b) < 2e-3f &&
                       std::abs(expected.deviation[i] - got.deviation[i]) < 1e-2f * (0.1f + expected.deviation[i]);
    other += alike ? 0 : 1;
  }
  EXPECT_LE(other, known / 200 + 2) << "of " << known;
}

TEST_P(MatcherRandom, DrawnScenesAgree) {
  std::mt19937 random(5);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random()) / 4294967296.0;
  };
  for (int trial = 0; trial < 9; ++trial) {
    const bool near = trial > 5;  // disparities from 32 on, of a square before a wall that has smaller ones
    DrawnPair pair;
    pair.width = 90 + static_cast<int>(random() % 120);
    pair.height = 50 + static_cast<int>(random() % 60);
    pair.wall = uniform(3, 10);
    pair.square = uniform(11, 30);
    if (near) pair.square = uniform(36, 52);
    pair.noise = uniform(0.5, 6);
    pair.wall_contrast = trial % 2 == 0 ? uniform(2, 20) : 0;
    pair.gain = uniform(0.8, 1.2);
    pair.seed = static_cast<std::uint32_t>(trial);
    const Settings settings{.nearest = near ? 0.4 : uniform(0.4, 0.9), .farthest = 10};
    const auto oracle = make_matcher(pair.camera(), DrawnPair::baseline, settings, Backend::reference);
    const auto matcher = make_matcher(pair.camera(), DrawnPair::baseline, settings, GetParam());
    const std::vector<std::uint8_t> left = pair.left(), right = pair.right();
    const RowShift shift{uniform(-1, 1), uniform(-0.3, 0.3), uniform(-0.3, 0.3)};
    Window window = matcher->whole();
    if (trial > 1) {
      window.left = static_cast<int>(random() % 30);
      window.top = static_cast<int>(random() % 15);
      window.right -= static_cast<int>(random() % 30);
      window.bottom -= static_cast<int>(random() % 15);
      window.disparities = 8 + static_cast<int>(random() % 24);
      window.first = near ? 32 : 0;
    }
    Disparities expected, got;
    oracle->match(pair.view(left), pair.view(right), shift, window, expected);
    matcher->match(pair.view(left), pair.view(right), shift, window, got);
    SCOPED_TRACE(trial);
    expect_alike(expected, got);
  }
}

TEST_P(MatcherRandom, NoiseAndExtremePicturesAgree) {
  std::mt19937 random(9);
  for (int kind = 0; kind < 4; ++kind) {
    DrawnPair size;
    size.width = 97;
    size.height = 41;
    std::vector<std::uint8_t> left(static_cast<std::size_t>(size.width * size.height)), right = left;
    for (auto* picture : {&left, &right})
      for (std::uint8_t& grey : *picture)
        grey = static_cast<std::uint8_t>(kind == 0   ? random() % 256
                                         : kind == 1 ? 255 * (random() % 2)
                                         : kind == 2 ? 255
                                                     : 128 + random() % 2);
    if (kind == 1) right = left;  // a match at no disparity: infinitely far
    const Settings settings{.nearest = 0.5, .farthest = 30};
    Disparities expected, got;
    const auto oracle = make_matcher(size.camera(), DrawnPair::baseline, settings, Backend::reference);
    oracle->match(size.view(left), size.view(right), {}, oracle->whole(), expected);
    const auto matcher = make_matcher(size.camera(), DrawnPair::baseline, settings, GetParam());
    matcher->match(size.view(left), size.view(right), {}, matcher->whole(), got);
    SCOPED_TRACE(kind);
    expect_alike(expected, got);
  }
}

TEST_P(MatcherRandom, MoreThanOneBlockOfDisparitiesAgrees) {
  DrawnPair pair;
  pair.width = 330;
  pair.height = 36;
  pair.wall = 130.4;
  pair.square = 140.7;
  pair.noise = 2;
  const std::vector<std::uint8_t> left = pair.left(), right = pair.right();
  const Settings settings{.nearest = 0.17, .farthest = 6};
  const auto oracle = make_matcher(pair.camera(), DrawnPair::baseline, settings, Backend::reference);
  const auto matcher = make_matcher(pair.camera(), DrawnPair::baseline, settings, GetParam());
  ASSERT_GT(matcher->whole().disparities, 128);
  Disparities expected, got;
  oracle->match(pair.view(left), pair.view(right), {}, oracle->whole(), expected);
  matcher->match(pair.view(left), pair.view(right), {}, matcher->whole(), got);
  expect_alike(expected, got);
  EXPECT_GT(std::count_if(got.disparity.begin(), got.disparity.end(), [](float d) { return d > 128; }), 500);
}

INSTANTIATE_TEST_SUITE_P(Backends, MatcherRandom, testing::Values(Backend::cpu, Backend::cuda),
                         [](const auto& of) { return std::string(name(of.param)); });

}  // namespace
}  // namespace kinema::stereo
