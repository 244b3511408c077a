// Every backend, and every step of the paper, gives the reference's sums.
#include "frames.h"

#include <cmath>

namespace kinema::head {
namespace {

// A backend for many frames, since some take a while to make.
class Pair {
public:
  explicit Pair(const char* name) : name_(name), moments_(make_moments(name)), reference_(make_moments("reference")) {}
  void set_classifier(const Classifier& classifier) {
    moments_->set_classifier(classifier);
    reference_->set_classifier(classifier);
  }
  ::testing::AssertionResult agrees(const ColourView& frame, const Weighing& weighing = {}) {
    return agree(moments_->measure(frame, weighing), reference_->measure(frame, weighing), frame, name_);
  }

private:
  const char* name_;
  std::unique_ptr<Moments> moments_, reference_;
};

class MomentsAgree : public OnMoments {};

TEST_P(MomentsAgree, SmallFramesOfEverySizeAndFormat) {
  Pair pair(GetParam());
  pair.set_classifier(SkinPlane{0.012, -0.007, 0.004, -0.4});
  std::uint64_t seed = 0;
  for (const PixelFormat format : formats)
    for (const std::size_t width : {1, 2, 3, 4, 5, 7, 15, 16, 17, 31, 33, 47, 48, 63, 65, 130})
      for (const std::size_t height : {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33})
        for (const std::size_t slack : {0, 1, 29})
          ASSERT_TRUE(pair.agrees(random_frame(++seed, width, height, format, Colours::noise, slack).view))
              << width << " x " << height << ", format " << static_cast<int>(format) << ", slack " << slack;
}

TEST_P(MomentsAgree, PlanesFromGentleToSteepOnAnyColours) {
  Pair pair(GetParam());
  std::uint64_t seed = 100;
  for (const Colours colours : {Colours::noise, Colours::blobs, Colours::greys, Colours::extremes, Colours::one}) {
    const Frame frame = random_frame(seed, 211, 97, formats[seed % 6], colours);
    for (int i = 0; i < 8; ++i) {
      pair.set_classifier(random_plane(++seed));
      ASSERT_TRUE(pair.agrees(frame.view)) << "seed " << seed;
    }
  }
}

TEST_P(MomentsAgree, WeightsAtTheEdgesOfTheClamp) {
  Pair pair(GetParam());
  // exactly 0, exactly 1 and the colours beside
  const Frame greys = random_frame(7, 160, 90, PixelFormat::bgr, Colours::greys);
  const Frame extremes = random_frame(8, 160, 90, PixelFormat::rgba, Colours::extremes);
  for (const SkinPlane& plane :
       {SkinPlane{0, 0, 0, 0}, SkinPlane{0, 0, 0, 1}, SkinPlane{0, 0, 0, 0.5}, SkinPlane{0, 0, 0, -3},
        SkinPlane{0, 0, 0, 7}, SkinPlane{1.0 / 255, 0, 0, 0}, SkinPlane{-1.0 / 255, 0, 0, 1},
        SkinPlane{0.01, -0.01, 0, 0}, SkinPlane{0.02, -0.01, -0.01, 0}, SkinPlane{0.01, -0.01, 0, 1},
        SkinPlane{0.5, 0.5, -1, 1e-6}, SkinPlane{1.0 / 3, 1.0 / 7, -1.0 / 3, -10}}) {
    pair.set_classifier(plane);
    ASSERT_TRUE(pair.agrees(greys.view)) << plane.r << ' ' << plane.g << ' ' << plane.b << ' ' << plane.d;
    ASSERT_TRUE(pair.agrees(extremes.view)) << plane.r << ' ' << plane.g << ' ' << plane.b << ' ' << plane.d;
  }
}

TEST_P(MomentsAgree, HugeCoefficients) {
  Pair pair(GetParam());
  const Frame noise = random_frame(9, 97, 61, PixelFormat::bgr);
  for (const double f : {3.0, 20.0, 300.0, 1e4, 1e6, 3e6}) {
    // a slope that passes between the colours, which half of them are beyond
    pair.set_classifier(SkinPlane{f, -f, 0, 0.5});
    ASSERT_TRUE(pair.agrees(noise.view)) << f;
    pair.set_classifier(SkinPlane{-f, 0, 0, 128 * f + 0.25});
    ASSERT_TRUE(pair.agrees(noise.view)) << f;
  }
}

TEST_P(MomentsAgree, TablesOfAnyKind) {
  Pair pair(GetParam());
  std::uint64_t seed = 300;
  for (int kind = 0; kind < 3; ++kind) {
    pair.set_classifier(random_table(static_cast<std::uint64_t>(kind)));
    for (const PixelFormat format : formats)
      for (const Colours colours : {Colours::noise, Colours::blobs})
        for (const std::size_t width : {1, 17, 161})
          for (const std::size_t height : {1, 9, 35})
            ASSERT_TRUE(pair.agrees(random_frame(++seed, width, height, format, colours).view))
                << "kind " << kind << ", " << width << " x " << height << ", format " << static_cast<int>(format);
  }
}

TEST_P(MomentsAgree, WhatWeighsNothingIsExactlyNothing) {
  const auto moments = make_moments(GetParam());
  moments->set_classifier(SkinPlane{0.01, 0.01, 0.01, -8});
  EXPECT_EQ(moments->measure(random_frame(1, 333, 77, PixelFormat::bgr).view).w, 0);
  moments->set_classifier(std::make_shared<Table>(Table{std::vector<std::uint8_t>(std::size_t{1} << 24)}));
  EXPECT_EQ(moments->measure(random_frame(1, 333, 77, PixelFormat::nv12).view).w, 0);
}

TEST_P(MomentsAgree, OneClassifierAfterTheOther) {
  Pair pair(GetParam());
  const Frame bgr = random_frame(1, 100, 50, PixelFormat::bgr), rgb = random_frame(2, 70, 80, PixelFormat::rgb);
  for (int i = 0; i < 3; ++i) {
    pair.set_classifier(random_plane(static_cast<std::uint64_t>(i)));
    EXPECT_TRUE(pair.agrees(bgr.view));
    EXPECT_TRUE(pair.agrees(rgb.view));
    pair.set_classifier(random_table(static_cast<std::uint64_t>(i)));
    EXPECT_TRUE(pair.agrees(rgb.view));
    EXPECT_TRUE(pair.agrees(bgr.view));
  }
}

// 64 rows of full weights fill half of 32 bits; sums of a large frame must not run over
TEST_P(MomentsAgree, ALargeFrameOfFullWeights) {
  Pair pair(GetParam());
  pair.set_classifier(SkinPlane{0, 0, 0, 1});
  EXPECT_TRUE(pair.agrees(random_frame(1, 2000, 1100, PixelFormat::bgr).view));
  EXPECT_TRUE(pair.agrees(random_frame(1, 5000, 130, PixelFormat::nv12).view));
}

TEST_P(MomentsAgree, ManyFramesAtOnce) {
  const auto moments = make_moments(GetParam());
  moments->set_classifier(SkinPlane{0.012, -0.007, 0.004, -0.4});
  std::vector<Frame> frames;
  std::vector<ColourView> views;
  for (std::uint64_t i = 0; i < 5; ++i) {
    frames.push_back(random_frame(i, 97, 45, PixelFormat::bgr, i % 2 ? Colours::blobs : Colours::noise));
    views.push_back(frames.back().view);
  }
  std::vector<Sums> sums(views.size());
  moments->measure(views, sums);
  for (std::size_t i = 0; i < views.size(); ++i)
    EXPECT_TRUE(agree(sums[i], moments->measure(views[i]), views[i], GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Backends, MomentsAgree, ::testing::ValuesIn(all_names), moments_name);

class MomentsWeighing : public OnMoments {};

TEST_P(MomentsWeighing, WindowsInsideAcrossAndOutsideTheFrame) {
  Pair pair(GetParam());
  pair.set_classifier(SkinPlane{0.012, -0.007, 0.004, -0.2});
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> place(-40, 200), size(0.3, 120);
  for (int i = 0; i < 150; ++i) {
    const Frame frame = random_frame(random(), 1 + random() % 170, 1 + random() % 130, formats[i % 6],
                                     i % 4 ? Colours::noise : Colours::blobs);
    Weighing weighing;
    weighing.window = Window{place(random), place(random), size(random), size(random)};
    ASSERT_TRUE(pair.agrees(frame.view, weighing)) << i;
  }
}

TEST_P(MomentsWeighing, WindowsOverATable) {
  Pair pair(GetParam());
  pair.set_classifier(random_table(1));
  for (const PixelFormat format : formats) {
    const Frame frame = random_frame(3, 333, 211, format, Colours::noise);
    for (const Window& window :
         {Window{100.3, 90.7, 60, 80}, Window{-5, -5, 20, 20}, Window{166, 100, 1e6, 1e6}, Window{50, 50, 0.4, 500}}) {
      Weighing weighing;
      weighing.window = window;
      ASSERT_TRUE(pair.agrees(frame.view, weighing)) << static_cast<int>(format);
    }
  }
}

TEST_P(MomentsWeighing, MasksAndTheRowBelowTheChin) {
  Pair pair(GetParam());
  std::mt19937_64 random(6);
  for (int i = 0; i < 60; ++i) {
    const std::size_t width = 1 + random() % 150, height = 1 + random() % 90;
    const Frame frame = random_frame(random(), width, height, formats[i % 6]);
    const std::size_t stride = width + random() % 9;
    std::vector<std::uint8_t> mask(stride * (height - 1) + width);
    for (std::uint8_t& byte : mask) byte = static_cast<std::uint8_t>(random() % 4 == 0 ? random() : random() % 2 * 255);
    Weighing weighing;
    if (i % 2 == 0) weighing.mask = {mask.data(), width, height, stride};
    if (i % 3 == 0) weighing.bottom = random() % (height + 3);
    if (i % 5 == 0) weighing.window = Window{40, 30, 50, 40};
    if (i % 7 == 0)
      pair.set_classifier(SkinPlane{300, -300, 0, 0.5});  // one that is too steep for integers
    else
      pair.set_classifier(SkinPlane{0.012, -0.007, 0.004, -0.2});
    ASSERT_TRUE(pair.agrees(frame.view, weighing)) << i;
  }
}

// the window weighs each pixel by its kernel, and nothing else of the frame is counted
TEST_P(MomentsWeighing, AWindowIsTheKernelOverAWhiteFrame) {
  const auto moments = make_moments(GetParam());
  moments->set_classifier(SkinPlane{0, 0, 0, 1});
  const Frame frame = random_frame(1, 400, 300, PixelFormat::bgr);
  Weighing weighing;
  weighing.window = Window{201.25, 148.5, 80, 60};
  const Sums sums = moments->measure(frame.view, weighing);
  // the volume under 1 - u over an ellipse is half of its area; a grid of pixels is that to a few in a thousand
  EXPECT_NEAR(sums.w, 3.14159265 * 80 * 60 / 2, 10);
  EXPECT_NEAR(sums.wx / sums.w, 201.25, 1e-2);
  EXPECT_NEAR(sums.wy / sums.w, 148.5, 1e-2);
}

INSTANTIATE_TEST_SUITE_P(Backends, MomentsWeighing, ::testing::ValuesIn(backend_names), moments_name);

TEST(MomentsNames, AreAllTested) {
  for (const std::string_view name : bench::moments_names())
    EXPECT_TRUE(name == "reference" ||
                std::find(std::begin(all_names), std::end(all_names), name) != std::end(all_names))
        << name;
}

}  // namespace
}  // namespace kinema::head
