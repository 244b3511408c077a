// A device that fails in the middle of a batch: one line, finished faces are kept, and the CPU fits the rest.
#include "core/device_failure.h"
#include "drawn.h"
#include "face/fitter/fitter_backends.h"
#include "kinema/face_tracker.h"

#include <gtest/gtest.h>

#include <limits>

namespace kinema::face {
namespace {

constexpr double mark = 12345;  // an error that no fit has: it shows who fitted

// Fits nothing, and fails when it has had a number of faces.
class FailingFitter final : public Fitter {
public:
  FailingFitter(std::size_t faces, bool colour) : left_(faces), colour_(colour) {}

  std::vector<PlacedStage> stages() const override { return {{{Method::combined, 0, 3, 0}, Backend::cuda}}; }
  bool takes_colour() const override { return colour_; }
  Fit fit(const Face&) override {
    if (left_ == 0) throw DeviceFailure("GPU 0 failed while taking memory: out of memory");
    --left_;
    Fit fit;
    fit.error = mark;
    return fit;
  }
  using Fitter::fit;

private:
  std::size_t left_;
  bool colour_;
};

class FallbackFrom : public testing::Test {
protected:
  std::unique_ptr<Fitter> fitter(std::size_t faces, bool colour = false) {
    settings_.stages = {{Method::combined, 0, 3, 0}};
    return make_fallback_fitter(
        {Backend::automatic, 0, {}, losses_},
        [=]() -> std::unique_ptr<Fitter> {
          if (faces == never_made) throw DeviceFailure("GPU 0 failed while uploading a model: out of memory");
          return std::make_unique<FailingFitter>(faces, colour);
        },
        [this] { return make_cpu_fitter(model_, settings_, 0); });
  }
  void expect_one_line() const {
    ASSERT_EQ(lines_.size(), 1u);
    EXPECT_NE(lines_[0].find("out of memory; the CPU goes on"), std::string::npos) << lines_[0];
    EXPECT_EQ(lines_[0].find('\n'), std::string::npos);
  }

  static constexpr std::size_t never_made = std::numeric_limits<std::size_t>::max();
  std::shared_ptr<const Model> model_ = drawn_model(Features::intensity, false, 8, 400);
  bench::DrawnFace drawn_ = bench::draw_face(drawn_seed, 900);
  Face face_{drawn_.view(), bench::displaced_start(drawn_, drawn_seed, 0), false};
  std::vector<std::string> lines_;
  std::shared_ptr<DeviceLosses> losses_ =
      std::make_shared<DeviceLosses>([this](const std::string& line) { lines_.push_back(line); });
  FitSettings settings_;
};

TEST_F(FallbackFrom, ADeviceKeepsWhatItFinishedAndTheCpuFitsTheRest) {
  const std::vector<Face> faces(5000, face_);
  std::vector<Fit> fits(faces.size());
  const auto with_fallback = fitter(4000);
  EXPECT_EQ(with_fallback->backend(), Backend::cuda);
  with_fallback->fit(faces, fits);
  expect_one_line();
  EXPECT_EQ(with_fallback->backend(), Backend::cpu);
  const Fit expected = make_cpu_fitter(model_, settings_, 0)->fit(face_);
  std::size_t kept = 0;
  for (const Fit& fit : fits) {
    kept += fit.error == mark ? 1 : 0;
    if (fit.error == mark) continue;
    ASSERT_EQ(fit.landmarks, expected.landmarks);
  }
  EXPECT_EQ(kept, 2048u);  // those before the part in which it failed
  // later calls go to the CPU, without another line
  with_fallback->fit(faces, fits);
  EXPECT_EQ(with_fallback->fit(face_).landmarks, expected.landmarks);
  for (const Fit& fit : fits) ASSERT_EQ(fit.landmarks, expected.landmarks);
  expect_one_line();
}

TEST_F(FallbackFrom, ADeviceThatCannotHoldTheModelOrASingleFace) {
  const std::vector<float> expected =
      make_cpu_fitter(model_, FitSettings{{{Method::combined, 0, 3, 0}}}, 0)->fit(face_).landmarks;
  EXPECT_EQ(fitter(never_made)->fit(face_).landmarks, expected);
  expect_one_line();
  // a second fitter of the run begins on the CPU
  EXPECT_EQ(fitter(1000)->backend(), Backend::cpu);
  expect_one_line();
  losses_ = std::make_shared<DeviceLosses>([this](const std::string& line) { lines_.push_back(line); });
  lines_.clear();
  EXPECT_EQ(fitter(0)->fit(face_).landmarks, expected);
  expect_one_line();
}

TEST_F(FallbackFrom, ADeviceThatTookColour) {
  std::vector<std::uint8_t> bgr;
  for (const std::uint8_t grey : drawn_.pixels) bgr.insert(bgr.end(), 3, grey);
  Face face{{}, face_.start, false};
  face.colour = {bgr.data(), drawn_.width, drawn_.height, 3 * drawn_.width, PixelFormat::bgr};
  const auto with_fallback = fitter(0, true);
  EXPECT_TRUE(with_fallback->takes_colour());
  EXPECT_EQ(with_fallback->fit(face).landmarks, make_cpu_fitter(model_, settings_, 0)->fit(face_).landmarks);
  EXPECT_FALSE(with_fallback->takes_colour());
  expect_one_line();
}

TEST_F(FallbackFrom, ADeviceThatHoldsThePixelsIsAnError) {
  Face face = face_;
  face.on_device = true;
  EXPECT_THROW(fitter(0)->fit(face), DeviceFailure);
  std::vector<Fit> fits(3);
  EXPECT_THROW(fitter(1)->fit(std::vector<Face>(3, face), fits), DeviceFailure);
  EXPECT_TRUE(lines_.empty());
}

TEST_F(FallbackFrom, WrongInputIsNoReasonToLeaveADevice) {
  const auto with_fallback = fitter(10);
  std::vector<Fit> fits(1);
  EXPECT_THROW(with_fallback->fit(std::vector<Face>(3, face_), fits), Error);
  EXPECT_EQ(with_fallback->backend(), Backend::cuda);
  EXPECT_TRUE(lines_.empty());
}

}  // namespace
}  // namespace kinema::face
