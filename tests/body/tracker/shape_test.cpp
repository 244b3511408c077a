// The fit of lengths and radii to a person.
#include "body/tracker/shape.h"
#include "tracker_scene.h"

#include <gtest/gtest.h>

#include <optional>

#include <algorithm>
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
    frames.push_back({seen, to_state(model, pose), {}});
  }
  return frames;
}

// A level floor under the soles of a pose.
Plane floor_under(const Skeleton& skeleton, const Pose& pose) {
  const std::vector<float> skin = pose_capsules(skeleton, pose);
  float sole = -1e9f;
  for (std::size_t k = 0; k < skin.size(); k += capsule_floats)
    sole = std::max({sole, skin[k + 1] + skin[k + 3], skin[k + 5] + skin[k + 3]});
  return {{0, -1, 0}, sole, true};
}

double leg_of(const Skeleton& skeleton) { return length_of(skeleton, "left_knee") + length_of(skeleton, "left_ankle"); }

// People of the model's size, give or take a tenth.
ShapeFit fitted(const Skeleton& model, const std::vector<ShapeFrame>& frames, const Threads& threads,
                const std::optional<Eigen::VectorXd>& start = {}) {
  const ShapeSpace space(model);
  const Eigen::VectorXd mean = space.mean(1);
  return fit_shape(space, frames, threads, mean, 0.1, start.value_or(mean));
}

TEST(BodyShape, RecoversALargerPersonWithLongerLegs) {
  const Skeleton model = default_human();
  const Skeleton person = with_longer_legs(scaled(model, 1.06), 1.05);
  const ShapeFit fit = fitted(model, frames_of(person, model, 5), Threads(2));
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
    frames.push_back({see(model, pose).refine_points(), to_state(model, pose), {}});
  }
  const ShapeFit fit = fitted(model, frames, Threads(2));
  for (const char* bone : {"spine", "head", "left_elbow", "left_knee", "left_ankle"}) {
    EXPECT_NEAR(length_of(fit.skeleton, bone) / length_of(model, bone), 1, 0.02) << bone;
  }
  for (std::size_t k = 0; k < model.capsules.size(); ++k) {
    EXPECT_NEAR(fit.skeleton.capsules[k].radius / model.capsules[k].radius, 1, 0.05) << model.capsules[k].name;
  }
}

TEST(BodyShape, LegsThatNobodySeesEndAtTheFloor) {
  // everything below the knees is out of sight, and the person was taken for a taller one
  const Skeleton model = default_human();
  const Skeleton person = scaled(model, 0.9);
  const Pose pose = standing(person, 2.6, 0.5);
  const float knee =
      static_cast<float>(joint_positions(person, pose)[static_cast<std::size_t>(person.find("left_knee"))].y);
  const RefinePoints all = see(person, pose).refine_points();
  std::vector<Vec3f> above;
  for (std::size_t i = 0; i < all.person.size(); ++i)
    if (all.person[i].y < knee) above.push_back(all.person[i]);
  RefinePoints upper;
  upper.person = PointList(above, PointList::Neighbours::in_space);
  const Skeleton longer = with_longer_legs(model, 1.15);
  const ShapeFit without = fitted(longer, {{upper, to_state(model, pose), {}}}, Threads(1));
  upper.floor = floor_under(person, pose);
  const ShapeFit with = fitted(longer, {{upper, to_state(model, pose), {}}}, Threads(1));
  EXPECT_GT(leg_of(without.skeleton), 1.12 * leg_of(person));
  EXPECT_LT(leg_of(with.skeleton), leg_of(without.skeleton) - 0.04);
  // not far under it; it gives way a little
  const Plane sunk = floor_under(with.skeleton, to_pose(with.states[0]));
  EXPECT_LT(sunk.offset, upper.floor->offset + 0.04);
}

TEST(BodyShape, HipsAreAsBroadAsTheyAreSeenWhateverTheHeight) {
  const Skeleton model = default_human();
  Skeleton person = model;
  for (const char* hip : {"left_hip", "right_hip"})
    person.joints[static_cast<std::size_t>(person.find(hip))].offset.x *= 1.3;
  for (SkinCapsule& capsule : person.capsules) {
    if (capsule.joint != 0) continue;
    capsule.a.x *= 1.3;
    capsule.b.x *= 1.3;
  }
  const ShapeFit fit = fitted(model, frames_of(person, model, 5), Threads(2));
  const auto hip = static_cast<std::size_t>(model.find("left_hip"));
  // three deviations from those of people, which draw it back a little
  EXPECT_NEAR(fit.skeleton.joints[hip].offset.x / person.joints[hip].offset.x, 1, 0.1);
  EXPECT_NEAR(leg_of(fit.skeleton) / leg_of(person), 1, 0.03);
}

TEST(BodyShape, AStartIsNoExpectation) {
  // nothing is seen, so the person is what people are, wherever the fit begins
  const Skeleton model = default_human();
  const std::vector<float> state = to_state(model, walking(model, 0));
  const ShapeFit fit = fitted(model, {{RefinePoints{}, state, {}}}, Threads(1), ShapeSpace(model).mean(1.1));
  EXPECT_NEAR(leg_of(fit.skeleton) / leg_of(model), 1, 1e-6);
  for (double number : fit.shape) EXPECT_NEAR(number, 0, 1e-6);
}

TEST(BodyShape, NoPointsChangeNothing) {
  const Skeleton model = default_human();
  const std::vector<float> state = to_state(model, walking(model, 0));
  const ShapeFit fit = fitted(model, {{RefinePoints{}, state, {}}}, Threads(1));
  EXPECT_DOUBLE_EQ(length_of(fit.skeleton, "left_knee"), length_of(model, "left_knee"));
  EXPECT_EQ(fit.skeleton.capsules[5].radius, model.capsules[5].radius);
  for (std::size_t i = 0; i < state.size(); ++i) EXPECT_NEAR(fit.states[0][i], state[i], 1e-6);
  EXPECT_TRUE(fitted(model, {}, Threads(1)).states.empty());
}

}  // namespace
}  // namespace kinema::body
