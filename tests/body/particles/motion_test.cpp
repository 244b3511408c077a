// Motion models: speeds, and the noise of equal size in space.
#include "body/particles/motion.h"

#include <gtest/gtest.h>

namespace kinema::body {
namespace {

TEST(Motion, DeviationGrowsWithTime) {
  const Skeleton skeleton = default_human();
  const std::vector<float> second = walk_deviation(skeleton, 1), frame = walk_deviation(skeleton, 0.1);
  ASSERT_EQ(second.size(), root_tangent + skeleton.angle_count());
  EXPECT_EQ(second[0], static_cast<float>(root_speed));
  EXPECT_EQ(second[3], static_cast<float>(root_turn_speed));
  for (std::size_t i = 0; i < frame.size(); ++i) EXPECT_NEAR(frame[i], 0.1 * second[i], 1e-6);
  const std::vector<double> precision = walk_precision(skeleton, 0.1);
  for (std::size_t i = 0; i < frame.size(); ++i) EXPECT_NEAR(precision[i] * frame[i] * frame[i], 1, 1e-6);
}

TEST(Motion, SpinesRestMoreThanLimbs) {
  const Skeleton skeleton = default_human();
  const Comfort comfort(skeleton);
  ASSERT_EQ(comfort.angles.size(), skeleton.angle_count());
  std::size_t at = 0;
  for (const Joint& joint : skeleton.joints) {
    for (std::size_t i = 0; i < joint.freedoms.size(); ++i, ++at) {
      if (joint.name == "spine" || joint.name == "neck") {
        EXPECT_GT(comfort.precision[at], 5) << joint.name;
      } else if (joint.name == "left_elbow" || joint.name == "left_knee") {
        EXPECT_LT(comfort.precision[at], 1) << joint.name;
      }
    }
  }
  Pose pose = rest_pose(skeleton);
  pose.angles = comfort.angles;
  std::vector<float> state = to_state(skeleton, pose);
  EXPECT_NEAR(comfort.cost(state), 0, 1e-9);
  state[root_floats] += 0.3f;
  EXPECT_NEAR(comfort.cost(state), 0.5 * comfort.precision[0] * 0.09, 1e-4);
}

TEST(Motion, SpatialFactorHasTheCovarianceItSays) {
  const Skeleton skeleton = default_human();
  const FlatSkeleton flat(skeleton);
  const Kinematics kinematics = flat.view();
  const auto size = static_cast<std::size_t>(tangent_size(kinematics));
  std::vector<float> state = to_state(skeleton, rest_pose(skeleton));
  for (std::size_t i = root_floats; i < state.size(); ++i) state[i] += 0.1f;
  const double deviation = 0.05;
  const std::vector<float> walk = walk_deviation(skeleton, 1.0 / 30);
  const std::vector<float> factor = spatial_factor(kinematics, state, deviation, walk);

  // F^T P F = 1 with P = J^T J / deviation^2 + D, J by differences
  std::vector<std::vector<double>> image(size);  // of column c of F: J F_c / deviation, then D^1/2 F_c
  std::vector<Place> forth(skeleton.joints.size()), back(skeleton.joints.size());
  const auto moved = [&](std::size_t i, float step, std::vector<Place>& places) {
    std::vector<float> tangent(size, 0), other = state;
    tangent[i] = step;
    move_state(kinematics, tangent.data(), other.data());
    place_joints(kinematics, other.data(), places.data());
  };
  std::vector<std::vector<double>> derivative(size);
  for (std::size_t i = 0; i < size; ++i) {
    const float step = 0.01f;
    moved(i, step, forth);
    moved(i, -step, back);
    for (std::size_t j = 0; j < forth.size(); ++j) {
      const Vec3f u = (0.5f / step) * (forth[j].origin - back[j].origin);
      derivative[i].insert(derivative[i].end(), {u.x, u.y, u.z});
    }
  }
  for (std::size_t c = 0; c < size; ++c) {
    image[c].assign(derivative[0].size(), 0);
    for (std::size_t i = 0; i < size; ++i) {
      const double own = factor[i * size + c];
      for (std::size_t r = 0; r < derivative[i].size(); ++r) image[c][r] += own * derivative[i][r] / deviation;
    }
    for (std::size_t i = 0; i < size; ++i) image[c].push_back(factor[i * size + c] / walk[i]);
  }
  for (std::size_t c = 0; c < size; ++c) {
    for (std::size_t d = 0; d <= c; ++d) {
      double sum = 0;
      for (std::size_t r = 0; r < image[c].size(); ++r) sum += image[c][r] * image[d][r];
      EXPECT_NEAR(sum, c == d ? 1 : 0, 5e-3) << c << ", " << d;  // derivatives by differences of floats
    }
  }
}

}  // namespace
}  // namespace kinema::body
