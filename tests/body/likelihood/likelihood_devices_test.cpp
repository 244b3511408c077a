// The likelihood divided among devices gives the bits of one, and survives the loss of one.
#include "body/likelihood/likelihood_backends.h"
#include "core/device_failure.h"
#include "kinema/error.h"
#include "problems.h"

#include <limits>

namespace kinema::body {
namespace {

class LikelihoodDevices : public OnBackend {};

TEST_P(LikelihoodDevices, AnyNumberOfPartsGivesTheSameBits) {
  for (std::size_t samples : {0, 1, 5, 40, 301}) {
    const Problem problem = random_problem(9 + samples, {1500, samples, 12});
    const Result one = run(problem, GetParam());
    for (std::size_t parts : {1, 2, 3, 4, 7}) {
      const Result divided = run(problem, {GetParam(), 0, std::vector<int>(parts, 0)});
      EXPECT_EQ(divided.log_likelihood, one.log_likelihood) << samples << " samples, " << parts << " parts";
      EXPECT_EQ(divided.points.used, one.points.used);
      EXPECT_EQ(divided.points.dropped, one.points.dropped);
    }
  }
}

TEST_P(LikelihoodDevices, ABadCapsuleIsNamedByItsPlaceInTheWhole) {
  Problem problem = random_problem(3, {200, 30, 4});
  problem.capsules[(22 * 4 + 1) * capsule_floats + 3] = -1;
  try {
    run(problem, {GetParam(), 0, std::vector<int>(4, 0)});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("capsules[22, 1]"), std::string::npos) << error.what();
  }
}

TEST_P(LikelihoodDevices, IsUsableAfterAnError) {
  const Problem problem = random_problem(3, {200, 30, 4});
  const auto likelihood = make_likelihood(problem.settings, {GetParam(), 0, std::vector<int>(3, 0)});
  likelihood->set_points(problem.points_view());
  std::vector<double> out(30), wrong(29);
  EXPECT_THROW(likelihood->evaluate(problem.capsules_view(), wrong), Error);
  std::vector<float> bad = problem.capsules;
  bad[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(likelihood->evaluate({bad.data(), 30, 4, capsule_floats}, out), Error);
  likelihood->evaluate(problem.capsules_view(), out);
  EXPECT_EQ(out, run(problem, GetParam()).log_likelihood);
}

INSTANTIATE_TEST_SUITE_P(Backends, LikelihoodDevices, ::testing::Values(Backend::cpu, Backend::cuda), backend_name);

// A device that is lost in its n-th call.
class FailingLikelihood final : public Likelihood {
public:
  FailingLikelihood(const LikelihoodSettings& settings, int device, int calls)
      : inner_(make_cpu_likelihood(settings, 0)), device_(device), calls_(calls) {}

  PointCount set_points(PointsView points) override {
    count();
    return inner_->set_points(points);
  }
  void evaluate(CapsulesView capsules, std::span<double> out) override {
    count();
    inner_->evaluate(capsules, out);
  }

private:
  void count() {
    if (calls_-- == 0) throw DeviceFailure("GPU " + std::to_string(device_) + " failed while weighing: it is lost");
  }
  std::unique_ptr<Likelihood> inner_;
  int device_, calls_;
};

TEST(LikelihoodLoss, TheOthersTakeThePartOfADeviceThatFails) {
  const Problem problem = random_problem(6, {800, 50, 10});
  const Result expected = run(problem, Backend::cpu);
  for (int calls : {0, 1, 2}) {
    std::vector<std::string> lines;
    const auto losses = std::make_shared<DeviceLosses>([&](const std::string& line) { lines.push_back(line); });
    const auto likelihood = make_devices_likelihood({Backend::cpu, 0, {0, 1, 2}, losses}, [&](int device) {
      return std::make_unique<FailingLikelihood>(problem.settings, device, device == 1 ? calls : 1000);
    });
    for (int frame = 0; frame < 3; ++frame) {
      likelihood->set_points(problem.points_view());
      std::vector<double> out(problem.samples);
      likelihood->evaluate(problem.capsules_view(), out);
      EXPECT_EQ(out, expected.log_likelihood);
    }
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0], "GPU 1 failed while weighing: it is lost; the others take its part (2 left)");
  }
}

TEST(LikelihoodLoss, WithoutLeaveItIsAnErrorThatNamesTheDevice) {
  const Problem problem = random_problem(4, {80, 5, 10});
  const auto likelihood = make_devices_likelihood({Backend::cpu, 0, {0, 1}}, [&](int device) {
    return std::make_unique<FailingLikelihood>(problem.settings, device, device == 1 ? 1 : 1000);
  });
  likelihood->set_points(problem.points_view());
  std::vector<double> out(problem.samples);
  try {
    likelihood->evaluate(problem.capsules_view(), out);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.cause(), Error::Cause::running);
    EXPECT_NE(std::string(error.what()).find("GPU 1 failed"), std::string::npos);
  }
}

}  // namespace
}  // namespace kinema::body
