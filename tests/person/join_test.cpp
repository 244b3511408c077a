// What joins colours and face: the outline that both measure, their difference, and frames at a fraction of their size.
#include "person/join.h"
#include "person/outline.h"
#include "person/reduction.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kinema::person {
namespace {

constexpr Camera camera{640, 480, 554, 554, 319.5, 239.5};

TEST(Outline, AndItsPlaceAreInverse) {
  face::HeadPose pose;
  pose.rotation = face::head_rotation(20, -10, 15);
  pose.position = {0.1, -0.05, 0.7};
  const Outline outline = outline_of(pose, camera, 0.09);
  const Vec3 place = place_of(outline, pose.rotation, camera, 0.09);
  EXPECT_NEAR(norm(place - pose.position), 0, 1e-12);
}

TEST(Outline, OfAnOvalHasItsWidth) {
  const head::Oval oval = outline_of(head::Oval{100, 80, 30, 40}).oval();
  EXPECT_NEAR(oval.cx, 100, 1e-12);
  EXPECT_NEAR(oval.rx, 30, 1e-9);
}

TEST(Join, MovesAsTheColoursAndIsWhereTheFaceIs) {
  Join join;
  Outline joined;
  for (int frame = 0; frame < 90; ++frame) {
    const double t = frame / 30.0, x = 100 + 20 * std::sin(t);
    // a face that shakes by two pixels, and colours that are off by ten
    const Outline face{x + (frame % 2 == 0 ? 2 : -2), 50, 4}, colours{x - 10, 45, 3.8};
    joined = join.add(face, colours, t);
    if (frame < 30) continue;
    EXPECT_NEAR(joined.x, x, 0.6);
    EXPECT_NEAR(joined.size, 4, 1e-9);
  }
}

TEST(Join, ColoursGoOnAloneWithTheDifferenceThatWasLearnt) {
  Join join;
  for (int frame = 0; frame < 30; ++frame) join.add(Outline{110, 50, 4}, Outline{100, 45, 3.8}, frame / 30.0);
  const Outline alone = join.add(std::nullopt, Outline{200, 45, 3.8}, 1);
  EXPECT_NEAR(alone.x, 210, 1e-6);
  EXPECT_NEAR(join.to_colours(alone).x, 200, 1e-6);
}

TEST(Join, IsWhereTheFaceIsHoweverTheColoursAreThrownAbout) {
  Join join;
  for (int frame = 0; frame < 60; ++frame) {
    const Outline face{100, 50, 4};
    const Outline colours{100.0 + 60 * (frame % 3), 50.0 + 80 * (frame % 2), 4 + 0.3 * (frame % 2)};
    const Outline joined = join.add(face, colours, frame / 30.0);
    EXPECT_LT(std::hypot(joined.x - face.x, joined.y - face.y), 1.001 * join_slack * face.eye_distance()) << frame;
    EXPECT_NEAR(joined.size, face.size, 1.001 * join_size_slack) << frame;
  }
}

TEST(Reduction, MeansOfSquaresWithTheirPlaces) {
  std::vector<std::uint8_t> frame(4 * 6 * 3), small;
  for (std::size_t i = 0; i < frame.size(); ++i)
    frame[i] = static_cast<std::uint8_t>(i % 3 == 0 ? 10 * (i / 3 % 6) : 7);
  ColourView view;
  view.data = frame.data();
  view.width = 6, view.height = 4, view.stride = 18;
  const ColourView half = reduced(view, 2, small);
  ASSERT_EQ(half.width, 3u);
  ASSERT_EQ(half.height, 2u);
  EXPECT_EQ(small[0], 5);
  EXPECT_EQ(small[3], 25);
  EXPECT_EQ(small[1], 7);
  const head::Oval oval{10, 20, 5, 6}, back = enlarged(reduced(oval, 2), 2);
  EXPECT_DOUBLE_EQ(back.cx, 10);
  EXPECT_DOUBLE_EQ(back.cy, 20);
  EXPECT_DOUBLE_EQ(back.rx, 5);
  // the square of the first four pixels has its centre half a pixel from that of the first
  EXPECT_DOUBLE_EQ(reduced(head::Oval{0.5, 0.5, 1, 1}, 2).cx, 0);
}

}  // namespace
}  // namespace kinema::person
