// Calibration: planes that were planted are found again, and pixels are counted where they should be.
#include "head/constants.h"
#include "kinema/head_calibration.h"

#include "kinema/error.h"
#include "synth/head_clip.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <random>

namespace kinema::head {
namespace {

// Colours all over RGB, skin where a planted plane is above a half.
std::vector<ColourCount> planted(const SkinPlane& plane, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> level(0, 255);
  std::vector<ColourCount> colours;
  for (int i = 0; i < 3000; ++i) {
    ColourCount colour{level(random), level(random), level(random), 0, 0};
    const double value = plane.r * colour.r + plane.g * colour.g + plane.b * colour.b + plane.d;
    (value > 0.5 ? colour.skin : colour.other) = 10;
    colours.push_back(colour);
  }
  return colours;
}

double angle_between(const SkinPlane& a, const SkinPlane& b) {
  const double dot = a.r * b.r + a.g * b.g + a.b * b.b;
  const double length = std::sqrt((a.r * a.r + a.g * a.g + a.b * a.b) * (b.r * b.r + b.g * b.g + b.b * b.b));
  return std::acos(std::min(1.0, dot / length));
}

TEST(FitPlane, FindsPlanesThatWerePlanted) {
  const SkinPlane planes[] = {{0.02, -0.015, -0.002, 0.3},
                              {-0.01, 0.004, 0.012, 0.4},
                              {0.003, 0.004, 0.002, -0.7},
                              {-0.006, -0.007, -0.001, 2.1}};
  for (const SkinPlane& plane : planes) {
    const std::vector<ColourCount> colours = planted(plane, 5);
    const SkinPlane found = fit_plane(colours);
    // 3000 colours leave the border open by about a degree
    EXPECT_LT(angle_between(found, plane), 0.06);
    EXPECT_GT(score(found, colours), 0.85);
  }
}

TEST(FitPlane, NeverFallsBehindASearchOverManyPlanesOfTheSameSoftness) {
  std::mt19937 random(9);
  std::normal_distribution<float> skin(0, 18), other(0, 55);
  std::vector<ColourCount> colours;
  for (int i = 0; i < 2000; ++i) {
    colours.push_back({185 + skin(random), 125 + skin(random), 100 + skin(random), 1, 0});
    colours.push_back({110 + other(random), 115 + other(random), 110 + other(random), 0, 1});
  }
  const SkinPlane found = fit_plane(colours);
  const double length = std::sqrt(found.r * found.r + found.g * found.g + found.b * found.b);
  const double best = score(found, colours);
  std::normal_distribution<double> direction(0, 1);
  std::uniform_real_distribution<double> offset(-300, 300);
  for (int i = 0; i < 3000; ++i) {
    double r = direction(random), g = direction(random), b = direction(random);
    const double scale = length / std::sqrt(r * r + g * g + b * b);
    r *= scale, g *= scale, b *= scale;
    EXPECT_LE(score(SkinPlane{r, g, b, length * offset(random)}, colours), best + 0.02);
  }
}

TEST(FitPlane, IsSoftWhereThatCostsLittle) {
  // two clusters that are 100 levels apart need no hard edge
  std::vector<ColourCount> colours;
  for (int i = 0; i < 20; ++i) {
    colours.push_back({180.0f + static_cast<float>(i % 5), 120, 90, 1, 0});
    colours.push_back({80.0f + static_cast<float>(i % 5), 120, 90, 0, 1});
  }
  const SkinPlane plane = fit_plane(colours);
  EXPECT_LT(std::sqrt(plane.r * plane.r + plane.g * plane.g + plane.b * plane.b), 1.0 / 60);
  EXPECT_GT(score(plane, colours), 0.97);
}

TEST(FitPlane, RefusesWhatHasNoTwoSides) {
  EXPECT_THROW(fit_plane({}), Error);
  EXPECT_THROW(fit_plane(std::vector<ColourCount>{{1, 2, 3, 1, 0}}), Error);
  EXPECT_THROW(fit_plane(std::vector<ColourCount>{{1, 2, 3, 0, 1}}), Error);
}

// 100 x 80 pixels of one colour, with an ellipse of another.
std::vector<std::uint8_t> two_colours(const Oval& oval) {
  std::vector<std::uint8_t> bgr;
  for (int y = 0; y < 80; ++y) {
    for (int x = 0; x < 100; ++x) {
      const double h = (x - oval.cx) / oval.rx, v = (y - oval.cy) / oval.ry;
      const bool inside = h * h + v * v <= 1;
      for (int value : inside ? std::array{100, 130, 200} : std::array{90, 100, 60}) {
        bgr.push_back(static_cast<std::uint8_t>(value));
      }
    }
  }
  return bgr;
}

TEST(CountColours, LeavesOutTheRingAndTheNeck) {
  const Oval oval{50, 30, 12, 16};
  const std::vector<std::uint8_t> bgr = two_colours(oval);
  const ColourView frame{bgr.data(), 100, 80, 300, PixelFormat::bgr};
  const std::vector<ColourCount> colours = count_colours({&frame, 1}, {&oval, 1});
  double skin = 0, other = 0;
  for (const ColourCount& colour : colours) {
    skin += colour.skin;
    other += colour.other;
    EXPECT_EQ(colour.skin > 0, colour.r == 200) << "the two colours lie in cells of their own";
  }
  double expected_skin = 0, expected_other = 0;
  for (int y = 0; y < 80; ++y) {
    for (int x = 0; x < 100; ++x) {
      const double h = (x - oval.cx) / oval.rx, v = (y - oval.cy) / oval.ry, u = h * h + v * v;
      const bool neck = std::abs(x - oval.cx) <= oval.rx && y > oval.cy && y <= oval.cy + 2 * oval.ry;
      expected_skin += u <= 1;
      expected_other += u > calibration_ring * calibration_ring && !neck;
    }
  }
  EXPECT_EQ(skin, expected_skin);
  EXPECT_EQ(other, expected_other);
}

TEST(CountColours, RefusesOvalsThatAreNone) {
  const Oval good{50, 30, 12, 16};
  const std::vector<std::uint8_t> bgr = two_colours(good);
  const ColourView frame{bgr.data(), 100, 80, 300, PixelFormat::bgr};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Oval& oval : {Oval{50, 30, 0, 16},
                           {50, 30, 12, -4},
                           {nan, 30, 12, 16},
                           {500, 30, 12, 16},
                           {50, -3, 12, 16},
                           {50, 30, nan, 16},
                           {50, 40, 400, 400}}) {
    EXPECT_THROW(count_colours({&frame, 1}, {&oval, 1}), Error);
  }
  EXPECT_THROW(count_colours({}, {&good, 1}), Error);
  EXPECT_THROW(count_colours({&frame, 1}, {}), Error);
  EXPECT_THROW(fit_model("magic", count_colours({&frame, 1}, {&good, 1})), Error);
}

TEST(Calibrate, EveryClassifierSeparatesTheSyntheticHead) {
  const synth::HeadClip clip({.width = 320, .height = 240});
  std::vector<io::Picture> pictures;
  std::vector<ColourView> frames;
  std::vector<Oval> ovals;
  for (std::size_t i : {0u, 10u}) pictures.push_back(clip.picture(i));
  frames.reserve(pictures.size());
  for (const io::Picture& picture : pictures) {
    frames.push_back({picture.bgr.data(), 320, 240, 960, PixelFormat::bgr});
  }
  for (std::size_t i : {0u, 10u}) {
    const synth::HeadTruth truth = clip.truth(i);
    ovals.push_back({truth.x, truth.y, truth.rx, truth.ry});
  }
  for (std::string_view name : skin_model_names()) {
    CalibrationSettings settings;
    settings.classifier = name;
    const Calibration calibration = calibrate(frames, ovals, settings);
    EXPECT_GT(calibration.filter.score, low_score) << name;
    ASSERT_TRUE(calibration.head);
    EXPECT_EQ(calibration.head->width, 320u);
    // eyes, brows and hair are no skin; the rest of the oval is
    const double oval = 3.14159 * ovals[1].rx * ovals[1].ry / (320 * 240);
    EXPECT_GT(calibration.head->area, 0.5 * oval) << name;
    EXPECT_LE(calibration.head->area, oval * 1.01) << name;
  }
}

}  // namespace
}  // namespace kinema::head
