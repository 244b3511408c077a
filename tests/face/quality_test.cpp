#include "face/quality.h"

#include "face/similarity.h"
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
  const Planted planted;
  const auto faces = planted.population(24, 1);
  const std::vector<Example> examples = examples_of(faces);
  TrainSettings settings = small_settings();
  settings.displacements = 4;
  settings.quality = false;
  const Model model = train(examples, planted.layout(), settings);
  const TrainingSet set(examples, planted.layout(), false);
  const Threads threads(1);
  const HeldOut held_out = held_out_fits(set, std::vector<Model>(4, model), settings);
  const QualityModel like = train_quality(set, model, held_out, false, threads);
  const QualityModel unlike = train_quality(set, model, held_out, true, threads);
  EXPECT_LT(like.landmark_weights[1], 0) << "a greater expected error makes a landmark less certain";
  EXPECT_LT(unlike.landmark_weights[1], 0);
  EXPECT_GT(unlike.landmark_weights[1], 0.9f * like.landmark_weights[1]);
}

TEST(Quality, FeaturesAreAsManyAsTheModelHasWeights) {
  Evidence evidence;
  evidence.landmarks = {-3, -2, -4};
  EXPECT_EQ(quality_features(evidence).size(), quality_feature_count);
}

}  // namespace
}  // namespace kinema::face
