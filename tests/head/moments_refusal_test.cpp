// What every backend refuses, and what it says.
#include "frames.h"
#include "kinema/error.h"

#include <cmath>
#include <functional>

namespace kinema::head {
namespace {

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.cause(), Error::Cause::input);
    return error.what();
  }
  return "";
}

class MomentsRefusal : public OnMoments {
protected:
  void SetUp() override {
    OnMoments::SetUp();
    if (!IsSkipped()) moments_ = make_moments(GetParam());
  }
  void expect_refused(const ColourView& view, std::string_view word) {
    EXPECT_NE(refusal([&] { moments_->measure(view); }).find(word), std::string::npos) << word;
  }
  std::unique_ptr<Moments> moments_;
};

TEST_P(MomentsRefusal, OfAClassifierThatIsNone) {
  for (const double bad :
       {static_cast<double>(NAN), static_cast<double>(INFINITY), -static_cast<double>(INFINITY), 1e300})
    for (const SkinPlane& plane :
         {SkinPlane{bad, 0, 0, 0}, SkinPlane{0, bad, 0, 0}, SkinPlane{0, 0, bad, 0}, SkinPlane{0, 0, 0, bad}})
      EXPECT_NE(refusal([&] { moments_->set_classifier(plane); }).find("plane"), std::string::npos);
  EXPECT_NE(refusal([&] { moments_->set_classifier(std::shared_ptr<const Table>()); }).find("table"),
            std::string::npos);
  EXPECT_NE(refusal([&] {
              moments_->set_classifier(std::make_shared<const Table>(Table{{1, 2, 3}}));
            }).find("3 degrees"),
            std::string::npos);
}

TEST_P(MomentsRefusal, LeavesTheClassifierInPlace) {
  const Frame frame = random_frame(1, 50, 40, PixelFormat::bgr);
  moments_->set_classifier(SkinPlane{0.01, 0, 0, -0.5});
  const double w = moments_->measure(frame.view).w;
  EXPECT_THROW(moments_->set_classifier(SkinPlane{NAN, 0, 0, 0}), Error);
  EXPECT_NEAR(moments_->measure(frame.view).w, w, 1e-6 * w);  // those that divide a frame may do so elsewhere
}

TEST_P(MomentsRefusal, OfAFrameThatMakesNoSense) {
  const Frame frame = random_frame(1, 20, 10, PixelFormat::nv12);
  ColourView view = frame.view;
  view.width = 0;
  expect_refused(view, "pixels");
  view = frame.view;
  view.data = nullptr;
  expect_refused(view, "no data");
  view = frame.view;
  view.stride = 19;
  expect_refused(view, "stride of 19");
  view = frame.view;
  view.chroma = nullptr;
  expect_refused(view, "chroma");
  view = frame.view;
  view.chroma_stride = 18;
  expect_refused(view, "chroma stride of 18");
  const Frame odd = random_frame(1, 7, 3, PixelFormat::yuyv);
  view = odd.view;
  view.stride = 15;
  expect_refused(view, "has 16");
}

TEST_P(MomentsRefusal, OfFramesThatDiffer) {
  const Frame a = random_frame(1, 20, 10, PixelFormat::bgr), b = random_frame(1, 20, 11, PixelFormat::bgr);
  const std::vector<ColourView> views = {a.view, b.view};
  std::vector<Sums> sums(2);
  EXPECT_NE(refusal([&] { moments_->measure(views, sums); }).find("frames[1]"), std::string::npos);
  sums.resize(1);
  EXPECT_NE(refusal([&] { moments_->measure(views, sums); }).find("room for 1"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Reference, MomentsRefusal, ::testing::Values("reference"), moments_name);
INSTANTIATE_TEST_SUITE_P(Backends, MomentsRefusal, ::testing::ValuesIn(all_names), moments_name);

class MomentsWeighingRefusal : public MomentsRefusal {};

TEST_P(MomentsWeighingRefusal, OfAWindowWithoutExtentOrAMaskOfAnotherSize) {
  const Frame frame = random_frame(1, 20, 10, PixelFormat::bgr);
  const auto line = [&](const Weighing& weighing) { return refusal([&] { moments_->measure(frame.view, weighing); }); };
  for (const Window& window :
       {Window{0, 0, 0, 5}, Window{0, 0, 5, -1}, Window{NAN, 0, 5, 5}, Window{0, 0, 5, INFINITY}}) {
    Weighing weighing;
    weighing.window = window;
    EXPECT_NE(line(weighing).find("window"), std::string::npos);
  }
  const std::vector<std::uint8_t> mask(400);
  Weighing weighing;
  weighing.mask = {mask.data(), 20, 11, 20};
  EXPECT_NE(line(weighing).find("mask: 20 x 11"), std::string::npos);
  weighing.mask = {mask.data(), 20, 10, 19};
  EXPECT_NE(line(weighing).find("stride of 19"), std::string::npos);
  weighing.mask = {nullptr, 20, 10, 20};
  EXPECT_NE(line(weighing).find("no data"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Reference, MomentsWeighingRefusal, ::testing::Values("reference"), moments_name);
INSTANTIATE_TEST_SUITE_P(Backends, MomentsWeighingRefusal, ::testing::ValuesIn(backend_names), moments_name);

TEST(MomentsRefusal, AFrameOnTheDeviceIsNotForTheHost) {
  const Frame frame = random_frame(1, 20, 10, PixelFormat::bgr);
  ColourView view = frame.view;
  view.on_device = true;
  for (const char* name : {"reference", "cpu", "cpu1", "cpu2", "cpu3"}) {
    const auto moments = make_moments(name);
    EXPECT_NE(refusal([&] { moments->measure(view); }).find("device"), std::string::npos) << name;
  }
}

TEST(MomentsRefusal, TheStepsOfThePaperTakeWholeFramesOnly) {
  const Frame frame = random_frame(1, 20, 10, PixelFormat::bgr);
  Weighing weighing;
  weighing.bottom = 5;
  for (const char* name : {"cpu1", "cpu2", "cpu3"}) {
    const auto moments = make_moments(name);
    EXPECT_NE(refusal([&] { moments->measure(frame.view, weighing); }).find(name), std::string::npos);
  }
}

TEST(MomentsRefusal, OfNamesAndSettingsThatAreNone) {
  EXPECT_NE(refusal([] { make_moments("cpu4"); }).find("'cpu4'"), std::string::npos);
  EXPECT_NE(refusal([] { make_moments(""); }).find("''"), std::string::npos);
  for (const char* name : {"reference", "cpu", "cpu3"}) {
    const auto moments = [&] { make_moments(name, {}, Compute(Backend::automatic, -1)); };
    EXPECT_NE(refusal(moments).find("threads is -1"), std::string::npos) << name;
  }
  if (!available(Backend::cuda)) {
    for (const char* name : {"cuda", "joint", "gpu1", "gpu8", "cpu+gpu"})
      EXPECT_NE(refusal([&] { make_moments(name); }), "") << name;
  }
}

}  // namespace
}  // namespace kinema::head
