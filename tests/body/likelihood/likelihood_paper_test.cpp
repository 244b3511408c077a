// The paper's own GPU kernels give the reference's likelihood.
#include "bench/body/likelihood_paper.h"
#include "kinema/error.h"
#include "problems.h"

#include <cmath>

namespace kinema::body {
namespace {

class LikelihoodPaper : public OnBackend {
protected:
  // Single precision knows a distance to about 1e-5 m here: the roots of quadratic equations in metres from the camera.
  // That of a ray which grazes a capsule may be lost altogether, or found where there is none: that costs tau^2, and
  // happens to one ray of a sample at most, in few samples.
  static void expect_agreement(const Problem& problem, const PaperDivision& division = {}) {
    const std::vector<double> expected = run(problem, Backend::reference).log_likelihood;
    const auto likelihood = make_paper_likelihood(problem.settings, division);
    const std::size_t count = problem.points.size() / 3;
    EXPECT_EQ(likelihood->set_points(problem.points_view()).used, count);
    std::vector<double> found(expected.size());
    likelihood->evaluate(problem.capsules_view(), found);
    const double two_sigma2 = 2 * problem.settings.sigma * problem.settings.sigma, tau = problem.settings.tau;
    const auto points = static_cast<double>(count);
    std::size_t grazing = 0;
    for (std::size_t j = 0; j < expected.size(); ++j) {
      const double S = two_sigma2 * std::fabs(expected[j]), off = two_sigma2 * std::fabs(found[j] - expected[j]);
      const double allowed = 1e-3 * S + 2 * 1e-5 * std::sqrt(points * S) + points * 1e-10;
      EXPECT_LE(off, allowed + tau * tau) << j;
      grazing += off > allowed ? 1 : 0;
    }
    EXPECT_LE(grazing, expected.size() / 8);
  }
};

// around the sizes of a block of points and of the samples of a launch
TEST_P(LikelihoodPaper, OfAPersonIsThatOfTheReference) {
  for (const std::size_t points : {1, 127, 128, 129, 1000}) {
    for (const std::size_t samples : {1, 7, 8, 9}) {
      SCOPED_TRACE(testing::Message() << points << " points, " << samples << " samples");
      expect_agreement(person_problem(points, samples));
    }
  }
}

// Between blocks of any size only the order of a sum differs.
TEST_P(LikelihoodPaper, OfBlocksOfEverySizeIsThatOfTheReference) {
  for (const int block : paper_blocks) {
    SCOPED_TRACE(block);
    for (const int points : {1, block - 1, block, block + 1, 2000})
      expect_agreement(person_problem(static_cast<std::size_t>(points), 9), {block});
  }
  for (const int block : {0, 16, 100, 1056}) EXPECT_THROW(make_paper_likelihood({}, {block}), Error);
}

// A sample's sum does not depend on the others: the bits are those of one device.
TEST_P(LikelihoodPaper, DividedOverDevicesHasTheBitsOfOne) {
  for (const std::size_t samples : {0, 1, 5, 40, 301}) {
    const Problem problem = person_problem(1500, samples);
    std::vector<double> one(samples), divided(samples);
    const auto evaluate = [&](const PaperDivision& division, std::vector<double>& out) {
      const auto likelihood = make_paper_likelihood(problem.settings, division);
      likelihood->set_points(problem.points_view());
      likelihood->evaluate(problem.capsules_view(), out);
    };
    evaluate({}, one);
    for (const std::size_t parts : {1, 2, 3, 7}) {
      evaluate({128, std::vector<int>(parts, 0)}, divided);
      EXPECT_EQ(divided, one) << samples << " samples, " << parts << " parts";
    }
  }
}

TEST_P(LikelihoodPaper, KnowsWhereTheCameraStands) {
  Problem problem = person_problem(500, 3);
  problem.settings.camera = {1, -2, 0.5};
  const float moved[] = {1, -2, 0.5f};
  for (std::size_t i = 0; i < problem.points.size(); ++i) problem.points[i] += moved[i % 3];
  for (std::size_t i = 0; i < problem.capsules.size(); i += capsule_floats) {
    for (const std::size_t end : {0, 4}) {
      for (std::size_t c = 0; c < 3; ++c) problem.capsules[i + end + c] += moved[c];
    }
  }
  expect_agreement(problem);
}

TEST_P(LikelihoodPaper, RefusesMoreCapsulesThanItHolds) {
  Problem problem = person_problem(10, 1);
  const auto likelihood = make_paper_likelihood(problem.settings);
  likelihood->set_points(problem.points_view());
  const std::vector<float> capsules(65 * capsule_floats, 1);
  std::vector<double> found(1);
  EXPECT_THROW(likelihood->evaluate({capsules.data(), 1, 65, capsule_floats}, found), Error);
}

INSTANTIATE_TEST_SUITE_P(Backends, LikelihoodPaper, ::testing::Values(Backend::cuda), backend_name);

}  // namespace
}  // namespace kinema::body
