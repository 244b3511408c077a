// What the cuda backend promises beyond the suite of all backends: sums of the same bits however the frame comes to it.
#include "bench/head/head_device.h"
#include "bench/head/head_frames.h"
#include "bench/head/steps/steps.h"
#include "frames.h"
#include "kinema/error.h"
#include "kinema/head.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace kinema::head {
namespace {

using bench::HeadFrame;
using bench::make_head_frame;
using bench::Picture;

std::array<double, 5> numbers(const Sums& s) { return {s.w, s.wx, s.wy, s.wxx, s.wyy}; }

Classifier stripes() {
  Table table;
  table.degrees.resize(std::size_t{1} << 24);
  for (std::size_t i = 0; i < table.degrees.size(); ++i)
    table.degrees[i] = static_cast<std::uint8_t>(i * 2654435761u >> 24);
  return std::make_shared<const Table>(std::move(table));
}

class MomentsOnDevice : public testing::Test {
protected:
  void SetUp() override {
    if (!available(Backend::cuda)) GTEST_SKIP() << "there is no GPU here";
  }
  static std::unique_ptr<Moments> make() { return make_moments({}, Backend::cuda); }
};

// A degree is rounded to 2^-20, and the plane to float: far less than 1e-5 of the frame and 1e-3 of a pixel.
void expect_near(const Sums& sums, const Sums& truth, double pixels) {
  EXPECT_NEAR(sums.w, truth.w, 2e-6 * pixels);
  if (truth.w < 1e-3 * pixels) return;
  EXPECT_NEAR(sums.wx / sums.w, truth.wx / truth.w, 1e-3);
  EXPECT_NEAR(sums.wy / sums.w, truth.wy / truth.w, 1e-3);
  EXPECT_NEAR(sums.wxx / sums.w, truth.wxx / truth.w, 1e-5 * (1 + truth.wxx / truth.w));
  EXPECT_NEAR(sums.wyy / sums.w, truth.wyy / truth.w, 1e-5 * (1 + truth.wyy / truth.w));
}

TEST_F(MomentsOnDevice, AgreesWithTheReferenceWhereverAFrameLies) {
  const auto cuda = make(), reference = make_moments({}, Backend::reference);
  for (const Classifier& classifier : {Classifier(SkinPlane{0.011, -0.006, -0.003, 0.2}), stripes()}) {
    cuda->set_classifier(classifier);
    reference->set_classifier(classifier);
    for (const PixelFormat format : bench::pixel_formats) {
      SCOPED_TRACE(bench::name(format));
      for (const auto& [width, height] : {std::pair{1, 1}, {3, 2}, {17, 9}, {64, 48}, {333, 77}, {640, 480}}) {
        const HeadFrame frame = make_head_frame(Picture::noise, format, std::size_t(width), std::size_t(height), 5);
        const auto pinned = bench::pinned(frame), device = bench::on_device(frame);
        const Sums sums = cuda->measure(frame.view);
        expect_near(sums, reference->measure(frame.view), width * height);
        EXPECT_EQ(numbers(sums), numbers(cuda->measure(pinned.view)));
        EXPECT_EQ(numbers(sums), numbers(cuda->measure(device.view)));
      }
    }
  }
}

TEST_F(MomentsOnDevice, RowsMayBeginAnywhere) {
  const auto cuda = make(), reference = make_moments({}, Backend::reference);
  const Classifier plane = SkinPlane{0.011, -0.006, -0.003, 0.2};
  cuda->set_classifier(plane);
  reference->set_classifier(plane);
  for (const PixelFormat format : bench::pixel_formats) {
    SCOPED_TRACE(bench::name(format));
    // the lower right of a larger frame, from an odd address
    const HeadFrame whole = make_head_frame(Picture::noise, format, 131, 40, 5);
    ColourView part = whole.view;
    part.width = 97;
    part.height = 33;
    const bool pairs = format == PixelFormat::nv12 || format == PixelFormat::yuyv;
    part.data += 2 * part.stride + (pairs ? 4 : 5);
    if (part.chroma != nullptr) part.chroma += part.chroma_stride + 4;
    const Sums truth = reference->measure(part), sums = cuda->measure(part);
    expect_near(sums, truth, 97 * 33);

    const auto device = bench::on_device(whole);
    ColourView there = part;
    there.on_device = true;
    there.data = device.view.data + (part.data - whole.view.data);
    if (part.chroma != nullptr) there.chroma = device.view.chroma + (part.chroma - whole.view.chroma);
    EXPECT_EQ(numbers(sums), numbers(cuda->measure(there)));
  }
}

TEST_F(MomentsOnDevice, ABatchHasTheBitsOfItsFrames) {
  const auto cuda = make();
  for (const Classifier& classifier : {Classifier(SkinPlane{0.011, -0.006, -0.003, 0.2}), stripes()}) {
    cuda->set_classifier(classifier);
    for (const PixelFormat format : bench::pixel_formats) {
      SCOPED_TRACE(bench::name(format));
      std::vector<HeadFrame> frames;
      std::vector<bench::PlacedFrame> placed;
      std::vector<ColourView> host, device;
      for (std::uint64_t i = 0; i < 67; ++i) {
        frames.push_back(make_head_frame(Picture::noise, format, 333, 35, i));
        placed.push_back(bench::on_device(frames.back()));
        device.push_back(placed.back().view);
      }
      for (const HeadFrame& frame : frames) host.push_back(frame.view);
      std::vector<Sums> from_host(host.size()), from_device(host.size());
      cuda->measure(host, from_host);
      cuda->measure(device, from_device);
      for (std::size_t i = 0; i < host.size(); ++i) {
        const auto alone = numbers(cuda->measure(host[i]));
        ASSERT_EQ(numbers(from_host[i]), alone) << i;
        ASSERT_EQ(numbers(from_device[i]), alone) << i;
      }
    }
  }
}

// More than the graphs that are kept, so that old ones are changed for new frames, and back.
TEST_F(MomentsOnDevice, AnyNumberOfFramesMayTakeTurns) {
  const auto cuda = make();
  cuda->set_classifier(SkinPlane{0.011, -0.006, -0.003, 0.2});
  std::vector<bench::PlacedFrame> placed;
  std::vector<std::array<double, 5>> sums;
  for (std::uint64_t i = 0; i < 80; ++i) {
    const HeadFrame frame =
        make_head_frame(Picture::noise, i % 3 == 0 ? PixelFormat::bgr : PixelFormat::rgba, 48, 32, i);
    placed.push_back(bench::on_device(frame));
    sums.push_back(numbers(cuda->measure(frame.view)));
  }
  for (int round = 0; round < 2; ++round)
    for (std::size_t i = 0; i < placed.size(); ++i) EXPECT_EQ(numbers(cuda->measure(placed[i].view)), sums[i]) << i;
}

TEST_F(MomentsOnDevice, WeighsByWindowMaskAndBottom) {
  const auto cuda = make(), reference = make_moments({}, Backend::reference);
  std::vector<std::uint8_t> mask(333 * 77);
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = static_cast<std::uint8_t>(i * 37 >> 3);
  for (const Classifier& classifier : {Classifier(SkinPlane{0.011, -0.006, -0.003, 0.2}), stripes()}) {
    cuda->set_classifier(classifier);
    reference->set_classifier(classifier);
    for (const PixelFormat format : bench::pixel_formats) {
      SCOPED_TRACE(bench::name(format));
      const HeadFrame frame = make_head_frame(Picture::noise, format, 333, 77, 5);
      const auto device = bench::on_device(frame);
      std::vector<Weighing> weighings(6);
      weighings[0].window = Window{150.3, 30.9, 61.5, 22};
      weighings[1].window = Window{-3, 80, 40, 50};
      weighings[2].mask = {mask.data(), 333, 77, 333};
      weighings[3].bottom = 41;
      weighings[4] = {Window{200, 40, 90, 30}, {mask.data(), 333, 77, 333}, 51};
      weighings[5].window = Window{1e6, 40, 90, 30};  // sees nothing
      for (std::size_t i = 0; i < weighings.size(); ++i) {
        SCOPED_TRACE(i);
        const Sums sums = cuda->measure(frame.view, weighings[i]);
        expect_near(sums, reference->measure(frame.view, weighings[i]), 333 * 77);
        EXPECT_EQ(numbers(sums), numbers(cuda->measure(device.view, weighings[i])));
      }
      EXPECT_EQ(cuda->measure(frame.view, weighings[5]).w, 0);
    }
  }
}

TEST_F(MomentsOnDevice, OnePixelWindowAndWhiteFrameAreExact) {
  const auto cuda = make();
  cuda->set_classifier(SkinPlane{0, 0, 0, 1});
  const HeadFrame frame = make_head_frame(Picture::noise, PixelFormat::rgba, 1920, 1080, 5);
  const Sums white = cuda->measure(frame.view);
  EXPECT_EQ(white.w, 1920.0 * 1080);
  EXPECT_EQ(white.wx, 1080 * (1919.0 * 1920 / 2));
  EXPECT_EQ(white.wy, 1920 * (1079.0 * 1080 / 2));
  EXPECT_EQ(white.wxx, 1080 * (1919.0 * 1920 * 3839 / 6));
  EXPECT_EQ(white.wyy, 1920 * (1079.0 * 1080 * 2159 / 6));
  Weighing one;
  one.window = Window{700, 300, 1e-300, 1e-300};
  EXPECT_EQ(cuda->measure(frame.view, one).w, 1);
}

TEST_F(MomentsOnDevice, TheStepsOfThePaperTakeFramesOfTheDevice) {
  const auto reference = make_moments({}, Backend::reference);
  const Classifier plane = SkinPlane{0.011, -0.006, -0.003, 0.2};
  reference->set_classifier(plane);
  for (const PixelFormat format : {PixelFormat::bgr, PixelFormat::rgba, PixelFormat::nv12}) {
    const HeadFrame frame = make_head_frame(Picture::noise, format, 131, 77, 5);
    const auto device = bench::on_device(frame);
    const Sums truth = reference->measure(frame.view);
    for (int step = 1; step <= 8; ++step) {
      SCOPED_TRACE(step);
      const auto gpu = make_gpu_step(step);
      gpu->set_classifier(plane);
      // floats, added in any order
      EXPECT_TRUE(agree(gpu->measure(device.view), truth, frame.view, "gpu1"));
      EXPECT_TRUE(agree(gpu->measure(frame.view), truth, frame.view, "gpu1"));
    }
  }
}

TEST_F(MomentsOnDevice, TheStepsOfThePaperTimeTheirKernelsAlone) {
  const HeadFrame frame = make_head_frame(Picture::camera, PixelFormat::rgba, 640, 480, 5);
  const auto device = bench::on_device(frame);
  const std::vector<ColourView> frames(4, device.view);
  for (int step = 1; step <= 8; ++step) {
    const auto gpu = make_gpu_step(step);
    gpu->set_classifier(SkinPlane{0.011, -0.006, -0.003, 0.2});
    const Sums before = gpu->measure(device.view);
    EXPECT_GT(gpu->kernels_ms(frames), 0) << step;
    EXPECT_TRUE(agree(gpu->measure(device.view), before, device.view, "gpu1"))
        << step;  // nothing is left of the timed sums
  }
}

TEST_F(MomentsOnDevice, RefusesFramesOfTooManyPixelsASide) {
  const auto cuda = make();
  const std::vector<std::uint8_t> row(40000 * 4);
  EXPECT_THROW(cuda->measure(ColourView{row.data(), 40000, 1, row.size(), PixelFormat::rgba}), Error);
}

}  // namespace
}  // namespace kinema::head
