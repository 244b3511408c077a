// Embree casts the same rays at the same shapes: a time of something else would be worth nothing.
#include "bench/body/likelihood_embree.h"

#include "bench/body/body_problem.h"
#include "kinema/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace kinema::bench {
namespace {

body::LikelihoodSettings first_hit() {
  body::LikelihoodSettings settings;
  settings.association = body::Association::first_hit;
  return settings;
}

TEST(Embree, AgreesWithTheFirstHitOfTheReference) {
  if (embree_version().empty()) GTEST_SKIP() << "Embree is not built in";
  constexpr std::size_t points = 3001, samples = 6;  // not whole packets
  const BodyProblem problem = make_body_problem(points, samples, 3);
  const body::CapsulesView capsules{problem.capsules.data(), samples, person_capsules, body::capsule_floats};
  std::vector<double> embree(samples), reference(samples);
  const auto fast = make_embree_likelihood(first_hit(), 0);
  const auto oracle = body::make_likelihood(first_hit(), Backend::reference);
  EXPECT_EQ(fast->set_points({problem.points.data(), points}).used, points);
  oracle->set_points({problem.points.data(), points});
  fast->evaluate(capsules, embree);
  oracle->evaluate(capsules, reference);
  // Embree's curves are its own, so only the same shape is asked for, not the same rounding.
  for (std::size_t j = 0; j < samples; ++j)
    EXPECT_NEAR(embree[j], reference[j], 0.03 * std::fabs(reference[j])) << "sample " << j;
}

// Where Embree is not built in it is refused as well, for that reason.
TEST(Embree, RefusesTheAssociationItDoesNotHave) { EXPECT_THROW(make_embree_likelihood({}, 0), Error); }

}  // namespace
}  // namespace kinema::bench
