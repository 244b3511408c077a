// Depth of pairs: what a tracker sees of them, in the whole picture and around a person.
#include "body/tracker/pair_depth.h"

#include "../../stereo/drawn_pair.h"
#include "kinema/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

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
  EXPECT_EQ(view.at(300, 30), pairs.past_depth());
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

constexpr int pairs_seen = 10;

// What pairs like this one are refused with; empty where they are not.
std::string refusal(const Scene& scene, const std::vector<std::uint8_t>& left, const std::vector<std::uint8_t>& right) {
  PairDepth pairs(scene.settings(), Backend::cpu);
  try {
    for (int i = 0; i < pairs_seen; ++i) pairs.depth(scene.pair.view(left), scene.pair.view(right), nullptr, {});
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

// A picture whose rows lie `rows` lower.
std::vector<std::uint8_t> lowered(const Scene& scene, const std::vector<std::uint8_t>& picture, int rows) {
  std::vector<std::uint8_t> out = picture;
  for (int y = 0; y < scene.pair.height; ++y)
    for (int x = 0; x < scene.pair.width; ++x)
      out[scene.at(x, y)] = picture[scene.at(x, std::clamp(y - rows, 0, scene.pair.height - 1))];
  return out;
}

TEST(PairDepth, RefusesPicturesThatAreExchangedOrOfAnotherSize) {
  const Scene scene(before_a_wall(18));
  EXPECT_EQ(refusal(scene, scene.left, scene.right), "");
  EXPECT_NE(refusal(scene, scene.right, scene.left).find("exchanged"), std::string::npos);
  PairDepth pairs(scene.settings(), Backend::cpu);
  EXPECT_THROW(pairs.depth({scene.left.data(), 4, 4, 4}, {scene.left.data(), 4, 4, 4}, nullptr, {}), Error);
}

TEST(PairDepth, PutsRowsRightThatAreAFewPixelsApartAndRefusesOthers) {
  const Scene scene(before_a_wall(18));
  for (const int rows : {-4, 3}) {
    PairDepth pairs(scene.settings(), Backend::cpu);
    const std::vector<std::uint8_t> right = lowered(scene, scene.right, rows);
    const auto depth = pairs.depth(scene.pair.view(scene.left), scene.pair.view(right), nullptr, {});
    EXPECT_NEAR(depth.at(160, 120), 30 / scene.pair.square, 0.03) << rows;
    EXPECT_NEAR(pairs.rows().shift().a, rows, 0.1);
  }
  const std::string lower = refusal(scene, scene.left, lowered(scene, scene.right, 12));
  EXPECT_NE(lower.find("12 pixels lower"), std::string::npos) << lower;
  EXPECT_NE(refusal(scene, scene.left, lowered(scene, scene.right, -20)).find("20 pixels higher"), std::string::npos);
}

TEST(PairDepth, RefusesALensThatIsCoveredOrOutOfFocus) {
  const Scene scene(before_a_wall(18));
  std::vector<std::uint8_t> dark(scene.left.size());
  for (std::size_t i = 0; i < dark.size(); ++i) dark[i] = static_cast<std::uint8_t>(8 + i * 2654435761u % 5);
  EXPECT_NE(refusal(scene, scene.left, dark).find("right picture of the pair shows nothing"), std::string::npos);
  std::vector<std::uint8_t> blurred = scene.left;
  constexpr int reach = 4;
  for (int y = 0; y < scene.pair.height; ++y) {
    for (int x = 0; x < scene.pair.width; ++x) {
      int sum = 0;
      for (int j = -reach; j <= reach; ++j)
        for (int i = -reach; i <= reach; ++i)
          sum += scene.left[scene.at(std::clamp(x + i, 0, scene.pair.width - 1),
                                     std::clamp(y + j, 0, scene.pair.height - 1))];
      blurred[scene.at(x, y)] = static_cast<std::uint8_t>(sum / ((2 * reach + 1) * (2 * reach + 1)));
    }
  }
  EXPECT_NE(refusal(scene, blurred, scene.right).find("left picture of the pair is blurred"), std::string::npos);

  // a camera that adjusts itself first
  PairDepth pairs(scene.settings(), Backend::cpu);
  for (int i = 1; i < pairs_seen; ++i) pairs.depth(scene.pair.view(scene.left), scene.pair.view(dark), nullptr, {});
  const auto depth = pairs.depth(scene.pair.view(scene.left), scene.pair.view(scene.right), nullptr, {});
  EXPECT_NEAR(depth.at(160, 120), 30 / scene.pair.square, 0.03);
  EXPECT_EQ(pairs.rows().pairs(), 1);
  for (int i = 0; i < 2 * pairs_seen; ++i)
    pairs.depth(scene.pair.view(scene.left), scene.pair.view(dark), nullptr, {});  // somebody stands before it
}

}  // namespace
}  // namespace kinema::body
