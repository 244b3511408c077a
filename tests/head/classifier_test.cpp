// Classifiers of skin colour: what they say of colours, as tables, and fitted to marked pixels.
#include "kinema/error.h"
#include "kinema/head_classifier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace kinema::head {
namespace {

// Skin of one person in one light, shaded, before a room of greys, greens and blues with some wood.
std::vector<ColourCount> marked_pixels(std::uint64_t seed, double stray = 0.1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise;
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<ColourCount> colours;
  const auto add = [&](double r, double g, double b, double skin, double other) {
    const auto channel = [](double x) { return static_cast<float>(std::clamp(x, 0.0, 255.0)); };
    colours.push_back({channel(r), channel(g), channel(b), skin, other});
  };
  for (int i = 0; i < 2000; ++i) {
    const double light = 80 + 120 * unit(random);
    if (unit(random) < stray)  // hair within the oval
      add(40 + 4 * noise(random), 32 + 4 * noise(random), 28 + 4 * noise(random), 1, 0);
    else
      add(1.15 * light + 4 * noise(random), 0.8 * light + 4 * noise(random), 0.66 * light + 4 * noise(random), 1, 0);
  }
  for (int i = 0; i < 4000; ++i) {
    const double light = 20 + 220 * unit(random);
    const int kind = static_cast<int>(random() % 4);
    const double r = kind == 3 ? 0.7 : kind == 2 ? 0.8 : 1, g = 1, b = kind == 1 ? 1.2 : kind == 3 ? 0.6 : 1;
    add(r * light + 4 * noise(random), g * light + 4 * noise(random), b * light + 4 * noise(random), 0, 1);
  }
  return colours;
}

std::vector<SkinModel> fitted(const std::vector<ColourCount>& colours) {
  return {fit_rg(colours),  fit_xyz(colours), fit_cbcr(colours),
          fit_hsv(colours), fit_tsl(colours), fit_histogram(colours)};
}

std::vector<SkinModel> defaults() {
  return {SkinPlane{0.02, -0.012, -0.008, -0.1}, RgGaussian{}, XyzGaussian{}, CbCrGaussian{}, HsvBox{}, TslGaussian{},
          fit_histogram(marked_pixels(1), 16)};
}

TEST(Classifier, EachHasItsName) {
  std::vector<std::string_view> names;
  for (const SkinModel& model : defaults()) names.push_back(name(model));
  EXPECT_EQ(names, skin_model_names());
}

TEST(Classifier, DefaultsKnowSkinFromGreyGreenAndBlue) {
  for (const SkinModel& model : {SkinModel(RgGaussian{}), SkinModel(XyzGaussian{}), SkinModel(CbCrGaussian{}),
                                 SkinModel(HsvBox{}), SkinModel(TslGaussian{})}) {
    for (const auto& [r, g, b] :
         {std::array{200.0, 140.0, 115.0}, std::array{224.0, 172.0, 145.0}, std::array{141.0, 95.0, 75.0}})
      EXPECT_GT(degree(model, r, g, b), 0.4) << name(model) << ' ' << r;
    for (const auto& [r, g, b] :
         {std::array{128.0, 128.0, 128.0}, std::array{60.0, 160.0, 60.0}, std::array{60.0, 80.0, 200.0},
          std::array{0.0, 0.0, 0.0}, std::array{255.0, 255.0, 255.0}})
      EXPECT_LT(degree(model, r, g, b), 0.1) << name(model) << ' ' << r << ' ' << g << ' ' << b;
  }
}

TEST(Classifier, ATableIsTheDegreeOfEachColourRounded) {
  std::mt19937_64 random(2);
  for (const SkinModel& model : defaults()) {
    const Table table = make_table(model);
    ASSERT_EQ(table.degrees.size(), std::size_t{1} << 24);
    for (int i = 0; i < 20000; ++i) {
      const std::size_t r = random() % 256, g = random() % 256, b = random() % 256;
      const double exact = 255 * degree(model, static_cast<double>(r), static_cast<double>(g), static_cast<double>(b));
      ASSERT_NEAR(table.degrees[65536 * r + 256 * g + b], exact, 0.5 + 1e-9) << name(model);
    }
  }
}

TEST(Classifier, ATableDoesNotDependOnTheNumberOfThreads) {
  EXPECT_EQ(make_table(TslGaussian{}, 1).degrees, make_table(TslGaussian{}, 3).degrees);
}

TEST(Classifier, OnlyAPlaneIsNotATable) {
  EXPECT_TRUE(std::holds_alternative<SkinPlane>(make_classifier(SkinPlane{0.01, 0, 0, 0})));
  EXPECT_TRUE(std::holds_alternative<std::shared_ptr<const Table>>(make_classifier(HsvBox{})));
}

TEST(Classifier, BrightnessDoesNotMatterToNormalisedColour) {
  for (const SkinModel& model : {SkinModel(RgGaussian{}), SkinModel(TslGaussian{})})
    EXPECT_NEAR(degree(model, 120, 85, 70), degree(model, 240, 170, 140), 1e-12) << name(model);
}

TEST(Classifier, HueMayCrossZero) {
  HsvBox box;
  box.hue = {-20, 20};
  EXPECT_NEAR(degree(box, 200, 120, 130), degree(box, 200, 130, 120), 1e-12);
  EXPECT_GT(degree(box, 200, 120, 130), 0.99);
  HsvBox same = box;
  same.hue = {340, 380};
  EXPECT_NEAR(degree(same, 200, 120, 130), degree(box, 200, 120, 130), 1e-12);
  EXPECT_EQ(degree(box, 120, 200, 130), 0);
}

TEST(ClassifierFit, EverySortTellsSkinFromTheRoom) {
  const auto seen = marked_pixels(1), unseen = marked_pixels(2, 0);
  for (const SkinModel& model : fitted(seen)) {
    check(model);
    EXPECT_GT(score(model, seen), 0.6) << name(model);
    EXPECT_GT(score(model, unseen), 0.65) << name(model);  // without hair in the oval there is more to win
  }
}

TEST(ClassifierFit, IsAtLeastAsGoodAsTheDefaults) {
  const auto colours = marked_pixels(1);
  const double size_step = 0.01;  // sizes are tried in steps, so the best may lie beside one
  EXPECT_GE(score(fit_rg(colours), colours) + size_step, score(RgGaussian{}, colours));
  EXPECT_GE(score(fit_cbcr(colours), colours) + size_step, score(CbCrGaussian{}, colours));
  EXPECT_GE(score(fit_hsv(colours), colours) + size_step, score(HsvBox{}, colours));
  EXPECT_GE(score(fit_tsl(colours), colours) + size_step, score(TslGaussian{}, colours));
}

TEST(ClassifierFit, SaysSoWhereNothingSeparates) {
  auto colours = marked_pixels(1);
  for (ColourCount& colour : colours) colour.skin = colour.other = 1;
  for (const SkinModel& model : fitted(colours)) EXPECT_LT(std::abs(score(model, colours)), 0.05) << name(model);
}

TEST(ClassifierFit, CountsAreAsGoodAsPixels) {
  auto colours = marked_pixels(3);
  auto twice = colours;
  twice.insert(twice.end(), colours.begin(), colours.end());
  for (ColourCount& colour : colours) colour.skin *= 2, colour.other *= 2;
  const CbCrGaussian a = fit_cbcr(colours), b = fit_cbcr(twice);
  EXPECT_NEAR(a.cbcr.mean[0], b.cbcr.mean[0], 1e-9);
  EXPECT_NEAR(a.cbcr.covariance[0], b.cbcr.covariance[0], 1e-6);
  EXPECT_EQ(fit_histogram(colours).degrees, fit_histogram(twice).degrees);
}

TEST(ClassifierFit, AFewColoursAreEnough) {
  const std::vector<ColourCount> colours = {{200, 140, 115, 10, 0}, {90, 90, 90, 0, 10}};
  for (const SkinModel& model : fitted(colours)) {
    check(model);
    EXPECT_GT(score(model, colours), 0.5) << name(model);
  }
}

TEST(ClassifierRefusal, OfPixelsWithoutSkinOrWithoutBackground) {
  for (const std::vector<ColourCount>& colours :
       {std::vector<ColourCount>{}, {{1, 2, 3, 1, 0}}, {{1, 2, 3, 0, 1}}, {{1, 2, 3, -1, 1}}, {{NAN, 2, 3, 1, 1}}}) {
    EXPECT_THROW(fit_rg(colours), Error);
    EXPECT_THROW(fit_xyz(colours), Error);
    EXPECT_THROW(fit_cbcr(colours), Error);
    EXPECT_THROW(fit_hsv(colours), Error);
    EXPECT_THROW(fit_tsl(colours), Error);
    EXPECT_THROW(fit_histogram(colours), Error);
  }
  EXPECT_THROW(fit_histogram(marked_pixels(1), 1), Error);
  EXPECT_THROW(fit_histogram(marked_pixels(1), 65), Error);
}

TEST(ClassifierRefusal, OfParametersThatMakeNoSense) {
  const auto refused = [](const SkinModel& model) {
    EXPECT_THROW(check(model), Error) << name(model);
    EXPECT_THROW(make_table(model), Error) << name(model);
  };
  refused(SkinPlane{NAN, 0, 0, 0});
  for (const std::array<double, 3>& covariance :
       {std::array{0.0, 0.0, 1.0}, std::array{1.0, 2.0, 1.0}, std::array{-1.0, 0.0, -1.0},
        std::array{1.0, static_cast<double>(NAN), 1.0}}) {
    refused(RgGaussian{{{0.4, 0.3}, covariance}, 0});
    refused(XyzGaussian{{{0.4, 0.3}, covariance}, 0});
    refused(CbCrGaussian{{{110, 150}, covariance}, 0});
    refused(TslGaussian{{{0.5, 0.1}, covariance}, 0});
  }
  refused(RgGaussian{{{0.4, 0.3}, {1, 0, 1}}, -1});
  HsvBox box;
  box.value = {0.5, 0.4};
  refused(box);
  box = {};
  box.soft[1] = 0;
  refused(box);
  refused(Histogram{});
  refused(Histogram{2, {1, 2, 3}});
  refused(Histogram{65, std::vector<std::uint8_t>(65 * 65 * 65)});
}

}  // namespace
}  // namespace kinema::head
