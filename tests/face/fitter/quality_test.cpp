#include "face/fitter/quality.h"
#include "face/training/held_out.h"

#include "face/constants.h"
#include "face/model/shape.h"
#include "face/model/similarity.h"
#include "kinema/error.h"
#include "planted.h"

#include <gtest/gtest.h>

namespace kinema::face {
namespace {

Fit fit_at(std::vector<float> landmarks) {
  Fit fit;
  fit.landmarks = std::move(landmarks);
  return fit;
}

// A small model, trained in a second or two.
TrainSettings small_settings() {
  TrainSettings settings;
  settings.pixels = 400;
  settings.levels = 1;
  settings.mirrored = false;
  settings.cascade_stages = 2;
  settings.start_shift = 0.1;
  settings.gradient = TrainSettings::Gradient::none;
  settings.project_out = false;
  return settings;
}

// A small model without a score, and what it was trained on.
struct Unscored {
  Unscored(std::size_t count, std::uint32_t displacements) : faces(planted.population(count, 1)) {
    settings.displacements = displacements;
    settings.quality = false;
    model = train(examples, planted.layout(), settings);
  }

  Planted planted;
  std::vector<PlantedFace> faces;
  std::vector<Example> examples = examples_of(faces);
  TrainSettings settings = small_settings();
  Model model;
  TrainingSet set{examples, planted.layout(), false};
};

TEST(Quality, TellsGoodFitsFromFailed) {
  const Planted planted;
  const auto faces = planted.population(40, 1);
  TrainSettings settings = small_settings();
  settings.displacements = 6;
  const Model model = train(examples_of(faces), planted.layout(), settings);
  ASSERT_FALSE(model.quality.weights.empty());

  const auto unseen = planted.population(15, 50);
  int ordered = 0, pairs = 0;
  for (const PlantedFace& good : unseen)
    for (const PlantedFace& other : unseen) {
      const Similarity pose = similarity_between<float, float>(model.shape.mean, other.landmarks);
      // off by a fifth of its size
      const std::vector<float> bad =
          transformed<float>(compose(compose(pose, Similarity{1, 0.1, 0.4, 0.2}), inverse(pose)), other.landmarks);
      ++pairs;
      ordered += fit_quality(model, good.view(), fit_at(good.landmarks)).failure <
                 fit_quality(model, other.view(), fit_at(bad)).failure;
    }
  EXPECT_GT(ordered, pairs * 95 / 100);
  const FitQuality of = fit_quality(model, unseen[0].view(), fit_at(unseen[0].landmarks));
  EXPECT_EQ(of.confidence.size(), 25u);
  for (const float confidence : of.confidence) {
    EXPECT_GE(confidence, 0);
    EXPECT_LE(confidence, 1);
  }
}

TEST(Quality, ConfidencesForFacesUnlikeTheExamplesRelyLessOnTextures) {
  const Unscored unscored(24, 4);
  const Model& model = unscored.model;
  const TrainingSet& set = unscored.set;
  const Threads threads(1);
  const HeldOut held_out = held_out_fits(set, std::vector<Model>(4, model), unscored.settings);
  const QualityModel like = train_quality(set, model, held_out, false, threads);
  const QualityModel unlike = train_quality(set, model, held_out, true, threads);
  EXPECT_LT(like.landmark_weights[1], 0) << "a greater expected error makes a landmark less certain";
  EXPECT_LT(unlike.landmark_weights[1], 0);
  EXPECT_GT(unlike.landmark_weights[1], 0.9f * like.landmark_weights[1]);
}

double odds(double probability) { return std::log(probability / (1 - probability)); }

TEST(Quality, WeightsOfShapesAddToTheOddsOfFailure) {
  const Planted planted;
  const auto faces = planted.population(24, 1);
  TrainSettings settings = small_settings();
  settings.displacements = 4;
  Model model = train(examples_of(faces), planted.layout(), settings);
  EXPECT_TRUE(model.quality.shape_weights.empty()) << "only where faces differ from the examples";
  const PlantedFace face = planted.population(1, 60)[0];
  const Fit fit = fit_at(face.landmarks);
  // near even odds, where a probability tells them
  std::vector<float> weights(model.quality.weights.begin(), model.quality.weights.end());
  weights[0] -= static_cast<float>(odds(fit_quality(model, face.view(), fit).failure));
  model.quality.weights = weights;
  const FitQuality before = fit_quality(model, face.view(), fit);

  QualityModel around = model.quality;
  std::vector<float> texture(model.shape.landmarks() * around.offsets.size() / 2 * model.cascade.bins);
  Evidence evidence;
  observe(model, around, face.view(), fit, texture, evidence);
  ASSERT_EQ(evidence.shape.size(), model.shape.modes.rows);
  std::vector<float> shape_weights;
  double expected = 0;
  for (std::size_t k = 0; k < evidence.shape.size(); ++k) {
    shape_weights.push_back(0.3f * static_cast<float>(k + 1));
    expected += double{shape_weights.back()} * evidence.shape[k];
  }
  model.quality.shape_weights = shape_weights;
  const FitQuality after = fit_quality(model, face.view(), fit);
  EXPECT_NEAR(odds(after.failure) - odds(before.failure), expected, 1e-6);
  EXPECT_NE(after.confidence, before.confidence);
  check(model);
  model.quality.shape_weights = std::vector<float>(shape_weights.size() + 1, 0.0f);
  EXPECT_THROW(check(model), Error);
}

// Fits whose textures tell nothing, and whose errors grow with the first shape parameter.
TEST(Quality, ShapesThatAreFittedBadlyAreKnown) {
  const Unscored unscored(48, 2);
  const Model& model = unscored.model;
  const TrainingSet& set = unscored.set;
  HeldOut held_out;
  held_out.models.assign(4, model);
  std::vector<double> first;
  for (std::uint32_t i = 0; i < set.size(); ++i) {
    const std::span<const float> truth = set.landmarks(i);
    const Similarity pose = similarity_between<float, float>(model.shape.mean, truth);
    const std::vector<float> unit = transformed<float>(inverse(pose), truth);
    first.push_back(shape_parameters(model.shape, std::vector<double>(unit.begin(), unit.end()), 0)[0]);
  }
  for (int fold = 0; fold < 4; ++fold)
    for (std::uint32_t i = static_cast<std::uint32_t>(fold); i < set.size(); i += 4) {
      const std::span<const float> truth = set.landmarks(i);
      const double off = (first[i] > 0 ? 0.12 : 0.04) * error_unit(model.layout, truth);
      std::vector<float> landmarks(truth.begin(), truth.end());
      for (std::size_t k = 0; k < landmarks.size(); k += 2) landmarks[k] += static_cast<float>(off);
      held_out.fits.push_back({i, fold, held_out_weights[0], fit_at(std::move(landmarks))});
    }
  const QualityModel quality = train_quality(set, model, held_out, true, Threads(1));
  ASSERT_EQ(quality.shape_weights.size(), model.shape.modes.rows);
  EXPECT_GT(quality.shape_weights[0], 0);
  const auto weight = [&](std::size_t k) {
    return std::abs(quality.shape_weights[k]) * std::sqrt(model.shape.variances[k]);
  };
  for (std::size_t k = 1; k < quality.shape_weights.size(); ++k) EXPECT_GT(weight(0), 2 * weight(k));
}

TEST(Quality, FeaturesAreAsManyAsTheModelHasWeights) {
  Evidence evidence;
  evidence.landmarks = {-3, -2, -4};
  EXPECT_EQ(quality_features(evidence).size(), quality_feature_count);
}

}  // namespace
}  // namespace kinema::face
