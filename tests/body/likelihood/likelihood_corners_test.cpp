// The corners: cases small enough to work out by hand, on every backend and baseline, the oracle among them.
#include "kinema/error.h"
#include "problems.h"

#include <cmath>

namespace kinema::body {
namespace {

class LikelihoodCorners : public OnProgram {
protected:
  LikelihoodCorners() {
    problem.settings.tau = 0.1;
    problem.settings.sigma = 0.5;  // 2 sigma^2 = 0.5
  }

  // the distance that the one point is charged with
  double distance() const { return std::sqrt(std::max(0.0, -0.5 * run(problem, GetParam()).log_likelihood.at(0))); }

  // single precision at a few metres; the paper's formulas lose a digit more where they subtract squares
  const double close = is_plain() ? 2e-5 : 1e-6;

  Problem problem;
};

class LikelihoodBeyondThePaper : public LikelihoodCorners {};

TEST_P(LikelihoodCorners, APointBeforeOrBehindTheSurfaceIsAtThatDistance) {
  problem.add_capsule({0, -1, 3}, 0.1, {0, 1, 3});
  problem.add_point(0, 0, 2.85);
  EXPECT_NEAR(distance(), 0.05, close);
  problem.points = {0, 0, 2.97f};
  EXPECT_NEAR(distance(), 0.07, close);
}

TEST_P(LikelihoodCorners, DistancesAreMeasuredAlongTheRay) {
  // the ray (0.6, 0, 0.8) meets the plane-like side of a very thick capsule obliquely
  problem.add_capsule({0, -50, 103}, 100, {0, 50, 103});
  const double A = 1, B = 0.8 * 103, C = 103.0 * 103 - 100.0 * 100;
  const double t = B - std::sqrt(B * B - A * C);
  problem.add_point(0.6 * (t - 0.03), 0, 0.8 * (t - 0.03));
  // the input itself is rounded at 100 m, where squares of single precision are known to a millimetre squared
  EXPECT_NEAR(distance(), 0.03, is_plain() ? 5e-3 : 1e-5);
}

TEST_P(LikelihoodCorners, ARayThatMissesCostsTau) {
  problem.add_capsule({1, -1, 3}, 0.1, {1, 1, 3});
  problem.add_point(0, 0, 3);
  EXPECT_NEAR(distance(), 0.1, close);
}

TEST_P(LikelihoodBeyondThePaper, ADistanceCountsLessWhereThePointIsNotSure) {
  problem.add_capsule({0, -1, 3}, 0.1, {0, 1, 3});
  problem.add_point(0, 0, 2.85);
  problem.deviation = {static_cast<float>(std::sqrt(3.0) * problem.settings.sigma)};
  EXPECT_NEAR(distance(), 0.05 / 2, close);
  problem.points = {0, 0, 2.71f};
  EXPECT_NEAR(distance(), 0.19 / 2, close);
  problem.points = {0, 0, 2.6f};
  EXPECT_NEAR(distance(), 0.1, close);
  problem.points = {1, 0, 2.85f};  // a miss
  EXPECT_NEAR(distance(), 0.1, close);
}

TEST_P(LikelihoodCorners, TheCylinderEndsWhereItsAxisEnds) {
  // would be hit at 2.9 if the cylinder were infinite; the end's sphere is a metre away
  problem.add_capsule({0, 1, 3}, 0.1, {0, 2, 3});
  problem.add_point(0, 0, 2.9);
  EXPECT_NEAR(distance(), 0.1, close);
}

TEST_P(LikelihoodCorners, BeyondTheAxisTheEndsAreRound) {
  problem.add_capsule({0, 0.06, 3}, 0.1, {0, 2, 3});
  const double depth = 3 - 0.08;  // sqrt(0.1^2 - 0.06^2) before the centre
  problem.add_point(0, 0, depth - 0.01);
  EXPECT_NEAR(distance(), 0.01, close);
}

TEST_P(LikelihoodCorners, EqualEndsMakeASphere) {
  problem.add_capsule({0.3, 0, 3}, 0.5, {0.3, 0, 3});
  problem.add_point(0, 0, 3 - 0.4 - 0.02);
  EXPECT_NEAR(distance(), 0.02, close);
}

TEST_P(LikelihoodCorners, ACameraInsideACapsuleSeesItsFarWall) {
  problem.add_capsule({-1, 0, 0}, 0.5, {1, 0, 0});
  problem.add_point(0, 0, 0.52);
  EXPECT_NEAR(distance(), 0.02, close);
  problem.points = {1.47f, 0, 0};  // along the axis, to the end's sphere
  EXPECT_NEAR(distance(), 0.03, close);
}

TEST_P(LikelihoodCorners, ACameraInsideASphereSeesItsFarWall) {
  problem.add_capsule({0, 0, 0.2}, 1, {0, 0, 0.2});
  problem.add_point(0, 0, 1.25);
  EXPECT_NEAR(distance(), 0.05, close);
  problem.points = {0, 0, -0.79f};
  EXPECT_NEAR(distance(), 0.01, close);
}

TEST_P(LikelihoodCorners, ARayAlongTheAxisMeetsTheEnd) {
  problem.add_capsule({0, 0, 2}, 0.1, {0, 0, 3});
  problem.add_point(0, 0, 1.93);
  EXPECT_NEAR(distance(), 0.03, close);
  // in either direction of the axis
  problem.capsules = {0, 0, 3, 0.1f, 0, 0, 2};
  EXPECT_NEAR(distance(), 0.03, close);
  // and beside it, parallel: the camera is inside the infinite cylinder
  problem.capsules = {0.06f, 0, 2, 0.1f, 0.06f, 0, 3};
  problem.points = {0, 0, 1.94f};
  EXPECT_NEAR(distance(), 0.02, close);
}

TEST_P(LikelihoodCorners, NothingBehindTheCameraIsSeen) {
  problem.settings.tau = 10;
  problem.add_capsule({0, -1, -3}, 0.1, {0, 1, -3});
  problem.add_capsule({0, 0, -2}, 0.1, {0, 0, -3});
  problem.add_point(0, 0, 0.5);
  for (const Association association : {Association::nearest, Association::first_hit}) {
    if (is_plain() && association == Association::first_hit) break;
    problem.settings.association = association;
    EXPECT_NEAR(distance(), 10, 1e-5);
  }
}

TEST_P(LikelihoodCorners, AtTauTheDistanceIsCutOff) {
  problem.add_capsule({0, -1, 3}, 0.25, {0, 1, 3});
  for (const double d : {0.0999, 0.1, 0.1001, 0.5}) {
    problem.points.clear();
    problem.add_point(0, 0, 2.75 - d);
    EXPECT_NEAR(distance(), std::min(d, 0.1), close);
  }
}

TEST_P(LikelihoodBeyondThePaper, NearestLooksThroughWhatFirstHitStopsAt) {
  problem.add_capsule({0, -1, 2}, 0.1, {0, 1, 2});
  problem.add_capsule({0, -1, 3}, 0.1, {0, 1, 3});
  problem.add_point(0, 0, 2.88);
  EXPECT_NEAR(distance(), 0.02, close);
  problem.settings.association = Association::first_hit;
  EXPECT_NEAR(distance(), 0.1, close);
  problem.points = {0, 0, 1.87f};
  EXPECT_NEAR(distance(), 0.03, close);
}

TEST_P(LikelihoodBeyondThePaper, FreeSpacePunishesWhatStandsBeforeTheBackground) {
  problem.add_capsule({0, -1, 3}, 0.1, {0, 1, 3});
  const auto background_at = [&](double x, double z) {
    problem.points.clear();
    problem.add_point(x, 0, z);
    problem.background = {1};
    return distance();
  };
  for (const Association association : {Association::nearest, Association::first_hit}) {
    problem.settings.association = association;
    problem.settings.free_space = true;
    EXPECT_NEAR(background_at(0, 5), 0.1, close);  // seen behind the limb
    EXPECT_EQ(background_at(0, 2), 0);             // the limb stands behind it
    EXPECT_EQ(background_at(2, 5), 0);             // nothing there
    problem.settings.free_space = false;           // the paper's sum: a point like any other
    EXPECT_NEAR(background_at(2, 5), 0.1, close);
    EXPECT_NEAR(background_at(0, 2.87), 0.03, close);
  }
}

TEST_P(LikelihoodCorners, BadPointsAreDroppedAndCounted) {
  problem.add_capsule({0, -1, 3}, 0.1, {0, 1, 3});
  problem.settings.camera = {0.5, 0, 0};
  problem.add_point(NAN, 0, 1);
  problem.add_point(0, INFINITY, 1);
  problem.add_point(0, 0, -INFINITY);
  problem.add_point(0.5, 0, 0);  // the camera's own place
  problem.add_point(3, 0, 3);
  problem.add_point(-3, 0, 3);
  const Result result = run(problem, GetParam());
  EXPECT_EQ(result.points.used, 2u);
  EXPECT_EQ(result.points.dropped, 4u);
  EXPECT_NEAR(result.log_likelihood[0], -2 * 0.01 / 0.5, 1e-8);
}

TEST_P(LikelihoodCorners, NoPointsAreLikelyAndNoCapsulesAreNot) {
  problem.add_capsule({0, -1, 3}, 0.1, {0, 1, 3});
  EXPECT_EQ(run(problem, GetParam()).log_likelihood, std::vector<double>{0.0});
  problem.add_point(NAN, NAN, NAN);
  EXPECT_EQ(run(problem, GetParam()).log_likelihood, std::vector<double>{0.0});

  Problem empty;
  empty.samples = 3;
  for (int i = 0; i < 300; ++i) empty.add_point(0.01 * i, 0, 2);
  const Result result = run(empty, GetParam());
  for (const double value : result.log_likelihood)
    EXPECT_NEAR(value, -300 * 0.01 / (2 * 0.05 * 0.05), is_plain() ? 1e-2 : 1e-3);
  empty.samples = 0;
  EXPECT_TRUE(run(empty, GetParam()).log_likelihood.empty());
}

INSTANTIATE_TEST_SUITE_P(Backends, LikelihoodCorners, ::testing::Values("reference", "cpu", "cuda", "listing", "paper"),
                         program_name);
INSTANTIATE_TEST_SUITE_P(Backends, LikelihoodBeyondThePaper, ::testing::Values("reference", "cpu", "cuda"),
                         program_name);

// The baselines refuse what they do not know: a result without it would pass for one with it.
class LikelihoodOfThePaper : public OnProgram {};

TEST_P(LikelihoodOfThePaper, RefusesWhatThePaperDoesNotHave) {
  Problem problem = person_problem(20, 2);
  problem.settings.association = Association::first_hit;
  EXPECT_THROW(run(problem, GetParam()), Error);
  problem.settings.association = Association::nearest;
  problem.deviation.assign(20, 0.1f);
  EXPECT_THROW(run(problem, GetParam()), Error);
  problem.deviation.clear();
  problem.background.assign(20, 0);
  EXPECT_NO_THROW(run(problem, GetParam()));
  problem.background[3] = 1;
  EXPECT_THROW(run(problem, GetParam()), Error);
  problem.settings.free_space = false;  // the paper's sum
  EXPECT_NO_THROW(run(problem, GetParam()));
}

TEST_P(LikelihoodOfThePaper, RefusesBadCapsulesAndSizesThatDoNotAgree) {
  Problem problem = person_problem(20, 2);
  problem.capsules[3] = 0;
  EXPECT_THROW(run(problem, GetParam()), Error);
  problem.capsules[3] = NAN;
  EXPECT_THROW(run(problem, GetParam()), Error);
  const auto likelihood = program(GetParam(), {});
  std::vector<double> out(3);
  EXPECT_THROW(likelihood->evaluate(problem.capsules_view(), out), Error);
}

INSTANTIATE_TEST_SUITE_P(Backends, LikelihoodOfThePaper, ::testing::Values("listing", "paper"), program_name);

// Cases made to be hard for single precision: a hit taken for a miss would change the sum by more than 1e-4 of it.
class LikelihoodHard : public OnBackend {};

// a unit vector at random
Vec3 direction(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Vec3 v{normal(random), normal(random), normal(random)};
  const double scale = 1 / std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
  return {scale * v.x, scale * v.y, scale * v.z};
}

TEST_P(LikelihoodHard, RaysThatGrazeAgree) {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int round = 0; round < 200; ++round) {
    Problem problem;
    problem.settings.association = round % 2 == 0 ? Association::nearest : Association::first_hit;
    const Vec3 a{unit(random) - 0.5, unit(random) - 0.5, 2 + unit(random)};
    const Vec3 c = direction(random);
    const double length = round % 5 == 0 ? 0 : 0.3, r = 0.03 + 0.1 * unit(random);
    const Vec3 b{a.x + length * c.x, a.y + length * c.y, a.z + length * c.z};
    problem.add_capsule(a, r, b);
    for (int i = 0; i < 40; ++i) {
      // on the silhouette: from a point o of the axis (or beyond it) step off by r, across both the ray and the axis
      const double s = length * (1.4 * unit(random) - 0.2);
      const Vec3 o{a.x + s * c.x, a.y + s * c.y, a.z + s * c.z};
      Vec3 n{o.y * c.z - o.z * c.y, o.z * c.x - o.x * c.z, o.x * c.y - o.y * c.x};
      const double size = std::sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
      const double off = r * (1 + (unit(random) - 0.5) * std::pow(10, -3 - 6 * unit(random))) / size;
      problem.add_point(o.x + off * n.x, o.y + off * n.y, o.z + off * n.z);
    }
    ASSERT_TRUE(agrees(problem, GetParam())) << "round " << round;
  }
}

TEST_P(LikelihoodHard, RaysAlmostAlongTheAxisAgree) {
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int round = 0; round < 200; ++round) {
    Problem problem;
    const Vec3 v = direction(random);
    const double tilt = std::pow(10, -6 * unit(random));
    const Vec3 w = direction(random);
    const Vec3 a{2 * v.x, 2 * v.y, 2 * v.z};
    const Vec3 b{3 * v.x + tilt * w.x, 3 * v.y + tilt * w.y, 3 * v.z + tilt * w.z};
    problem.add_capsule(a, 0.05, b);
    problem.add_capsule(b, 0.08, a);
    for (int i = 0; i < 100; ++i) {
      const Vec3 n = direction(random);
      const double t = 1.8 + 1.3 * unit(random), off = 0.06 * unit(random);
      problem.add_point(t * v.x + off * n.x, t * v.y + off * n.y, t * v.z + off * n.z);
    }
    ASSERT_TRUE(agrees(problem, GetParam())) << "round " << round;
  }
}

TEST_P(LikelihoodHard, NeedlesFarAwayAndPlanetsAgree) {
  Problem problem;
  problem.add_capsule({0, -1, 50}, 1e-4, {0, 1, 50});
  problem.add_capsule({0, 0, 2000}, 1990, {1, 0, 2000});
  problem.add_capsule({0.2, 0, 5}, 1e-7, {0.2, 0, 5});
  std::mt19937_64 random(10);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 2000; ++i)
    problem.add_point(0.2 * normal(random), 0.2 * normal(random), 10 + 0.05 * normal(random));
  for (int i = -5; i < 5; ++i) problem.add_point(2e-5 * i, 0, 50.01);
  EXPECT_TRUE(agrees(problem, GetParam()));
}

// an error of the foot along the axis grows with distance over radius
TEST_P(LikelihoodHard, ThinCapsulesFarAwayAgree) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int round = 0; round < 4000; ++round) {
    Problem problem;
    problem.settings.association = round % 2 == 0 ? Association::nearest : Association::first_hit;
    const double r = std::pow(10, -1 - 3.5 * unit(random)), distance = 2 + 18 * unit(random);
    const Vec3 v = direction(random), c = direction(random);
    const Vec3 a{distance * v.x, distance * v.y, distance * v.z};
    problem.add_capsule(a, r, {a.x + c.x, a.y + c.y, a.z + c.z});
    for (int i = 0; i < 60; ++i) {
      const Vec3 n = direction(random);
      const double s = 1.2 * unit(random) - 0.1, off = 1.2 * r * unit(random);
      problem.add_point(a.x + s * c.x + off * n.x, a.y + s * c.y + off * n.y, a.z + s * c.z + off * n.z);
    }
    ASSERT_TRUE(agrees(problem, GetParam())) << "round " << round << ", radius " << r << " at " << distance;
  }
}

TEST_P(LikelihoodHard, PointsCloserThanTauAgree) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Problem problem = random_problem(seed, {300, 1, 12});
    problem.settings.tau = 3;
    ASSERT_TRUE(agrees(problem, GetParam())) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, LikelihoodHard, ::testing::Values(Backend::cpu, Backend::cuda), backend_name);

// The paper's limits, one at a time.
class LikelihoodLimits : public OnBackend {};

TEST_P(LikelihoodLimits, FourMillionPoints) {
  Problem problem = random_problem(5, {64, 1, 3});
  problem.settings.free_space = false;
  problem.background.clear();
  const std::vector<float> few = problem.points;
  problem.points.clear();
  std::mt19937_64 random(6);
  std::uniform_real_distribution<float> wobble(-0.02f, 0.02f);
  while (problem.points.size() < std::size_t{3} * 4194240)
    problem.points.push_back(few[problem.points.size() % few.size()] + wobble(random));
  EXPECT_TRUE(agrees(problem, GetParam()));
}

TEST_P(LikelihoodLimits, SixtyFiveThousandSamplesOf64Capsules) {
  EXPECT_TRUE(agrees(random_problem(9, {7, 65535, 64}), GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Backends, LikelihoodLimits, ::testing::Values(Backend::cpu, Backend::cuda), backend_name);

}  // namespace
}  // namespace kinema::body
