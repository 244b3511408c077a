// The filter with paper_settings() against a plain transcription of section 2 of the paper, in double precision. They
// share the random numbers, the kinematics and, of the weights, the reference likelihood; nothing else. The transcription has
// no limits of joints, as the paper has none; the person of the test does not reach those of its skeleton.
#include "body/particles/motion.h"
#include "core/random.h"
#include "kinema/body_filter.h"
#include "problems.h"
#include "tracker_scene.h"

#include <algorithm>
#include <cmath>

namespace kinema::body {
namespace {

constexpr std::size_t count = 64;
constexpr double frame_time = 1.0 / 30;

// The filter of the paper. Random numbers are those of kinema: keyed by seed, draw, particle and dimension.
struct PaperFilter {
  Skeleton skeleton;
  TrackerSettings settings;
  std::vector<Pose> theta{};
  std::vector<double> w{}, l{};
  std::uint32_t draw = 0;
  Pose mean{};
  double effective = 0, margin = 1;
  bool resampled = false;

  void start(const Pose& pose) { theta.assign(count, pose), w.assign(count, 1.0 / count); }

  void track(PointsView points, double seconds) {
    const auto likelihood = make_likelihood(settings.likelihood, Backend::reference);
    likelihood->set_points(points);
    l.assign(count, 0);
    for (std::size_t j = 0; j < count; ++j) {
      sample(theta[j], Random{settings.seed, draw, static_cast<std::uint32_t>(j)}, seconds);
      const std::vector<float> skin = pose_capsules(skeleton, theta[j]);
      likelihood->evaluate({skin.data(), 1, skeleton.capsules.size(), capsule_floats}, std::span(l).subspan(j, 1));
    }
    ++draw;
    const double greatest = *std::max_element(l.begin(), l.end());
    double sum = 0, squares = 0;
    for (std::size_t j = 0; j < count; ++j) sum += w[j] *= std::exp(l[j] - greatest);
    for (double& weight : w) weight /= sum, squares += weight * weight;
    effective = 1 / squares;
    take_mean();
    resampled = effective < 0.5 * count;
    if (resampled) resample(Random{settings.seed, draw++, 0}.uniform(0));
  }

  // theta_t ~ p(theta_t | theta_t-1): every number wanders at its own speed.
  void sample(Pose& pose, const Random& random, double seconds) const {
    std::uint32_t dimension = 0;
    const auto step = [&](double speed) { return speed * seconds * random.normal(dimension++); };
    for (double* number : {&pose.position.x, &pose.position.y, &pose.position.z}) *number += step(root_speed);
    const double x = step(root_turn_speed), y = step(root_turn_speed), z = step(root_turn_speed);
    const double angle = std::hypot(x, y, z), s = std::sin(angle / 2) / angle, c = std::cos(angle / 2);
    const Quaternion q = pose.rotation;  // turned: (c, s x, s y, s z) q
    pose.rotation = {c * q.w - s * (x * q.x + y * q.y + z * q.z), c * q.x + s * (x * q.w + y * q.z - z * q.y),
                     c * q.y + s * (y * q.w + z * q.x - x * q.z), c * q.z + s * (z * q.w + x * q.y - y * q.x)};
    std::size_t i = 0;
    for (const Joint& joint : skeleton.joints) {
      for (const Freedom& freedom : joint.freedoms) {
        pose.angles[i++] += step(freedom.speed);
      }
    }
  }

  // Eq. 1; of the rotations, the mean of quaternions.
  void take_mean() {
    mean = {{0, 0, 0}, {0, 0, 0, 0}, std::vector<double>(skeleton.angle_count(), 0)};
    const Quaternion& side = theta[0].rotation;
    for (std::size_t j = 0; j < count; ++j) {
      const auto& [p, q, angles] = theta[j];
      const double sign = side.w * q.w + side.x * q.x + side.y * q.y + side.z * q.z < 0 ? -w[j] : w[j];
      mean.position = {mean.position.x + w[j] * p.x, mean.position.y + w[j] * p.y, mean.position.z + w[j] * p.z};
      mean.rotation = {mean.rotation.w + sign * q.w, mean.rotation.x + sign * q.x, mean.rotation.y + sign * q.y,
                       mean.rotation.z + sign * q.z};
      for (std::size_t i = 0; i < angles.size(); ++i) mean.angles[i] += w[j] * angles[i];
    }
    auto& [qw, qx, qy, qz] = mean.rotation;
    const double length = std::sqrt(qw * qw + qx * qx + qy * qy + qz * qz);
    for (double* number : {&qw, &qx, &qy, &qz}) *number /= length;
  }

  // Systematic: one random number, and from there in equal steps through the cumulated weights.
  void resample(double uniform) {
    std::vector<Pose> drawn;
    std::size_t i = 0;
    double cumulated = w[0];
    for (std::size_t j = 0; j < count; ++j) {
      const double position = (static_cast<double>(j) + uniform) / count;
      while (position > cumulated && i + 1 < count) cumulated += w[++i];
      margin = std::min({margin, cumulated - position, position - (cumulated - w[i])});
      drawn.push_back(theta[i]);
    }
    theta = drawn;
    w.assign(count, 1.0 / count);
  }
};

// Hinges only: their mean rotation is the mean of their angles, eq. 1 to the letter.
Skeleton hinged() {
  Skeleton skeleton;
  skeleton.name = "hinged";
  const auto add = [&](const char* name, int parent, Vec3 offset, Vec3 axis, Vec3 end, double radius) {
    Joint joint{name, parent, offset, {}};
    if (parent >= 0) joint.freedoms.push_back({axis, -3, 3, 3});
    skeleton.joints.push_back(joint);
    skeleton.capsules.push_back({name, static_cast<int>(skeleton.joints.size()) - 1, {0, 0, 0}, end, radius});
  };
  add("trunk", -1, {0, 0, 0}, {}, {0, 0.5, 0}, 0.14);
  add("head", 0, {0, 0.62, 0}, {0, 0, 1}, {0, 0.2, 0}, 0.1);
  for (const double side : {-1.0, 1.0}) {
    add(side < 0 ? "arm" : "other_arm", 0, {side * 0.2, 0.45, 0}, {0, 0, 1}, {side * 0.3, 0, 0}, 0.05);
    const int arm = static_cast<int>(skeleton.joints.size()) - 1;
    add(side < 0 ? "forearm" : "other_forearm", arm, {side * 0.3, 0, 0}, {0, 1, 0}, {side * 0.28, 0, 0}, 0.045);
    add(side < 0 ? "thigh" : "other_thigh", 0, {side * 0.1, -0.05, 0}, {1, 0, 0}, {0, -0.4, 0}, 0.08);
    const int thigh = static_cast<int>(skeleton.joints.size()) - 1;
    add(side < 0 ? "shin" : "other_shin", thigh, {0, -0.4, 0}, {1, 0, 0}, {0, -0.4, 0}, 0.06);
  }
  check(skeleton);
  return skeleton;
}

class PaperFilterTest : public OnBackend {
protected:
  Pose truth(int frame) const {
    Pose pose = rest_pose(skeleton_, 2.5);
    pose.position.x += 0.01 * frame;
    for (std::size_t i = 0; i < pose.angles.size(); ++i)
      pose.angles[i] = 0.3 * std::sin(0.2 * frame + static_cast<double>(i));
    return pose;
  }

  // Tracks with both, and says in how many frames they resampled.
  int expect_the_same(double sigma, int frames) {
    TrackerSettings settings = paper_settings();
    settings.particles = count;
    settings.seed = 7;
    settings.likelihood.sigma = sigma;
    settings.skeleton = skeleton_;
    const auto tracker = make_filter(settings, GetParam());
    PaperFilter paper{skeleton_, settings};
    tracker->start(truth(0));
    paper.start(truth(0));
    tracker->particle_joints(1);  // from now on they are kept as they were weighed
    int resampled = 0;
    for (int frame = 0; frame < frames; ++frame) {
      SCOPED_TRACE(frame);
      const SeenPoints seen = see(skeleton_, truth(frame));
      std::vector<float> person;
      for (std::size_t i = 0; i < seen.size(); ++i) {
        if (seen.background[i] == 0) person.insert(person.end(), &seen.xyz[3 * i], &seen.xyz[3 * i] + 3);
      }
      const Estimate estimate = tracker->track({frame * frame_time, seen.view()});
      EXPECT_TRUE(estimate.found);
      if (!estimate.found) return 0;
      paper.track({person.data(), person.size() / 3, {}}, frame_time);
      expect_alike(*tracker, estimate, paper);
      resampled += paper.resampled ? 1 : 0;
    }
    // weights agree to 1e-4, so a draw so near to the border between two particles could fall on either
    EXPECT_GT(paper.margin, 1e-5);
    return resampled;
  }

  void expect_alike(Filter& tracker, const Estimate& estimate, const PaperFilter& paper) {
    // a state is kept in single precision, and loses some 1e-7 in every frame
    for (std::size_t i = 0; i < estimate.pose.angles.size(); ++i) {
      EXPECT_NEAR(estimate.pose.angles[i], paper.mean.angles[i], 1e-4) << i;
    }
    const Quaternion &q = estimate.pose.rotation, &r = paper.mean.rotation;
    EXPECT_NEAR(std::abs(q.w * r.w + q.x * r.x + q.y * r.y + q.z * r.z), 1, 1e-6);
    EXPECT_LT(distance(estimate.pose.position, paper.mean.position), 1e-4);
    const double likeliest = *std::max_element(paper.l.begin(), paper.l.end());
    EXPECT_NEAR(estimate.log_likelihood, likeliest, 1e-3 * std::abs(likeliest));  // distances in single precision
    EXPECT_NEAR(estimate.effective_sample_size, paper.effective, 1e-3 * paper.effective);
    if (paper.resampled) return;  // its particles are drawn already, those of the tracker as they were weighed
    const std::vector<Vec3> joints = tracker.particle_joints(count);
    ASSERT_EQ(joints.size(), count * skeleton_.joints.size());
    for (std::size_t j = 0; j < count; ++j) {
      const std::vector<Vec3> expected = joint_positions(skeleton_, paper.theta[j]);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_LT(distance(joints[j * expected.size() + i], expected[i]), 1e-5) << j << ' ' << i;
      }
    }
  }

  const Skeleton skeleton_ = hinged();
};

// A sigma so wide that weights differ little: it takes frames until the product of their weights calls for a resampling.
TEST_P(PaperFilterTest, IsThatOfThePaperWhereWeightsAreCarried) {
  const int resampled = expect_the_same(1.0, 8);
  EXPECT_GT(resampled, 0) << "else no frame shows that resampling ends the product";
  EXPECT_LT(resampled, 5) << "else few frames carry weights";
}

TEST_P(PaperFilterTest, IsThatOfThePaperWhereEveryFrameResamples) { EXPECT_EQ(expect_the_same(0.3, 5), 5); }

INSTANTIATE_TEST_SUITE_P(Backends, PaperFilterTest, ::testing::Values(Backend::reference, Backend::cpu, Backend::cuda),
                         backend_name);

TEST(PaperSettings, LeaveNothingButTheFilter) {
  const TrackerSettings paper = paper_settings();
  EXPECT_EQ(paper.likelihood.association, Association::nearest);
  EXPECT_FALSE(paper.likelihood.free_space);
  EXPECT_EQ(paper.particles, 2000u);  // a number that is given is not changed while live
  EXPECT_GT(paper.points, 1000000u);  // so is this: points as measured
  EXPECT_EQ(paper.layers, 1);
  EXPECT_EQ(paper.refined, 0);
  EXPECT_EQ(paper.rivals, 0);
  EXPECT_FALSE(paper.limbs || paper.tempered || paper.unperturbed_particle || paper.fit_shape);
  EXPECT_EQ(paper.sensor_noise, 0);
  EXPECT_EQ(paper.lag, 0u);
  EXPECT_EQ(paper.motion, Motion::random_walk);
  EXPECT_EQ(paper.resampling, Resampling::systematic);
}

}  // namespace
}  // namespace kinema::body
