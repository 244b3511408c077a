// Every backend gives the reference's result on random problems of every size, and on those of a person.
#include "problems.h"

namespace kinema::body {
namespace {

class LikelihoodRandom : public OnBackend {};

TEST_P(LikelihoodRandom, SmallProblemsAgree) {
  std::mt19937_64 sizes(1);
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Size size{sizes() % 70, 1 + sizes() % 3, sizes() % 12};
    ASSERT_TRUE(agrees(random_problem(seed, size), GetParam())) << "seed " << seed;
  }
}

TEST_P(LikelihoodRandom, SizesAroundEveryTileAgree) {
  std::uint64_t seed = 10000;
  for (std::size_t points :
       {1, 4, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 513, 1023, 1024, 1025, 1500})
    for (std::size_t capsules : {1, 3, 16, 17, 48}) {
      const Size size{points, 2, capsules};
      ASSERT_TRUE(agrees(random_problem(seed++, size), GetParam())) << points << " points, " << capsules << " capsules";
    }
}

TEST_P(LikelihoodRandom, AnyNumberOfCapsulesAgrees) {
  std::uint64_t seed = 20000;
  for (std::size_t capsules : {0, 15, 31, 32, 33, 47, 49, 63, 64, 65, 96, 127, 129, 200, 1000})
    ASSERT_TRUE(agrees(random_problem(seed++, {300, 2, capsules}), GetParam())) << capsules << " capsules";
}

TEST_P(LikelihoodRandom, AnyNumberOfSamplesAgrees) {
  std::uint64_t seed = 30000;
  for (std::size_t samples : {0, 1, 7, 8, 9, 15, 16, 17, 33, 100, 1000})
    ASSERT_TRUE(agrees(random_problem(seed++, {40, samples, 5}), GetParam())) << samples << " samples";
}

TEST_P(LikelihoodRandom, LargerProblemsAgree) {
  for (std::uint64_t seed = 40000; seed < 40020; ++seed)
    ASSERT_TRUE(agrees(random_problem(seed, {5000, 2, 48}), GetParam())) << "seed " << seed;
}

TEST_P(LikelihoodRandom, APersonAgrees) {
  for (const Association association : {Association::nearest, Association::first_hit}) {
    Problem problem = person_problem(6000, 4);
    problem.settings.association = association;
    ASSERT_TRUE(agrees(problem, GetParam()));
    // the person shifted by a metre, with a camera that moved along, is the same person
    problem.settings.camera = {1, -2, 0.5};
    for (std::size_t i = 0; i < problem.points.size(); i += 3) {
      problem.points[i] += 1;
      problem.points[i + 1] -= 2;
      problem.points[i + 2] += 0.5f;
    }
    for (std::size_t i = 0; i < problem.capsules.size(); i += capsule_floats)
      for (std::size_t end : {0, 4}) {
        problem.capsules[i + end] += 1;
        problem.capsules[i + end + 1] -= 2;
        problem.capsules[i + end + 2] += 0.5f;
      }
    ASSERT_TRUE(agrees(problem, GetParam()));
  }
}

// at every scale, since tau and the distances scale with the scene
TEST_P(LikelihoodRandom, ScenesOfAnyScaleAgree) {
  for (const double scale : {1e-3, 0.1, 30.0, 1e4}) {
    for (std::uint64_t seed = 50000; seed < 50050; ++seed) {
      Problem problem = random_problem(seed, {200, 2, 10});
      for (float& x : problem.points) x = static_cast<float>(scale * x);
      for (float& x : problem.deviation) x = static_cast<float>(scale * x);
      for (float& x : problem.capsules) x = static_cast<float>(scale * x);
      problem.settings.tau *= scale;
      problem.settings.sigma *= scale;
      problem.settings.camera = {scale * problem.settings.camera.x, scale * problem.settings.camera.y,
                                 scale * problem.settings.camera.z};
      ASSERT_TRUE(agrees(problem, GetParam())) << "scale " << scale << ", seed " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, LikelihoodRandom, ::testing::Values(Backend::cpu, Backend::cuda), backend_name);

}  // namespace
}  // namespace kinema::body
