// Depth of pairs: what a tracker sees of them, in the whole picture and around a person.
#include "body/pair_depth.h"

#include "../stereo/drawn_pair.h"
#include "kinema/error.h"

#include <gtest/gtest.h>

namespace kinema::body {
namespace {

struct Scene {
  explicit Scene(stereo::DrawnPair of) : pair(of), left(pair.left()), right(pair.right()) {}
  TrackerSettings settings() const {
    TrackerSettings result;
    result.camera = pair.camera();
    result.baseline = stereo::DrawnPair::baseline;
    return result;
  }
  std::size_t at(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(pair.width) + static_cast<std::size_t>(x);
  }
  stereo::DrawnPair pair;
  std::vector<std::uint8_t> left, right;
};

stereo::DrawnPair before_a_wall(double contrast) {
  stereo::DrawnPair pair;
  pair.wall_contrast = contrast;
  pair.noise = 1;
  return pair;
}

// A capsule in the middle of the drawn square.
std::vector<float> expected_person(const Scene& scene) {
  const auto z = static_cast<float>(30 / scene.pair.square);
  return {0, -0.1f, z, 0.1f, 0, 0.1f, z};
}

TEST(PairDepth, IsThatOfBothSurfaces) {
  const Scene scene(before_a_wall(18));
  PairDepth pairs(scene.settings(), Backend::cpu);
  const auto depth = pairs.depth(scene.pair.view(scene.left), scene.pair.view(scene.right), nullptr, {});
  EXPECT_NEAR(depth.at(160, 120), 30 / scene.pair.square, 0.03);
  EXPECT_NEAR(depth.at(280, 120), 30 / scene.pair.wall, 0.1);
}

TEST(PairDepth, OfAPersonIsThatOfTheWholePicture) {
  const Scene scene(before_a_wall(18));
  PairDepth pairs(scene.settings(), Backend::cpu);
  const auto view = pairs.depth(scene.pair.view(scene.left), scene.pair.view(scene.right), nullptr, {});
  const float whole = view.at(160, 120), wall = view.at(310, 20);
  for (int i = 0; i < 5; ++i)
    pairs.depth(scene.pair.view(scene.left), scene.pair.view(scene.right), nullptr, expected_person(scene));
  EXPECT_NEAR(view.at(160, 120), whole, 0.005);
  EXPECT_EQ(view.at(310, 20), wall);  // of an earlier pair
}

TEST(PairDepth, APlainWallIsSeenPastThePerson) {
  const Scene scene(before_a_wall(0));
  PairDepth pairs(scene.settings(), Backend::cpu);
  const auto view = pairs.depth(scene.pair.view(scene.left), scene.pair.view(scene.right), nullptr, {});
  EXPECT_EQ(view.at(300, 30), 0);
  pairs.look_past(30 / scene.pair.square);
  EXPECT_EQ(view.at(300, 30), PairDepth::past_depth);
  EXPECT_NEAR(view.at(160, 120), 30 / scene.pair.square, 0.03);
}

TEST(PairDepth, HasNoneWhereALensSawNothing) {
  const Scene scene(before_a_wall(18));
  PairDepth pairs(scene.settings(), Backend::cpu);
  io::GreyPair::Seen seen{std::vector<std::uint8_t>(scene.left.size(), 1),
                          std::vector<std::uint8_t>(scene.left.size(), 1)};
  for (int y = 0; y < 100; ++y)
    for (int x = 0; x < scene.pair.width; ++x) seen.left[scene.at(x, y)] = 0;
  for (int y = 200; y < scene.pair.height; ++y)
    for (int x = 0; x < scene.pair.width; ++x) seen.right[scene.at(x, y)] = 0;
  const auto view = pairs.depth(scene.pair.view(scene.left), scene.pair.view(scene.right), &seen, {});
  for (int x = 0; x < scene.pair.width; ++x) {
    EXPECT_EQ(view.at(static_cast<std::size_t>(x), 50), 0);
    EXPECT_EQ(view.at(static_cast<std::size_t>(x), 220), 0);
  }
  EXPECT_GT(view.at(160, 120), 0);
}

TEST(PairDepth, OfVeryLargePicturesIsThatOfSmallerOnes) {
  stereo::DrawnPair large = before_a_wall(18);
  large.width = 1440;
  large.height = 320;
  const Scene scene(large);
  PairDepth pairs(scene.settings(), Backend::cpu);
  EXPECT_EQ(pairs.camera().width, 720);
  EXPECT_EQ(pairs.camera().fx, 150);
  const auto view = pairs.depth(scene.pair.view(scene.left), scene.pair.view(scene.right), nullptr, {});
  EXPECT_NEAR(view.at(360, 80), 30 / scene.pair.square, 0.04);
}

TEST(PairDepth, RefusesPicturesThatAreExchangedOrOfAnotherSize) {
  const Scene scene(before_a_wall(18));
  PairDepth pairs(scene.settings(), Backend::cpu);
  try {
    pairs.depth(scene.pair.view(scene.right), scene.pair.view(scene.left), nullptr, {});
    ADD_FAILURE() << "was taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("exchanged"), std::string::npos) << error.what();
  }
  EXPECT_THROW(pairs.depth({scene.left.data(), 4, 4, 4}, {scene.left.data(), 4, 4, 4}, nullptr, {}), Error);
}

}  // namespace
}  // namespace kinema::body
