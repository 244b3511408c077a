// Poses between which the tracker decides are compared on equal terms.
#include "body/watch.h"
#include "tracker_scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace kinema::body {
namespace {

class BodyWatch : public ::testing::Test {
protected:
  BodyWatch() {
    settings.particles = 1;
    settings.likelihood.threads = 1;
    particles = make_particles(skeleton, settings, Backend::cpu);
    particles->set_points(seen.view());
  }

  double error(const std::vector<float>& state) const {
    return mean_error(joint_positions(skeleton, to_pose(state)), joint_positions(skeleton, truth));
  }

  TrackerSettings settings;
  const Skeleton skeleton = default_human();
  const Pose truth = walking(skeleton, 0.15);
  const SeenPoints seen = see(skeleton, truth);
  std::unique_ptr<Particles> particles;
};

TEST_F(BodyWatch, AFindThatIsBackToFrontIsTurnedRound) {
  const Watch watch(skeleton, settings);
  const std::vector<float> back = Rivals(skeleton).turned_round(to_state(skeleton, truth));
  ASSERT_GT(error(back), 0.15);
  const auto [own, turned] = watch.compare_facings(*particles, {back});
  ASSERT_EQ(own.states.size(), 1u);
  ASSERT_EQ(turned.states.size(), 1u);
  EXPECT_GT(turned.log_likelihood[0], own.log_likelihood[0]);
  // clean points on the very capsules, but limbs that nobody sees
  EXPECT_LT(error(turned.states[0]), 0.03);
}

TEST_F(BodyWatch, PosesThatAreComparedGetNoWorse) {
  const Watch watch(skeleton, settings);
  std::vector<float> off = to_state(skeleton, truth), right = off;
  off[0] += 0.03f;
  off[2] += 0.05f;
  const std::vector<double> before = particles->weigh_poses(std::vector{off, right});
  const Outlook outlook = watch.compare(*particles, {off, right});
  ASSERT_EQ(outlook.states.size(), 2u);
  for (std::size_t i : {0, 1}) EXPECT_GE(outlook.log_likelihood[i], before[i]) << i;
  EXPECT_LT(error(outlook.states[0]), error(off) / 2);
  EXPECT_EQ(outlook.states[1], right) << "nothing is likelier than the truth";
}

}  // namespace
}  // namespace kinema::body
