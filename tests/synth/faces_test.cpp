// Synthetic faces are the same for a seed, differ from one another, and carry landmarks where their features are.
#include "synth/faces/faces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace kinema::synth {
namespace {

double grey_at(const io::Picture& picture, double x, double y) {
  const auto column = static_cast<std::size_t>(std::clamp(std::lround(x), 0L, picture.width - 1L));
  const auto row = static_cast<std::size_t>(std::clamp(std::lround(y), 0L, picture.height - 1L));
  const std::uint8_t* p = &picture.bgr[3 * (row * static_cast<std::size_t>(picture.width) + column)];
  return (p[0] + p[1] + p[2]) / 3.0;
}

TEST(Faces, AreTheSameForASeedWhateverTheThreads) {
  const auto one = face_shots(5, 3, 4, 80, 1), two = face_shots(5, 3, 4, 80, 2);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].picture.bgr, two[i].picture.bgr);
    EXPECT_EQ(one[i].landmarks, two[i].landmarks);
  }
  EXPECT_NE(one[0].picture.bgr, one[1].picture.bgr);
  EXPECT_NE(face_shot(6, 3, 80).picture.bgr, one[0].picture.bgr);
}

TEST(Faces, LieWithinThePicture) {
  for (std::uint32_t i = 0; i < 60; ++i) {
    const FaceScene scene = face_scene(1, i, 256);
    const FaceShot shot = [&] {
      FaceScene quick = scene;  // the landmarks do not depend on the pixels
      quick.width = quick.height = 2;
      return photograph_face(face_identity(1, i), face_expression(1, i), quick);
    }();
    ASSERT_EQ(shot.landmarks.size(), 2 * face_landmarks);
    for (float value : shot.landmarks) {
      EXPECT_GT(value, -26) << i;
      EXPECT_LT(value, 282) << i;
    }
  }
}

TEST(Faces, HaveTheOrderOfIbug) {
  const FacePlan plan = frontal_plan({}, {});
  EXPECT_LT(plan[0].x, plan[16].x);
  EXPECT_GT(plan[8].y, plan[57].y);
  EXPECT_NEAR(plan[45].x - plan[36].x, 1, 0.05);  // the unit is the distance of the outer eye corners
  EXPECT_LT(plan[37].y, plan[41].y);
  EXPECT_LT(plan[51].y, plan[62].y);
  EXPECT_LT(plan[62].y, plan[66].y);
  EXPECT_LT(plan[66].y, plan[57].y);
  for (const auto& [a, b] : {std::pair{0, 16}, {17, 26}, {36, 45}, {39, 42}, {41, 46}, {48, 54}, {60, 64}, {59, 55}}) {
    EXPECT_NEAR(plan[static_cast<std::size_t>(a)].x, -plan[static_cast<std::size_t>(b)].x, 1e-9);
    EXPECT_NEAR(plan[static_cast<std::size_t>(a)].y, plan[static_cast<std::size_t>(b)].y, 1e-9);
  }
}

TEST(Faces, ExpressionsMoveWhatTheyShould) {
  const FacePlan rest = frontal_plan({}, {});
  FaceExpression now;
  now.open = 1;
  EXPECT_GT(frontal_plan({}, now)[66].y - frontal_plan({}, now)[62].y, rest[66].y - rest[62].y + 0.2);
  now = {};
  now.smile = 1;
  EXPECT_LT(frontal_plan({}, now)[48].y, rest[48].y);
  EXPECT_LT(frontal_plan({}, now)[48].x, rest[48].x);
  now = {};
  now.blink = 1;
  EXPECT_NEAR(frontal_plan({}, now)[37].y, frontal_plan({}, now)[41].y, 1e-6);
  now = {};
  now.brow_raise = 1;
  EXPECT_LT(frontal_plan({}, now)[19].y, rest[19].y);
}

// The pupil is dark between the corners of an open eye, and skin beside the nose is not.
TEST(Faces, LandmarksAreWhereTheFeaturesAre) {
  FaceScene scene;
  scene.light_azimuth = 0;
  scene.noise = 0;
  FaceIdentity who;
  who.iris = 0;
  const FaceShot shot = photograph_face(who, {}, scene);
  const auto middle = [&](std::size_t a, std::size_t b, std::size_t axis) {
    return (static_cast<double>(shot.landmarks[2 * a + axis]) + static_cast<double>(shot.landmarks[2 * b + axis])) / 2;
  };
  const double pupil = grey_at(shot.picture, middle(36, 39, 0), middle(36, 39, 1) - 1);
  const double cheek = grey_at(shot.picture, middle(2, 31, 0), middle(2, 31, 1));
  EXPECT_LT(pupil, 70);
  EXPECT_GT(cheek, 100);
}

// On a turned face the far side of the jaw follows the contour: beyond it is the backdrop, within it is skin.
TEST(Faces, FarJawFollowsTheContour) {
  FaceScene scene;
  scene.yaw = 0.45;
  FaceScene other = scene;
  scene.backdrop = 1;
  other.backdrop = 2;
  FaceIdentity bald;
  bald.hair_length = -1;
  const FaceShot a = photograph_face(bald, {}, scene), b = photograph_face(bald, {}, other);
  const float x = a.landmarks[2 * 13], y = a.landmarks[2 * 13 + 1];
  const auto same = [&](double px) { return std::abs(grey_at(a.picture, px, y) - grey_at(b.picture, px, y)) < 12; };
  EXPECT_TRUE(same(static_cast<double>(x) - 4));
  EXPECT_FALSE(same(static_cast<double>(x) + 4));
}

TEST(Faces, ClipMovesSmoothly) {
  const FaceClip clip(4, 64);
  const auto frames = clip.frames(3, 30, 1);
  double moved = 0;
  for (std::size_t i = 0; i < frames[0].landmarks.size(); ++i) {
    const double step = std::abs(static_cast<double>(frames[1].landmarks[i] - frames[0].landmarks[i]));
    EXPECT_LT(step, 4);
    moved += step;
  }
  EXPECT_GT(moved, 0.5);
}

}  // namespace
}  // namespace kinema::synth
