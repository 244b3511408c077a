// Eq. 8, and the frame that is divided by it, with a device that is none: no time is asserted, none is waited for.
#include "bench/head/steps/division.h"

#include "bench/head/head_frames.h"
#include "bench/head/steps/moments_joint.h"
#include "kinema/error.h"

#include <gtest/gtest.h>

namespace kinema::head {
namespace {

TEST(Division, FollowsEquation8) {
  Division division;
  EXPECT_DOUBLE_EQ(division.host_share(), 0.5);
  // the CPU needs 12 ms for a whole frame and the GPU 4: T_G / (T_C + T_G) is a quarter
  division.learn(500, 6, 500, 2);
  EXPECT_DOUBLE_EQ(division.host_share(), 0.25);
  EXPECT_EQ(division.host_rows(1000), 250u);
}

TEST(Division, ComesToWhereBothEndAtTheSameTime) {
  // the GPU has 0.1 ms to spend before its first row, which eq. 8 does not know
  const auto host_ms = [](double rows) { return 0.004 * rows; };
  const auto device_ms = [](double rows) { return 0.1 + 0.001 * rows; };
  Division division;
  std::size_t host = 0;
  for (int frame = 0; frame < 200; ++frame) {
    host = division.host_rows(1080);
    division.learn(host, host_ms(double(host)), 1080 - host, device_ms(double(1080 - host)));
  }
  EXPECT_NEAR(host_ms(double(host)), device_ms(double(1080 - host)), 0.02);  // 5 rows of the CPU
}

TEST(Division, AHostThatBeginsLateStillGetsItsShare) {
  // 40 microseconds to start the GPU: as a part of the CPU's time they would make a small share look slow, and so smaller
  constexpr double late_ms = 0.04;
  const auto host_ms = [](double rows) { return 0.00047 * rows; };
  const auto device_ms = [](double rows) { return 0.000185 * rows; };
  Division division;
  std::size_t host = 0;
  for (int frame = 0; frame < 200; ++frame) {
    host = division.host_rows(1080);
    division.learn(host, host_ms(double(host)), 1080 - host, device_ms(double(1080 - host)), late_ms);
  }
  EXPECT_GT(host, 200u);
  EXPECT_NEAR(late_ms + host_ms(double(host)), device_ms(double(1080 - host)), 0.005);
}

TEST(Division, WhereStartingTheDeviceTakesAsLongAsItsWorkTheHostGetsNone) {
  Division division;
  for (int frame = 0; frame < 50; ++frame) {
    const auto host = static_cast<double>(division.host_rows(1000));
    division.learn(static_cast<std::size_t>(host), 0.001 * host, static_cast<std::size_t>(1000 - host),
                   0.0001 * (1000 - host), 0.1);
  }
  EXPECT_EQ(division.host_rows(1000), 0u);
}

TEST(Division, OneSlowFrameDoesNotTurnItOver) {
  Division division;
  for (int frame = 0; frame < 20; ++frame) division.learn(500, 5, 500, 5);
  division.learn(500, 500, 500, 5);
  EXPECT_GT(division.host_share(), 0.4);
}

TEST(Division, WhoIsMuchSlowerGetsNoRowsAndIsTriedAgain) {
  Division division;
  division.learn(500, 5000, 500, 1);
  EXPECT_EQ(division.host_rows(1000), 0u);
  int frames = 0;
  while (division.host_rows(1000) == 0 && frames < 1000) {
    division.learn(0, 0, 1000, 2);
    ++frames;
  }
  EXPECT_LT(frames, 1000);
  EXPECT_GT(frames, 50);
}

// Stands for a GPU: does its work when it is asked for the result.
class PretendedDevice final : public DeviceMoments {
public:
  explicit PretendedDevice(std::size_t& rows) : rows_(&rows) {}
  void set_classifier(const Classifier& classifier) override { moments_->set_classifier(classifier); }
  void start(const ColourView& frame, const Weighing& weighing) override {
    frame_ = frame;
    weighing_ = weighing;
    *rows_ = frame.height;
  }
  Sums finish() override { return moments_->measure(frame_, weighing_); }
  double device_ms() const override { return 1; }
  void keep_time(bool) override {}

private:
  std::unique_ptr<Moments> moments_ = make_moments({}, Backend::reference);
  ColourView frame_;
  Weighing weighing_;
  std::size_t* rows_;
};

// A frame divided between a device that is none and `workers` of the host.
JointMoments make_joint(std::size_t& device_rows, int workers = 1) {
  std::vector<std::unique_ptr<Moments>> host;
  host.reserve(static_cast<std::size_t>(workers));
  for (int i = 0; i < workers; ++i) host.push_back(make_moments({}, Backend::reference));
  return {std::make_unique<PretendedDevice>(device_rows), std::move(host)};
}

class Joint : public testing::TestWithParam<double> {};

// Sums over rows that are added in another order differ in their last bits only.
void expect_same(const Sums& a, const Sums& b) {
  const double tolerance = 1e-12;
  EXPECT_NEAR(a.w, b.w, tolerance * b.w);
  EXPECT_NEAR(a.wx, b.wx, tolerance * b.wx);
  EXPECT_NEAR(a.wy, b.wy, tolerance * b.wy);
  EXPECT_NEAR(a.wxx, b.wxx, tolerance * b.wxx);
  EXPECT_NEAR(a.wyy, b.wyy, tolerance * b.wyy);
}

TEST_P(Joint, SumsAreThoseOfTheWholeFrameWhereverItIsDivided) {
  std::size_t device_rows = 0;
  JointMoments joint = make_joint(device_rows, 1 + static_cast<int>(10 * GetParam()));
  joint.fix_host_share(GetParam());
  const auto reference = make_moments({}, Backend::reference);
  const Classifier plane = SkinPlane{0.01, -0.004, -0.004, 0.2};
  joint.set_classifier(plane);
  reference->set_classifier(plane);
  std::vector<std::uint8_t> mask(67 * 45);
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = static_cast<std::uint8_t>(i * 7);
  for (const PixelFormat format : bench::pixel_formats) {
    SCOPED_TRACE(bench::name(format));
    const bench::HeadFrame frame = bench::make_head_frame(bench::Picture::noise, format, 67, 45, 3);
    Weighing weighing;
    expect_same(joint.measure(frame.view), reference->measure(frame.view));
    weighing.window = Window{30.3, 20.7, 21, 14};
    weighing.bottom = 29;
    expect_same(joint.measure(frame.view, weighing), reference->measure(frame.view, weighing));
    weighing.mask = {mask.data(), 67, 45, 67};
    expect_same(joint.measure(frame.view, weighing), reference->measure(frame.view, weighing));
  }
}
INSTANTIATE_TEST_SUITE_P(Shares, Joint, testing::Values(0.0, 0.3, 0.5, 0.97, 1.0));

TEST(Joint, GivesTheDeviceAllRowsWhereTheHostHasNone) {
  std::size_t device_rows = 0;
  JointMoments joint = make_joint(device_rows);
  joint.set_classifier(SkinPlane{0, 0, 0, 1});
  joint.fix_host_share(0);
  const bench::HeadFrame frame = bench::make_head_frame(bench::Picture::noise, PixelFormat::bgr, 8, 31, 3);
  EXPECT_DOUBLE_EQ(joint.measure(frame.view).w, 8 * 31);
  EXPECT_EQ(device_rows, 31u);
}

TEST(Joint, AdaptsToWhatItMeasures) {
  std::size_t device_rows = 0;
  JointMoments joint = make_joint(device_rows);
  joint.set_classifier(SkinPlane{0, 0, 0, 1});
  const bench::HeadFrame frame = bench::make_head_frame(bench::Picture::noise, PixelFormat::bgr, 64, 128, 3);
  joint.measure(frame.view);
  EXPECT_EQ(device_rows, 64u);
  EXPECT_NE(joint.division().host_share(), 0.5);
}

TEST(Joint, RefusesBeforeTheDeviceBegins) {
  std::size_t device_rows = 0;
  JointMoments joint = make_joint(device_rows);
  EXPECT_THROW(joint.measure(ColourView{}), Error);
  EXPECT_EQ(device_rows, 0u);
}

}  // namespace
}  // namespace kinema::head
