// Likelihood problems for tests: random ones of every size and kind, and what is done with them on a backend.
#pragma once

#include "kinema/body.h"
#include "print_backend.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::body {

struct Problem {
  std::vector<float> points;             // (I, 3)
  std::vector<std::uint8_t> background;  // (I) or empty
  std::vector<float> deviation;          // (I) or empty
  std::vector<float> capsules;           // (J, K, 7)
  std::size_t samples = 0, count = 0;
  LikelihoodSettings settings;

  PointsView points_view() const { return {points.data(), points.size() / 3, background, deviation}; }
  CapsulesView capsules_view() const { return {capsules.data(), samples, count, capsule_floats}; }
  void add_point(double x, double y, double z);
  void add_capsule(Vec3 a, double r, Vec3 b);  // to the one sample
};

struct Result {
  PointCount points;
  std::vector<double> log_likelihood;
};

Result run(const Problem& problem, const Compute& compute);

/// A backend or baseline of `kinema bench body` by name.
std::unique_ptr<Likelihood> program(const char* name, const LikelihoodSettings& settings);
Result run(const Problem& problem, const char* program);

/// The backend's result is the reference's within 1e-4 of it; see the definition for what is allowed beyond.
::testing::AssertionResult agrees(const Problem& problem, Backend backend);

struct Size {
  std::size_t points, samples, capsules;
};

/// Points near the capsules' surfaces and elsewhere, some marked as background, those of every third problem with deviations of
/// their own; settings at random too.
Problem random_problem(std::uint64_t seed, Size size);

/// A person as the benchmark has it.
Problem person_problem(std::size_t points, std::size_t samples);

/// Runs a test on every fast backend; those of cuda are skipped, with a line, where there is no GPU.
class OnBackend : public ::testing::TestWithParam<Backend> {
protected:
  void SetUp() override {
    if (!available(GetParam())) GTEST_SKIP() << "no GPU";
  }
};

/// A backend in a test's name and messages.
inline std::string backend_name(const ::testing::TestParamInfo<Backend>& info) { return std::string(name(info.param)); }

/// The same for backends and baselines of `kinema bench body`, by name.
class OnProgram : public ::testing::TestWithParam<const char*> {
protected:
  void SetUp() override {
    const std::string_view name = GetParam();
    if ((name == "cuda" || name == "paper") && !available(Backend::cuda)) GTEST_SKIP() << "no GPU";
  }

  /// Whether it knows nothing that the paper does not have.
  static bool is_plain() {
    return std::string_view(GetParam()) == "listing" || std::string_view(GetParam()) == "paper";
  }
};

/// "paper_cuda": what runs on a GPU has it in its name.
inline std::string program_name(const ::testing::TestParamInfo<const char*>& info) {
  return info.param == std::string_view("paper") ? "paper_cuda" : info.param;
}

}  // namespace kinema::body
