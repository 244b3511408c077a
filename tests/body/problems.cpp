#include "problems.h"

#include "bench/body/body_implementations.h"
#include "bench/body/body_problem.h"

#include <cmath>
#include <utility>

namespace kinema::body {

void Problem::add_point(double x, double y, double z) {
  for (double value : {x, y, z}) points.push_back(static_cast<float>(value));
}

void Problem::add_capsule(Vec3 a, double r, Vec3 b) {
  samples = 1;
  ++count;
  for (double value : {a.x, a.y, a.z, r, b.x, b.y, b.z}) capsules.push_back(static_cast<float>(value));
}

namespace {

Result run(const Problem& problem, Likelihood& likelihood) {
  Result result;
  result.points = likelihood.set_points(problem.points_view());
  result.log_likelihood.assign(problem.samples, NAN);
  likelihood.evaluate(problem.capsules_view(), result.log_likelihood);
  return result;
}

}  // namespace

Result run(const Problem& problem, const Compute& compute) {
  return run(problem, *make_likelihood(problem.settings, compute));
}

std::unique_ptr<Likelihood> program(const char* name, const LikelihoodSettings& settings) {
  return bench::body_implementations({name}, 1).front().make(settings);
}

Result run(const Problem& problem, const char* name) { return run(problem, *program(name, problem.settings)); }

::testing::AssertionResult agrees(const Problem& problem, Backend backend) {
  const Result expected = run(problem, Backend::reference);
  const Result actual = run(problem, backend);
  if (actual.points.used != expected.points.used || actual.points.dropped != expected.points.dropped)
    return ::testing::AssertionFailure() << "used " << actual.points.used << " points, dropped "
                                         << actual.points.dropped << "; the reference " << expected.points.used
                                         << " and " << expected.points.dropped;

  // 1e-4 of the reference; and single precision knows a distance d to 2e-6 tau (where rays graze; elsewhere better), which
  // is more than that only where distances are below 0.04 tau: sum (d + error)^2 - d^2 <= 2 error sqrt(I S) + I error^2.
  const double two_sigma2 = 2 * problem.settings.sigma * problem.settings.sigma;
  const double error = 2e-6 * problem.settings.tau;
  const auto points = static_cast<double>(expected.points.used);
  for (std::size_t j = 0; j < problem.samples; ++j) {
    const double a = actual.log_likelihood[j], e = expected.log_likelihood[j];
    const double S = std::fabs(e) * two_sigma2;
    const double allowed = 1e-4 * S + 2 * error * std::sqrt(points * S) + points * error * error;
    if (!(std::fabs(a - e) * two_sigma2 <= allowed))
      return ::testing::AssertionFailure() << "sample " << j << ": " << a << ", the reference " << e << ", relative "
                                           << std::fabs(a - e) / std::fabs(e);
  }
  return ::testing::AssertionSuccess();
}

Problem random_problem(std::uint64_t seed, Size size) {
  std::mt19937_64 random(seed);
  const auto uniform = [&](double low, double high) { return std::uniform_real_distribution(low, high)(random); };
  const auto chance = [&](double share) { return uniform(0, 1) < share; };
  const auto normal = [&](double deviation) {
    return deviation > 0 ? std::normal_distribution(0.0, deviation)(random) : 0.0;  // it has none of width 0
  };

  Problem problem;
  problem.samples = size.samples;
  problem.count = size.capsules;
  problem.settings.tau = std::pow(10, uniform(-2, -0.3));
  problem.settings.sigma = std::pow(10, uniform(-2.5, -1));
  problem.settings.association = chance(0.5) ? Association::nearest : Association::first_hit;
  problem.settings.free_space = chance(0.7);

  // a scene at some distance in some direction; sometimes the camera stands in its midst
  const double distance = chance(0.15) ? uniform(0, 0.5) : uniform(1, 8);
  const double yaw = uniform(-3.1, 3.1), pitch = uniform(-1, 1);
  const Vec3 camera = chance(0.3) ? Vec3{} : Vec3{normal(1), normal(1), normal(1)};
  problem.settings.camera = camera;
  const Vec3 scene{camera.x + distance * std::sin(yaw) * std::cos(pitch), camera.y + distance * std::sin(pitch),
                   camera.z + distance * std::cos(yaw) * std::cos(pitch)};

  for (std::size_t i = 0; i < size.samples * size.capsules; ++i) {
    const Vec3 a{scene.x + normal(0.4), scene.y + normal(0.4), scene.z + normal(0.4)};
    const double length = chance(0.1) ? 0 : chance(0.1) ? 1e-4 : 0.4;
    const Vec3 b{a.x + normal(length), a.y + normal(length), a.z + normal(length)};
    const double r = chance(0.05) ? uniform(0.3, 1) : uniform(0.01, 0.15);
    for (double value : {a.x, a.y, a.z, r, b.x, b.y, b.z}) problem.capsules.push_back(static_cast<float>(value));
  }

  const bool marked = chance(0.5);
  for (std::size_t i = 0; i < size.points; ++i) {
    Vec3 x{scene.x + normal(0.6), scene.y + normal(0.6), scene.z + normal(0.6)};
    if (!problem.capsules.empty() && chance(0.7)) {
      // near the surface of some capsule of the first sample
      const float* c = &problem.capsules[(random() % size.capsules) * capsule_floats];
      const double s = uniform(0, 1);
      Vec3 n{normal(1), normal(1), normal(1)};
      const double scale = (c[3] + normal(0.02)) / std::sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
      x = {c[0] + s * (c[4] - c[0]) + scale * n.x, c[1] + s * (c[5] - c[1]) + scale * n.y,
           c[2] + s * (c[6] - c[2]) + scale * n.z};
    }
    if (chance(0.01)) x.x = chance(0.5) ? NAN : INFINITY;
    if (chance(0.005)) x = camera;
    problem.add_point(x.x, x.y, x.z);
    if (marked) problem.background.push_back(chance(0.3) ? 1 : 0);
  }
  for (std::size_t i = 0; seed % 3 == 0 && i < size.points; ++i)
    problem.deviation.push_back(static_cast<float>(uniform(0, 3 * problem.settings.sigma)));
  return problem;
}

Problem person_problem(std::size_t points, std::size_t samples) {
  bench::BodyProblem made = bench::make_body_problem(points, samples, 3);
  Problem problem;
  problem.points = std::move(made.points);
  problem.capsules = std::move(made.capsules);
  problem.samples = samples;
  problem.count = bench::person_capsules;
  return problem;
}

}  // namespace kinema::body
