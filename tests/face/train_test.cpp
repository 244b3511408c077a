#include "face/model/similarity.h"
#include "kinema/error.h"
#include "kinema/face.h"
#include "planted.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <utility>

namespace kinema::face {
namespace {

TrainSettings small_settings() {
  TrainSettings settings;
  settings.pixels = 1000;
  settings.levels = 1;
  settings.features = Features::intensity;
  settings.mirrored = false;
  settings.displacements = 3;
  settings.cascade_stages = 2;
  return settings;
}

bool same(const Matrix& a, const Matrix& b) {
  return a.rows == b.rows && a.columns == b.columns &&
         std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(float)) == 0;
}

TEST(Train, FindsThePlantedModes) {
  const Planted planted;
  const auto faces = planted.population(60, 1);
  TrainSettings settings = small_settings();
  settings.cascade_stages = 0;
  settings.shape_variance = 0.99;
  settings.texture_variance = 0.97;
  const Model model = train(examples_of(faces), planted.layout(), settings);
  ASSERT_EQ(model.shape.modes.rows, 2u);
  for (std::size_t k = 0; k < 2; ++k) {
    double along = 0;
    for (std::size_t i = 0; i < 50; ++i) along += model.shape.modes.row(k)[i] * planted.mode(k)[i];
    EXPECT_GT(std::abs(along), 0.97) << k;  // 60 draws mix two modes of like size a little
  }
  // two of texture were planted; what the rim catches of the background is all that others could hold
  const Level& level = model.levels.at(0);
  ASSERT_GE(level.texture_modes.rows, 2u);
  double all = 0;
  for (const float variance : level.texture_variances) all += variance;
  EXPECT_GT(level.texture_variances[0] + level.texture_variances[1], 0.5 * all);
  EXPECT_EQ(level.pixels(), 1000u);
  double mean = 0, square = 0;
  for (const float value : level.mean) mean += value, square += value * value;
  EXPECT_NEAR(mean, 0, 1e-2);
  EXPECT_NEAR(square / 1000, 1, 1e-4);
}

TEST(Train, GivesTheSameBitsForAnyNumberOfThreads) {
  const Planted planted;
  const auto faces = planted.population(12, 2);
  TrainSettings settings = small_settings();
  settings.features = Features::edges;
  settings.mirrored = true;
  settings.threads = 1;
  const Model one = train(examples_of(faces), planted.layout(), settings);
  settings.threads = 3;
  const Model three = train(examples_of(faces), planted.layout(), settings);
  EXPECT_TRUE(same(one.shape.modes, three.shape.modes));
  EXPECT_TRUE(same(one.levels[0].texture_modes, three.levels[0].texture_modes));
  EXPECT_TRUE(same(one.levels[0].gradient, three.levels[0].gradient));
  EXPECT_TRUE(same(one.levels[0].project_out, three.levels[0].project_out));
  ASSERT_EQ(one.cascade.stages.size(), three.cascade.stages.size());
  for (std::size_t k = 0; k < one.cascade.stages.size(); ++k)
    EXPECT_TRUE(same(one.cascade.stages[k].gradient, three.cascade.stages[k].gradient));
  EXPECT_TRUE(same(one.quality.landmark_error, three.quality.landmark_error));
}

ExampleStream stream_of(const Planted& planted) {
  return [&planted](std::uint32_t number) {
    PlantedFace face = planted.population(1, 100 + number).front();
    return OwnedExample{std::move(face.pixels), face.width, face.height, std::move(face.landmarks)};
  };
}

TEST(TrainOnAStream, FindsTheModesAndFitsFurtherFacesWithTheSameBitsForAnyNumberOfThreads) {
  const Planted planted;
  TrainSettings settings = small_settings();
  settings.features = Features::edges;
  settings.mirrored = true;
  settings.threads = 1;
  const Model one = train(stream_of(planted), 40, planted.layout(), settings);
  settings.threads = 3;
  const auto three = std::make_shared<const Model>(train(stream_of(planted), 40, planted.layout(), settings));
  ASSERT_EQ(one.cascade.stages.size(), 2u);
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_TRUE(same(one.cascade.stages[k].gradient, three->cascade.stages[k].gradient));
  EXPECT_TRUE(same(one.quality.landmark_error, three->quality.landmark_error));

  const auto fitter = make_fitter(three, {}, Backend::cpu);
  double start_error = 0, error = 0;
  for (const PlantedFace& face : planted.population(20, 3)) {
    Start start;
    start.landmarks = face.landmarks;
    start.similarity = start_pose(*three, start);
    start.similarity->tx += 5;
    start_error += 5;
    error += mean_distance(fitter->fit({face.view(), start}).landmarks, face.landmarks);
  }
  EXPECT_LT(error, 0.4 * start_error);
}

double size_of(const Matrix& matrix) {
  double sum = 0;
  for (const float value : matrix.values) sum += double{value} * value;
  return sum;
}

TEST(Train, TakesAPenaltyAndAPriorAsTheyAreGiven) {
  const Planted planted;
  const auto faces = planted.population(12, 2);
  TrainSettings settings = small_settings();
  settings.features = Features::edges;
  settings.prior = 77;
  settings.penalty = 1;
  const Model little = train(examples_of(faces), planted.layout(), settings);
  const Model streamed = train(stream_of(planted), 40, planted.layout(), settings);
  settings.penalty = 1000;
  const Model much = train(examples_of(faces), planted.layout(), settings);
  const Model much_streamed = train(stream_of(planted), 40, planted.layout(), settings);
  EXPECT_EQ(little.sequence.back().prior, 77);
  EXPECT_LT(size_of(much.cascade.stages[0].gradient), 0.1 * size_of(little.cascade.stages[0].gradient));
  EXPECT_LT(size_of(much_streamed.cascade.stages[0].gradient), 0.1 * size_of(streamed.cascade.stages[0].gradient));
  // of the features of the probability of failure, those of landmarks are not used
  int used = 0;
  for (const float weight : little.quality.weights) used += weight != 0;
  EXPECT_EQ(used, 4);
  EXPECT_EQ(little.quality.shape_weights.size(), little.shape.modes.rows);
}

TEST(TrainScore, LearnsTheScoreAnewAndLeavesTheRestWithTheSameBitsForAnyNumberOfThreads) {
  const Planted planted;
  TrainSettings settings = small_settings();
  settings.features = Features::edges;
  const Model start = train(examples_of(planted.population(12, 2)), planted.layout(), settings);
  settings.penalty = 50;
  settings.threads = 1;
  const Model one = train_score(start, stream_of(planted), 16, settings);
  settings.threads = 3;
  const Model three = train_score(start, stream_of(planted), 16, settings);
  EXPECT_TRUE(same(one.quality.landmark_error, three.quality.landmark_error));
  EXPECT_FALSE(same(one.quality.landmark_error, start.quality.landmark_error));
  for (std::size_t k = 0; k < start.cascade.stages.size(); ++k)
    EXPECT_TRUE(same(one.cascade.stages[k].gradient, start.cascade.stages[k].gradient));
  EXPECT_TRUE(same(one.levels[0].texture_modes, start.levels[0].texture_modes));
}

TEST(TrainScore, RefusesAModelWithoutACascadeAndTooFewExamples) {
  const Planted planted;
  TrainSettings settings = small_settings();
  const Model start = train(examples_of(planted.population(12, 2)), planted.layout(), settings);
  EXPECT_THROW(train_score(start, stream_of(planted), 7, settings), Error);
  settings.cascade_stages = 0;
  const Model bare = train(examples_of(planted.population(12, 2)), planted.layout(), settings);
  EXPECT_THROW(train_score(bare, stream_of(planted), 16, settings), Error);
}

TEST(Train, TakesThreeImages) {
  const Planted planted;
  const auto faces = planted.population(3, 3);
  const Model model = train(examples_of(faces), planted.layout(), small_settings());
  EXPECT_EQ(model.examples, 3u);
  EXPECT_LE(model.shape.modes.rows, 2u);
  check(model);
  const auto fitter = make_fitter(std::make_shared<const Model>(model), {}, Backend::reference);
  Face face{faces[0].view(), {}, false};
  face.start.landmarks = faces[0].landmarks;
  for (const float value : fitter->fit(face).landmarks) EXPECT_TRUE(std::isfinite(value));
}

TEST(Train, TakesExamplesThatAreAllTheSame) {
  const Planted planted;
  const PlantedFace face = planted.draw({});
  const Model model = train(examples_of({face, face, face, face}), planted.layout(), small_settings());
  EXPECT_EQ(model.shape.modes.rows, 0u);
  check(model);
}

TEST(Train, MirroredMakesASymmetricMean) {
  const Planted planted;
  const auto faces = planted.population(6, 4);
  TrainSettings settings = small_settings();
  settings.cascade_stages = 0;
  settings.mirrored = true;
  const Model model = train(examples_of(faces), planted.layout(), settings);
  for (std::size_t i = 0; i < 25; ++i) {
    const auto other = static_cast<std::size_t>(planted.layout().mirror[i]);
    EXPECT_NEAR(model.shape.mean[2 * i], -model.shape.mean[2 * other], 1e-5);
    EXPECT_NEAR(model.shape.mean[2 * i + 1], model.shape.mean[2 * other + 1], 1e-5);
  }
}

TEST(Train, TakesFacesThatHangOverTheBorderAndLandmarksOutside) {
  const Planted planted;
  auto faces = planted.population(8, 5);
  PlantedParameters p;
  p.pose = {38, 0, 10, 80};
  faces.push_back(planted.draw(p));
  p.pose = {38, 0, 150, 155};
  faces.push_back(planted.draw(p));
  check(train(examples_of(faces), planted.layout(), small_settings()));
}

TEST(Train, TellsHowFarItIs) {
  const Planted planted;
  const auto faces = planted.population(8, 6);
  TrainSettings settings = small_settings();
  double last = -1;
  settings.progress = [&](std::string_view, double done) {
    EXPECT_GE(done, last);
    EXPECT_LE(done, 1);
    last = done;
  };
  train(examples_of(faces), planted.layout(), settings);
  EXPECT_EQ(last, 1);
}

TEST(Train, HasLevelsOfAQuarterOfThePixelsEach) {
  const Planted planted;
  const auto faces = planted.population(5, 7);
  TrainSettings settings = small_settings();
  settings.pixels = 4096;
  settings.levels = 3;
  settings.cascade_stages = 0;
  const Model model = train(examples_of(faces), planted.layout(), settings);
  ASSERT_EQ(model.levels.size(), 3u);
  EXPECT_EQ(model.levels[0].pixels(), 4096u);
  EXPECT_EQ(model.levels[1].pixels(), 1024u);
  EXPECT_EQ(model.levels[2].pixels(), 256u);
}

}  // namespace
}  // namespace kinema::face
