// What every backend refuses, and what it says.
#include "kinema/error.h"
#include "problems.h"

#include <cmath>

namespace kinema::body {
namespace {

std::string refusal(const Problem& problem, Backend backend) {
  try {
    run(problem, backend);
  } catch (const Error& error) {
    EXPECT_EQ(error.cause(), Error::Cause::input);
    return error.what();
  }
  return "";
}

class LikelihoodRefusal : public OnBackend {};

TEST_P(LikelihoodRefusal, OfABadCapsuleNamesIt) {
  for (const bool with_points : {true, false}) {
    Problem problem = random_problem(1, {with_points ? 50u : 0u, 5, 7});
    for (const float bad : {NAN, INFINITY, -INFINITY}) {
      for (std::size_t number = 0; number < capsule_floats; ++number) {
        Problem broken = problem;
        broken.capsules[(3 * 7 + 4) * capsule_floats + number] = bad;
        broken.capsules[(4 * 7 + 1) * capsule_floats + number] = bad;
        EXPECT_NE(refusal(broken, GetParam()).find("capsules[3, 4]"), std::string::npos);
      }
    }
    for (const float r : {0.0f, -0.0f, -1.0f}) {
      Problem broken = problem;
      broken.capsules[(2 * 7 + 6) * capsule_floats + 3] = r;
      const std::string line = refusal(broken, GetParam());
      EXPECT_NE(line.find("capsules[2, 6]"), std::string::npos) << line;
      EXPECT_NE(line.find("radius"), std::string::npos) << line;
    }
  }
}

TEST_P(LikelihoodRefusal, LeavesTheLikelihoodUsable) {
  const Problem problem = random_problem(2, {80, 4, 6});
  const auto likelihood = make_likelihood(problem.settings, GetParam());
  likelihood->set_points(problem.points_view());
  Problem broken = problem;
  broken.capsules[5] = NAN;
  std::vector<double> out(4);
  EXPECT_THROW(likelihood->evaluate(broken.capsules_view(), out), Error);
  likelihood->evaluate(problem.capsules_view(), out);
  EXPECT_EQ(out, run(problem, GetParam()).log_likelihood);
}

TEST_P(LikelihoodRefusal, OfSizesThatDoNotAgree) {
  const Problem problem = random_problem(3, {10, 3, 2});
  const auto likelihood = make_likelihood(problem.settings, GetParam());
  std::vector<double> out(2);
  EXPECT_THROW(likelihood->evaluate(problem.capsules_view(), out), Error);
  out.resize(3);
  EXPECT_THROW(likelihood->evaluate({problem.capsules.data(), 3, 2, 6}, out), Error);
  EXPECT_THROW(likelihood->evaluate({nullptr, 3, 2, 7}, out), Error);
  const std::vector<std::uint8_t> marks(9);
  EXPECT_THROW(likelihood->set_points({problem.points.data(), 10, marks}), Error);
  EXPECT_THROW(likelihood->set_points({nullptr, 10}), Error);
  for (const float bad : {-1.0f, std::numeric_limits<float>::infinity(), std::nanf("")}) {
    const std::vector<float> one(1, 0.1f), all(10, bad);
    EXPECT_THROW(likelihood->set_points({problem.points.data(), 10, {}, one}), Error);
    EXPECT_THROW(likelihood->set_points({problem.points.data(), 10, {}, all}), Error);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, LikelihoodRefusal,
                         ::testing::Values(Backend::reference, Backend::cpu, Backend::cuda), backend_name);

TEST(LikelihoodSettings, OfNonsenseAreRefused) {
  const auto refused = [](auto change) {
    LikelihoodSettings settings;
    change(settings);
    EXPECT_THROW(make_likelihood(settings, Backend::cpu), Error);
  };
  for (const double bad : {0.0, -1.0, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    refused([&](LikelihoodSettings& s) { s.tau = bad; });
    refused([&](LikelihoodSettings& s) { s.sigma = bad; });
  }
  refused([](LikelihoodSettings& s) { s.camera.y = NAN; });
  EXPECT_THROW(make_likelihood({}, {Backend::cpu, -1}), Error);
}

}  // namespace
}  // namespace kinema::body
