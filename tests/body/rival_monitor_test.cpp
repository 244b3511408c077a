// Poses between which the tracker decides are compared on equal terms.
#include "body/rival_monitor.h"
#include "tracker_scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace kinema::body {
namespace {

class BodyRivalMonitor : public ::testing::Test {
protected:
  BodyRivalMonitor() {
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

TEST_F(BodyRivalMonitor, AFindThatIsBackToFrontIsTurnedRound) {
  const RivalMonitor monitor(skeleton, settings);
  const std::vector<float> back = RivalPoses(skeleton).turned_round(to_state(skeleton, truth));
  ASSERT_GT(error(back), 0.15);
  const auto [own, turned] = monitor.compare_facings(*particles, {back});
  ASSERT_EQ(own.states.size(), 1u);
  ASSERT_EQ(turned.states.size(), 1u);
  EXPECT_GT(turned.log_likelihood[0], own.log_likelihood[0]);
  // clean points on the very capsules, but limbs that nobody sees
  EXPECT_LT(error(turned.states[0]), 0.03);
}

TEST_F(BodyRivalMonitor, PosesThatAreComparedGetNoWorse) {
  const RivalMonitor monitor(skeleton, settings);
  std::vector<float> off = to_state(skeleton, truth), right = off;
  off[0] += 0.03f;
  off[2] += 0.05f;
  const std::vector<double> before = particles->weigh_poses(std::vector{off, right});
  const Hypotheses hypotheses = monitor.compare(*particles, {off, right});
  ASSERT_EQ(hypotheses.states.size(), 2u);
  for (std::size_t i : {0, 1}) EXPECT_GE(hypotheses.log_likelihood[i], before[i]) << i;
  EXPECT_LT(error(hypotheses.states[0]), error(off) / 2);
  EXPECT_EQ(hypotheses.states[1], right) << "nothing is likelier than the truth";
}

}  // namespace
}  // namespace kinema::body
