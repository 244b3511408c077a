// The same bits from run to run, for any number of threads, with culling and without, in one call or in several.
#include "problems.h"

namespace kinema::body {
namespace {

class LikelihoodRepeat : public OnBackend {};

TEST_P(LikelihoodRepeat, RunsGiveTheSameBits) {
  const Problem problem = person_problem(5000, 40);
  const Result first = run(problem, GetParam());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run(problem, GetParam()).log_likelihood, first.log_likelihood);
}

TEST_P(LikelihoodRepeat, AnyNumberOfThreadsGivesTheSameBits) {
  for (std::size_t samples : {1, 3, 50}) {
    const Problem problem = person_problem(6000, samples);
    const Result one = run(problem, {GetParam(), 1});
    for (int threads : {2, 3, 7, 0}) {
      EXPECT_EQ(run(problem, {GetParam(), threads}).log_likelihood, one.log_likelihood) << threads << " threads";
    }
  }
}

TEST_P(LikelihoodRepeat, CullingChangesNoBit) {
  Problem big = person_problem(6000, 20);
  for (const Association association : {Association::nearest, Association::first_hit}) {
    big.settings.association = association;
    big.settings.culling = true;
    const Result with = run(big, GetParam());
    big.settings.culling = false;
    EXPECT_EQ(run(big, GetParam()).log_likelihood, with.log_likelihood);
  }
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    Problem problem = random_problem(seed, {100 + seed, 2, seed % 40});
    const Result with = run(problem, GetParam());
    problem.settings.culling = false;
    ASSERT_EQ(run(problem, GetParam()).log_likelihood, with.log_likelihood) << "seed " << seed;
  }
}

TEST_P(LikelihoodRepeat, ASampleDoesNotDependOnTheOthers) {
  const Problem problem = person_problem(3000, 37);
  const Result all = run(problem, GetParam());
  const auto likelihood = make_likelihood(problem.settings, GetParam());
  likelihood->set_points(problem.points_view());
  for (std::size_t j = 0; j < problem.samples; ++j) {
    double alone = 0;
    likelihood->evaluate({problem.capsules_view().row(j), 1, problem.count, capsule_floats}, {&alone, 1});
    EXPECT_EQ(alone, all.log_likelihood[j]) << j;
  }
}

TEST_P(LikelihoodRepeat, NewPointsReplaceTheOld) {
  const Problem problem = person_problem(3000, 4), other = person_problem(500, 4);
  const auto likelihood = make_likelihood(problem.settings, GetParam());
  likelihood->set_points(problem.points_view());
  std::vector<double> out(4);
  likelihood->evaluate(problem.capsules_view(), out);
  likelihood->set_points(other.points_view());
  likelihood->evaluate(problem.capsules_view(), out);
  EXPECT_EQ(out, run(other, GetParam()).log_likelihood);
}

INSTANTIATE_TEST_SUITE_P(Backends, LikelihoodRepeat, ::testing::Values(Backend::cpu, Backend::cuda), backend_name);

// samples are streamed in chunks through bounded device memory
class LikelihoodChunks : public OnBackend {};

TEST_P(LikelihoodChunks, LittleDeviceMemoryGivesTheSameBits) {
  Problem problem = random_problem(77, {2000, 3000, 12});
  const Result whole = run(problem, GetParam());
  problem.settings.device_memory = std::size_t{10} << 20;
  EXPECT_EQ(run(problem, GetParam()).log_likelihood, whole.log_likelihood);
}

INSTANTIATE_TEST_SUITE_P(Backends, LikelihoodChunks, ::testing::Values(Backend::cuda), backend_name);

}  // namespace
}  // namespace kinema::body
