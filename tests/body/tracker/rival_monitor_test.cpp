// Rival hypotheses are proposed in turn, and compared on equal terms, on every backend.
#include "body/tracker/rival_monitor.h"
#include "problems.h"
#include "tracker_scene.h"

namespace kinema::body {
namespace {

class BodyRivalMonitor : public OnBackend {
protected:
  void SetUp() override {
    OnBackend::SetUp();
    if (IsSkipped()) return;
    settings.particles = 1;
    particles = make_particles(skeleton, settings, {GetParam(), 1});
    particles->set_points(seen.view());
  }

  double error(const std::vector<float>& state) const {
    return mean_error(joint_positions(skeleton, to_pose(state)), joint_positions(skeleton, truth));
  }

  TrackerSettings settings;
  const Skeleton skeleton = default_human();
  const Pose truth = walking(skeleton, 0.15);
  const std::vector<float> back = RivalPoses(skeleton).turned_round(to_state(skeleton, truth));
  const SeenPoints seen = see(skeleton, truth);
  std::unique_ptr<Particles> particles;
};

TEST_P(BodyRivalMonitor, AResultThatIsBackToFrontIsTurnedRound) {
  const RivalMonitor monitor(skeleton, settings);
  ASSERT_GT(error(back), 0.15);
  const auto [own, turned] = monitor.compare_facings(*particles, {back});
  ASSERT_EQ(own.states.size(), 1u);
  ASSERT_EQ(turned.states.size(), 1u);
  EXPECT_GT(turned.log_likelihood[0], own.log_likelihood[0]);
  // clean points on the very capsules, but limbs that nobody sees
  EXPECT_LT(error(turned.states[0]), 0.03);
}

TEST_P(BodyRivalMonitor, PosesThatAreComparedGetNoWorse) {
  const RivalMonitor monitor(skeleton, settings);
  std::vector<float> off = to_state(skeleton, truth), right = off;
  off[0] += 0.03f;
  off[2] += 0.05f;
  const std::vector<double> before = particles->weigh_poses(std::vector{off, right});
  const Hypotheses hypotheses = monitor.compare(*particles, {off, right});
  ASSERT_EQ(hypotheses.states.size(), 2u);
  for (std::size_t i : {0, 1}) EXPECT_GE(hypotheses.log_likelihood[i], before[i]) << i;
  EXPECT_LT(error(hypotheses.states[0]), error(off) / 2);
  // nothing is likelier than the truth, by more than single precision may make of it
  EXPECT_LT(error(hypotheses.states[1]), 0.005);
}

TEST_P(BodyRivalMonitor, RivalsAndSearchesFindThePoseBehindThePoints) {
  RivalMonitor monitor(skeleton, settings);
  particles->place(back, 1);
  const RefinePoints points = seen.refine_points();
  bool searched = false;
  for (int frame = 0; frame < 5; ++frame) {
    const Hypotheses hypotheses = monitor.evaluate_rivals(*particles, points);
    // the first rivals hold the one that is turned round; later ones need not hold it again, but a search does
    if (frame > 0 && !monitor.searched()) continue;
    searched = searched || monitor.searched();
    EXPECT_NE(hypotheses.best(1), 0u) << frame;
    EXPECT_LT(error(hypotheses.states[hypotheses.best(1)]), 0.06) << frame;
  }
  EXPECT_TRUE(searched);
}

INSTANTIATE_TEST_SUITE_P(Backends, BodyRivalMonitor, ::testing::Values(Backend::reference, Backend::cpu, Backend::cuda),
                         backend_name);

}  // namespace
}  // namespace kinema::body
