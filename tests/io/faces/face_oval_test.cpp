// Which of a detector's finds is taken for the head.
#include "io/faces/face_oval.h"

#include <gtest/gtest.h>

namespace kinema::io {
namespace {

FaceDetector::Find find_at(float x, float y, float side, int votes) {
  FaceDetector::Find find{{}, votes};
  find.box.x = x;
  find.box.y = y;
  find.box.width = find.box.height = side;
  return find;
}

TEST(SurestFace, IsTheOneWithTheMostVotesOverAllFramesAndNotTheLargest) {
  // a face that walks to the right and is missed once, a door that is seen in most frames with few votes, and a chance
  // find with many
  const auto face = surest_face({{find_at(300, 140, 30, 9), find_at(130, 50, 60, 3)},
                                 {find_at(10, 400, 200, 12), find_at(130, 50, 60, 3)},
                                 {find_at(131, 51, 60, 3), find_at(306, 141, 30, 8)}});
  ASSERT_EQ(face.size(), 3u);
  ASSERT_TRUE(face[0]);
  EXPECT_FALSE(face[1]);
  ASSERT_TRUE(face[2]);
  EXPECT_DOUBLE_EQ(face[0]->cx, 314.5);
  EXPECT_DOUBLE_EQ(face[2]->cx, 320.5);
  EXPECT_LT(face[0]->rx, face[0]->ry);
}

TEST(SurestFace, HasOnePlaceAFrame) {
  const auto face = surest_face({{find_at(100, 100, 50, 4), find_at(104, 100, 50, 4)}});
  ASSERT_EQ(face.size(), 1u);
  EXPECT_DOUBLE_EQ(face[0]->cx, 124.5);
}

TEST(SurestFace, IsNoneWhereNothingWasFound) {
  EXPECT_TRUE(surest_face({}).empty());
  const auto face = surest_face({{}, {}});
  ASSERT_EQ(face.size(), 2u);
  EXPECT_FALSE(face[0] || face[1]);
}

}  // namespace
}  // namespace kinema::io
