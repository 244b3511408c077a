// The fit of lengths and radii to a person.
#include "body/shape.h"
#include "tracker_scene.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kinema::body {
namespace {

double length_of(const Skeleton& skeleton, const char* joint) {
  const Vec3& offset = skeleton.joints.at(static_cast<std::size_t>(skeleton.find(joint))).offset;
  return std::hypot(offset.x, offset.y, offset.z);
}

// The person with the bones below the hips longer.
Skeleton with_longer_legs(Skeleton skeleton, double factor) {
  for (const char* side : {"left", "right"}) {
    for (const char* name : {"_knee", "_ankle"}) {
      Vec3& offset = skeleton.joints.at(static_cast<std::size_t>(skeleton.find(std::string(side) + name))).offset;
      offset = {factor * offset.x, factor * offset.y, factor * offset.z};
    }
  }
  for (SkinCapsule& capsule : skeleton.capsules) {
    const std::string& joint = skeleton.joints[static_cast<std::size_t>(capsule.joint)].name;
    if (!joint.ends_with("_hip") && !joint.ends_with("_knee")) continue;
    capsule.a.y *= factor;
    capsule.b.y *= factor;
  }
  return skeleton;
}

std::vector<ShapeFrame> frames_of(const Skeleton& person, const Skeleton& model, int count) {
  std::vector<ShapeFrame> frames;
  for (int i = 0; i < count; ++i) {
    Pose pose = walking(person, 0.2 * i);
    const RefinePoints seen = see(person, pose).refine_points();
    pose.position.y += 0.03;  // what a tracker with the wrong model would have
    frames.push_back({seen, to_state(model, pose)});
  }
  return frames;
}

TEST(BodyShape, RecoversALargerPersonWithLongerLegs) {
  const Skeleton model = default_human();
  const Skeleton person = with_longer_legs(scaled(model, 1.06), 1.05);
  const ShapeFit fit = fit_shape(model, frames_of(person, model, 5), Threads(2));
  for (const char* leg : {"left_knee", "right_knee", "left_ankle", "right_ankle"}) {
    EXPECT_NEAR(length_of(fit.skeleton, leg) / length_of(person, leg), 1, 0.03) << leg;
  }
  for (const char* other : {"spine", "left_elbow", "right_wrist"}) {
    EXPECT_NEAR(length_of(fit.skeleton, other) / length_of(person, other), 1, 0.05) << other;
  }
  // both sides stay alike
  EXPECT_DOUBLE_EQ(length_of(fit.skeleton, "left_knee"), length_of(fit.skeleton, "right_knee"));
  ASSERT_EQ(fit.states.size(), 5u);
  for (int i = 0; i < 5; ++i) {
    const std::vector<Vec3> truth = joint_positions(person, walking(person, 0.2 * i));
    const std::vector<float>& state = fit.states[static_cast<std::size_t>(i)];
    EXPECT_TRUE(within_limits(fit.skeleton, state));
    EXPECT_LT(mean_error(joint_positions(fit.skeleton, to_pose(state)), truth), 0.03) << i;
  }
}

TEST(BodyShape, LeavesThePersonThatFitsAlone) {
  const Skeleton model = default_human();
  std::vector<ShapeFrame> frames;
  for (int i = 0; i < 3; ++i) {
    const Pose pose = walking(model, 0.2 * i);
    frames.push_back({see(model, pose).refine_points(), to_state(model, pose)});
  }
  const ShapeFit fit = fit_shape(model, frames, Threads(2));
  for (const char* bone : {"spine", "head", "left_elbow", "left_knee", "left_ankle"}) {
    EXPECT_NEAR(length_of(fit.skeleton, bone) / length_of(model, bone), 1, 0.02) << bone;
  }
  for (std::size_t k = 0; k < model.capsules.size(); ++k) {
    EXPECT_NEAR(fit.skeleton.capsules[k].radius / model.capsules[k].radius, 1, 0.05) << model.capsules[k].name;
  }
}

TEST(BodyShape, NoPointsChangeNothing) {
  const Skeleton model = default_human();
  const std::vector<float> state = to_state(model, walking(model, 0));
  const ShapeFit fit = fit_shape(model, {{RefinePoints{}, state}}, Threads(1));
  EXPECT_DOUBLE_EQ(length_of(fit.skeleton, "left_knee"), length_of(model, "left_knee"));
  EXPECT_EQ(fit.skeleton.capsules[5].radius, model.capsules[5].radius);
  for (std::size_t i = 0; i < state.size(); ++i) EXPECT_NEAR(fit.states[0][i], state[i], 1e-6);
  EXPECT_TRUE(fit_shape(model, {}, Threads(1)).states.empty());
}

}  // namespace
}  // namespace kinema::body
