// Motions of a file in front of the camera.
#include "synth/simulation.h"

#include "io/motion/bvh.h"
#include "kinema/error.h"
#include "synth/flesh.h"
#include "synth/motion.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kinema::synth {
namespace {

constexpr double cmu_unit = 0.0254 / 0.45;
constexpr Vec3 sky{0, 1, 0};

class WalkTest : public testing::Test {
protected:
  std::vector<Figure> figures(std::size_t count) const {
    std::vector<Figure> result;
    for (std::size_t i = 0; i < count; ++i) result.push_back(motion.at(static_cast<double>(i) / 30));
    return result;
  }

  const io::Bvh bvh = io::read_bvh(KINEMA_SAMPLES "/walk.bvh");
  const Motion motion{bvh, {cmu_unit}};
};

TEST_F(WalkTest, TruthIsThePersonSeenFromTheCamera) {
  const std::vector<Figure> all = figures(86);
  const Simulation simulation(all, {});
  const Stage& stage = simulation.stage();
  const auto truth = simulation.truth();
  ASSERT_EQ(truth.size(), bvh.frames);
  for (std::size_t f = 0; f < truth.size(); ++f) {
    ASSERT_EQ(truth[f].size(), body::common_joints.size());
    for (std::size_t j = 0; j < truth[f].size(); ++j) {
      const Vec3 world = all[f].joint(body::common_joints[j]) - stage.eye;
      EXPECT_NEAR(truth[f][j].x, dot(stage.right, world), 1e-9);
      EXPECT_NEAR(truth[f][j].y, dot(stage.down, world), 1e-9);
      EXPECT_NEAR(truth[f][j].z, dot(stage.forward, world), 1e-9);
    }
  }
}

TEST_F(WalkTest, TheCameraLooksLevelFromItsHeightAndSeesTheWholeClip) {
  for (double azimuth : {0.0, 90.0, 180.0, -60.0}) {
    SimulationSettings settings;
    settings.stage.azimuth = azimuth;
    const Simulation simulation(figures(60), settings);
    EXPECT_EQ(simulation.frames_in_view(), 60u);
    const Stage& stage = simulation.stage();
    EXPECT_NEAR(norm(stage.right), 1, 1e-12);
    EXPECT_NEAR(dot(stage.right, sky), 0, 1e-12);
    EXPECT_LT(dot(stage.down, sky), -0.9);
    EXPECT_NEAR(norm(cross(stage.right, stage.down) - stage.forward), 0, 1e-12);
    EXPECT_NEAR(-stage.floor, 1.2, 1e-12);
    // who walks towards a camera comes nearer, who walks by does not
    const auto truth = simulation.truth();
    const double nearer = truth.front()[0].z - truth.back()[0].z;
    if (azimuth == 0) {
      EXPECT_GT(nearer, 1.5);
    }
    if (azimuth == 180) {
      EXPECT_LT(nearer, -1.5);
    }
    // from the person's left it walks to the left of the picture
    if (azimuth == 90) {
      EXPECT_LT(truth.back()[0].x - truth.front()[0].x, -1.5);
    }
  }
}

TEST_F(WalkTest, FeetStandOnTheFloorAndAPersonLooksWhereItWalks) {
  const std::vector<Figure> all = figures(86);
  double lowest = 1, highest = -1;
  for (const Figure& figure : all) {
    const double sole = sole_of(figure, sky);
    lowest = std::min(lowest, sole);
    highest = std::max(highest, sole);
    const int head = figure.person->skeleton.find("head");
    EXPECT_GT(dot(figure.place(head, {0, 0, 1}) - figure.joint("head"), front_of(figure)), 0.8);
  }
  // one foot is always on the ground, which rises by 5 cm in this clip
  EXPECT_LT(highest - lowest, 0.07);
  const Vec3 way = all.back().joint("pelvis") - all.front().joint("pelvis");
  EXPECT_GT(dot(way, front_of(all[40])), 0.9 * norm(way));
}

TEST_F(WalkTest, EveryPartOfTheBodyIsNearItsBones) {
  for (const Figure& figure : figures(20)) {
    for (const Part& part : flesh_of(figure)) {
      double nearest = 1;
      for (const Vec3& joint : figure.positions) nearest = std::min(nearest, norm(part.origin - joint));
      EXPECT_LT(nearest, 0.25);
      for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(norm(part.axes[a]), 1, 1e-9);
      EXPECT_NEAR(norm(cross(part.axes[0], part.axes[1]) - part.axes[2]), 0, 1e-9);
    }
  }
}

TEST_F(WalkTest, ALongWayIsRefusedUnlessTheDistanceIsGiven) {
  std::vector<Figure> far = figures(2);
  for (Vec3& joint : far[1].positions) joint.x += 30;
  EXPECT_THROW(Simulation(far, {}), Error);
  SimulationSettings settings;
  settings.stage.distance = 3;
  const Simulation simulation(far, settings);
  EXPECT_LT(simulation.frames_in_view(), 2u);
}

TEST(Motion, ARestPoseBeforeTheMotionIsFound) {
  io::Bvh bvh = io::read_bvh(KINEMA_SAMPLES "/walk.bvh");
  EXPECT_FALSE(Motion::starts_with_rest_pose(bvh));
  for (std::size_t c = 3; c < bvh.channels; ++c) bvh.values[c] = 0;
  EXPECT_TRUE(Motion::starts_with_rest_pose(bvh));
  const Motion whole(bvh, {cmu_unit}), rest(bvh, {cmu_unit, true});
  EXPECT_NEAR(whole.duration() - rest.duration(), bvh.frame_time, 1e-12);
  EXPECT_LT(norm(rest.at(0).joint("left_knee") - whole.at(bvh.frame_time).joint("left_knee")), 1e-9);
}

TEST(Motion, AMissingJointIsNamed) {
  io::Bvh bvh = io::read_bvh(KINEMA_SAMPLES "/walk.bvh");
  for (io::BvhJoint& joint : bvh.joints) {
    if (joint.name == "RightHand") joint.name = "Hook";
  }
  try {
    const Motion motion(bvh, {cmu_unit});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("has no joint right_wrist"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace kinema::synth
