// The same bits from run to run, for any number of threads, and whatever was measured before.
#include "frames.h"

namespace kinema::head {
namespace {

class MomentsRepeat : public OnMoments {
protected:
  static void expect_same(const Sums& a, const Sums& b) {
    EXPECT_EQ(a.w, b.w);
    EXPECT_EQ(a.wx, b.wx);
    EXPECT_EQ(a.wy, b.wy);
    EXPECT_EQ(a.wxx, b.wxx);
    EXPECT_EQ(a.wyy, b.wyy);
  }
};

TEST_P(MomentsRepeat, AnyNumberOfThreadsGivesTheSameBits) {
  const Classifier table = random_table(1);
  for (const PixelFormat format : {PixelFormat::bgr, PixelFormat::nv12}) {
    const Frame frame = random_frame(4, 641, 363, format, Colours::noise);
    for (const Classifier& classifier : {Classifier(SkinPlane{0.0123, -0.0071, 0.0042, -0.4}), table}) {
      Sums one;
      for (int threads = 1; threads <= 5; ++threads) {
        const auto moments = make_moments(GetParam(), {}, Compute(Backend::automatic, threads));
        moments->set_classifier(classifier);
        const Sums sums = moments->measure(frame.view);
        if (threads == 1) one = sums;
        expect_same(sums, one);
        expect_same(moments->measure(frame.view), one);
      }
    }
  }
}

TEST_P(MomentsRepeat, OtherFramesInBetweenChangeNothing) {
  const auto moments = make_moments(GetParam());
  moments->set_classifier(SkinPlane{0.0123, -0.0071, 0.0042, -0.4});
  const Frame frame = random_frame(4, 200, 150, PixelFormat::rgba), small = random_frame(5, 3, 2, PixelFormat::yuyv),
              large = random_frame(6, 700, 300, PixelFormat::bgr);
  const Sums first = moments->measure(frame.view);
  moments->measure(large.view);
  moments->measure(small.view);
  expect_same(moments->measure(frame.view), first);
}

INSTANTIATE_TEST_SUITE_P(Backends, MomentsRepeat, ::testing::ValuesIn(repeating_names), moments_name);

class MomentsWindowRepeat : public MomentsRepeat {};

TEST_P(MomentsWindowRepeat, ABatchDividedAmongDevicesGivesTheSameBits) {
  std::vector<Frame> made;
  for (std::uint32_t i = 0; i < 9; ++i) made.push_back(random_frame(i, 160, 91, PixelFormat::bgr));
  std::vector<ColourView> frames;
  frames.reserve(made.size());
  for (const Frame& frame : made) frames.push_back(frame.view);
  std::vector<Sums> whole(frames.size()), divided(frames.size());
  const auto one = make_moments(GetParam());
  one->set_classifier(SkinPlane{0.0123, -0.0071, 0.0042, -0.4});
  one->measure(frames, whole);
  for (const std::size_t parts : {1, 2, 3, 4, 7}) {
    const auto moments = make_moments(GetParam(), {}, Compute(Backend::automatic, 0, std::vector<int>(parts, 0)));
    moments->set_classifier(SkinPlane{0.0123, -0.0071, 0.0042, -0.4});
    moments->measure(frames, divided);
    for (std::size_t i = 0; i < frames.size(); ++i) expect_same(divided[i], whole[i]);
    expect_same(moments->measure(frames[3]), whole[3]);
  }
}

TEST_P(MomentsWindowRepeat, AnyNumberOfThreadsGivesTheSameBits) {
  const Frame frame = random_frame(4, 641, 363, PixelFormat::bgr);
  Weighing weighing;
  weighing.window = Window{300.5, 140.25, 130, 170};
  Sums one;
  for (int threads = 1; threads <= 5; ++threads) {
    const auto moments = make_moments(GetParam(), {}, Compute(Backend::automatic, threads));
    moments->set_classifier(SkinPlane{0.0123, -0.0071, 0.0042, -0.4});
    const Sums sums = moments->measure(frame.view, weighing);
    if (threads == 1) one = sums;
    expect_same(sums, one);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, MomentsWindowRepeat, ::testing::ValuesIn(repeating_backend_names), moments_name);

}  // namespace
}  // namespace kinema::head
