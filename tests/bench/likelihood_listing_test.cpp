// The sequential listing computes what the reference computes, so that speed-ups over it compare equal work.
#include "bench/body/likelihood_listing.h"

#include "bench/body/body_problem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace kinema::bench {
namespace {

using body::LikelihoodSettings;

double listing_of(const std::vector<float>& points, const std::vector<float>& capsules) {
  const auto likelihood = make_listing_likelihood({});
  likelihood->set_points({points.data(), points.size() / 3});
  double value = 0;
  likelihood->evaluate({capsules.data(), 1, capsules.size() / body::capsule_floats, body::capsule_floats}, {&value, 1});
  return value;
}

double cost(double distance) { return -distance * distance / (2 * 0.05 * 0.05); }

class ListingOnPeople : public testing::TestWithParam<int> {};

TEST_P(ListingOnPeople, AgreesWithTheReference) {
  constexpr std::size_t points = 3000, samples = 4;
  const BodyProblem problem = make_body_problem(points, samples, static_cast<std::uint64_t>(GetParam()));
  const body::CapsulesView capsules{problem.capsules.data(), samples, person_capsules, body::capsule_floats};
  std::vector<double> listing(samples), reference(samples);
  const auto slow = make_listing_likelihood({});
  const auto oracle = body::make_likelihood({}, Backend::reference);
  slow->set_points({problem.points.data(), points});
  oracle->set_points({problem.points.data(), points});
  slow->evaluate(capsules, listing);
  oracle->evaluate(capsules, reference);
  // In float the discriminant of a ray that grazes a capsule may have the other sign; that point then costs tau^2 in
  // one of the two and less in the other. One such point is allowed, beside rounding of the sum.
  const LikelihoodSettings settings;
  const double one_point = settings.tau * settings.tau / (2 * settings.sigma * settings.sigma);
  for (std::size_t j = 0; j < samples; ++j)
    EXPECT_NEAR(listing[j], reference[j], 1e-3 * std::fabs(reference[j]) + one_point) << "sample " << j;
}

INSTANTIATE_TEST_SUITE_P(Seeds, ListingOnPeople, testing::Range(1, 9));

TEST(Listing, MeasuresToTheNearSideOfACapsuleAcrossTheRay) {
  EXPECT_NEAR(listing_of({0, 0, 1.95f}, {-1, 0, 2, 0.1f, 1, 0, 2}), cost(0.05), 1e-3);
}

TEST(Listing, MeasuresToTheNearEndOfACapsuleAlongTheRay) {
  EXPECT_NEAR(listing_of({0, 0, 1.85f}, {0, 0, 2, 0.1f, 0, 0, 3}), cost(0.05), 1e-3);
}

TEST(Listing, TakesTheFarWallWhereTheCameraIsInsideACapsule) {
  EXPECT_NEAR(listing_of({0, 0, 0.45f}, {-1, 0, 0, 0.5f, 1, 0, 0}), cost(0.05), 1e-3);
  EXPECT_NEAR(listing_of({0, 0, 1.45f}, {0, 0, -1, 0.5f, 0, 0, 1}), cost(0.05), 1e-3);
}

TEST(Listing, TakesACapsuleWithoutLengthAsASphere) {
  EXPECT_NEAR(listing_of({0, 0, 1.93f}, {0, 0, 2, 0.1f, 0, 0, 2}), cost(0.03), 1e-3);
}

TEST(Listing, ChargesTauToARayThatMissesAndToAPointFarFromTheSkin) {
  EXPECT_NEAR(listing_of({1, 0, 2}, {0, 0, 2, 0.1f, 0, 0.5f, 2}), cost(0.1), 1e-5);
  EXPECT_NEAR(listing_of({0, 0, 1.5f}, {0, 0, 2, 0.1f, 0, 0.5f, 2}), cost(0.1), 1e-5);
}

}  // namespace
}  // namespace kinema::bench
