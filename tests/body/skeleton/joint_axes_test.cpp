// Derivatives of a pose by the numbers of its tangent, against differences.
#include "body/skeleton/joint_axes.h"
#include "core/random.h"

#include <gtest/gtest.h>

namespace kinema::body {
namespace {

std::vector<float> random_state(const Skeleton& skeleton, std::uint64_t seed) {
  const Random random{seed, 0, 0};
  Pose pose = rest_pose(skeleton);
  std::uint32_t at = 0;
  for (const Joint& joint : skeleton.joints) {
    for (const Freedom& freedom : joint.freedoms) {
      pose.angles[at] = freedom.lower + (0.1 + 0.8 * random.uniform(at)) * (freedom.upper - freedom.lower);
      ++at;
    }
  }
  const Vec3 turn{random.normal(500), random.normal(501), random.normal(502)};
  const Quaternion q = exponential(turn);
  pose.rotation = {q.w, q.x, q.y, q.z};
  return to_state(skeleton, pose);
}

std::vector<Place> places_of(const Kinematics& kinematics, const std::vector<float>& state) {
  std::vector<Place> places(static_cast<std::size_t>(kinematics.joint_count));
  place_joints(kinematics, state.data(), places.data());
  return places;
}

TEST(JointAxes, TwistsAreTheDerivativesOfThePlaces) {
  const Skeleton skeleton = default_human();
  const FlatSkeleton flat(skeleton);
  const Kinematics kinematics = flat.view();
  const int size = tangent_size(kinematics);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const std::vector<float> state = random_state(skeleton, seed);
    const std::vector<Place> places = places_of(kinematics, state);
    std::vector<Twist> twists(static_cast<std::size_t>(size));
    joint_twists(kinematics, state.data(), places.data(), twists.data());
    for (int i = 0; i < size; ++i) {
      const float step = 0.01f;
      std::vector<float> forth = state, back = state, tangent(static_cast<std::size_t>(size), 0);
      tangent[static_cast<std::size_t>(i)] = step;
      move_state(kinematics, tangent.data(), forth.data());
      tangent[static_cast<std::size_t>(i)] = -step;
      move_state(kinematics, tangent.data(), back.data());
      const std::vector<Place> after = places_of(kinematics, forth), before = places_of(kinematics, back);
      for (int j = 0; j < kinematics.joint_count; ++j) {
        // a number moves what hangs below its joint
        bool moves = i < root_tangent;
        for (int above = kinematics.joints[j].parent; above > 0; above = kinematics.joints[above].parent) {
          const int angle = i - root_tangent, first = kinematics.joints[above].first_angle;
          moves = moves || (angle >= first && angle < first + kinematics.joints[above].angles);
        }
        const auto at = static_cast<std::size_t>(j);
        const Twist& twist = twists[static_cast<std::size_t>(i)];
        Vec3f expected{0, 0, 0};
        if (moves) expected = twist.v + cross(twist.w, places[at].origin - places[0].origin);
        const Vec3f found = (0.5f / step) * (after[at].origin - before[at].origin);
        // a difference of floats near 3 over 0.02, and the third derivative times 0.01^2 / 6
        EXPECT_LT(norm(found - expected), 1e-4) << "number " << i << ", joint " << j;
      }
    }
  }
}

TEST(JointAxes, DifferenceLeadsFromOneStateToAnother) {
  const Skeleton skeleton = default_human();
  const FlatSkeleton flat(skeleton);
  const Kinematics kinematics = flat.view();
  const std::vector<float> from = random_state(skeleton, 1), to = random_state(skeleton, 2);
  std::vector<float> tangent(static_cast<std::size_t>(tangent_size(kinematics))), moved = from;
  state_difference(kinematics, from.data(), to.data(), tangent.data());
  move_state(kinematics, tangent.data(), moved.data());
  const float sign = moved[3] * to[3] + moved[4] * to[4] + moved[5] * to[5] + moved[6] * to[6] < 0 ? -1.0f : 1.0f;
  for (std::size_t i = 0; i < to.size(); ++i) {
    EXPECT_NEAR(moved[i], i >= 3 && i < 7 ? sign * to[i] : to[i], 2e-6) << i;  // a few roundings of numbers up to 3
  }
}

TEST(JointAxes, AnglesStopAtTheirLimits) {
  const Skeleton skeleton = default_human();
  const FlatSkeleton flat(skeleton);
  const Kinematics kinematics = flat.view();
  for (const float way : {-10.0f, 10.0f}) {
    std::vector<float> state = random_state(skeleton, 3);
    const std::vector<float> tangent(static_cast<std::size_t>(tangent_size(kinematics)), way);
    move_state(kinematics, tangent.data(), state.data());
    for (int i = 0; i < kinematics.angle_count; ++i) {
      EXPECT_EQ(state[static_cast<std::size_t>(root_floats + i)], way < 0 ? kinematics.lower[i] : kinematics.upper[i]);
    }
  }
}

}  // namespace
}  // namespace kinema::body
