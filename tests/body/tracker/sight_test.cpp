// What a depth image shows of somebody who is expected in it, and whether it shows more than it did before.
#include "body/tracker/sight.h"

#include "rendered_room.h"

#include <gtest/gtest.h>

#include <vector>

namespace kinema::body::rendered {
namespace {

const Capsules somebody = person(0.1f, 2.6f);

// Nothing was measured there, as some cameras say it.
Image unmeasured(Image image, double from_row, float as) {
  for (std::size_t i = 0; i < image.depth.size(); ++i)
    if (static_cast<double>(i) >= from_row * camera.width) image.depth[i] = as;
  return image;
}

Capsules with(Capsules capsules, const Capsules& more) {
  capsules.insert(capsules.end(), more.begin(), more.end());
  return capsules;
}

TEST(Sight, IsOfWhoIsThere) {
  const Sight sight = sight_of(somebody, render(somebody, {}).view(), camera);
  EXPECT_GT(sight.seen, 0.85);  // samples of thin limbs may fall beside them
  EXPECT_LT(sight.hidden, 0.05);
  EXPECT_LT(sight.outside, 0.01);
}

TEST(Sight, IsHiddenByWhatStandsBefore) {
  Capsules board;
  for (float y = -1; y < 1.1f; y += 0.1f) add(board, {-0.4f, y, 1.6f}, 0.1f, {0.5f, y, 1.6f});
  const Sight sight = sight_of(somebody, render(with(somebody, board), {}).view(), camera);
  EXPECT_GT(sight.hidden, 0.9);
  EXPECT_LT(sight.seen, 0.05);
}

TEST(Sight, IsAbsentWhereTheWallIsSeen) {
  const Sight sight = sight_of(somebody, render({}, {}).view(), camera);
  EXPECT_GT(sight.absent, 0.8);  // its feet are near the floor
  EXPECT_LT(sight.hidden, 0.05);
}

TEST(Sight, IsOutsideBeyondTheBorder) {
  const Sight sight = sight_of(person(3, 2.6f), render({}, {}).view(), camera);
  EXPECT_GT(sight.outside, 0.95);
}

TEST(Sight, ReadsNothingIntoWhatIsNotMeasured) {
  // of the lower half nothing is known: the upper one tells
  const Image whole = render(somebody, {}), empty = render({}, {});
  for (const float as : {0.0f, nan, infinity}) {
    const Sight there = sight_of(somebody, unmeasured(whole, 110, as).view(), camera);
    EXPECT_GT(there.seen, 0.85) << as;
    EXPECT_LT(there.absent, 0.1) << as;
    EXPECT_GT(sight_of(somebody, unmeasured(empty, 110, as).view(), camera).absent, 0.8) << as;
  }
}

TEST(MovedShare, IsOfWhatWasFartherAwayBefore) {
  const Image image = render(somebody, {});
  const PointCloud cloud = Foreground(camera).cut(image.view(), somebody);
  ASSERT_GT(cloud.size(), 1000u);
  EXPECT_GT(moved_share(cloud, render({}, {.frame = 1}).depth, camera), 0.8);
  // the same with other noise
  EXPECT_LT(moved_share(cloud, render(somebody, {.frame = 1}).depth, camera), 0.005);
  // what is uncovered did not move
  Capsules nearer;
  for (float y = -1; y < 1.1f; y += 0.1f) add(nearer, {-0.5f, y, 1.6f}, 0.1f, {0.6f, y, 1.6f});
  EXPECT_LT(moved_share(cloud, render(nearer, {.frame = 1}).depth, camera), 0.005);
  // a step of 30 cm
  EXPECT_GT(moved_share(cloud, render(person(-0.2f, 2.6f), {.frame = 1}).depth, camera), 0.3);
}

TEST(MovedShare, ReadsNothingIntoWhatWasNotMeasured) {
  const PointCloud cloud = Foreground(camera).cut(render(somebody, {}).view(), somebody);
  for (const float as : {0.0f, nan, infinity})
    EXPECT_EQ(moved_share(cloud, unmeasured(render({}, {}), 0, as).depth, camera), 0) << as;
}

}  // namespace
}  // namespace kinema::body::rendered
