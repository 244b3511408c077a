// A model that is refined on a few faces which differ from those it was trained on, and on a film that nobody labelled.
#include "kinema/face_refine.h"

#include "kinema/error.h"
#include "planted.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

namespace kinema::face {
namespace {

TrainSettings small_settings() {
  TrainSettings settings;
  settings.pixels = 400;
  settings.levels = 1;
  settings.displacements = 3;
  settings.cascade_stages = 2;
  settings.gradient = TrainSettings::Gradient::none;
  return settings;
}

const Model& trained() {
  static const Model model = train(examples_of(Planted().population(30, 1)), Planted().layout(), small_settings());
  return model;
}

// Other annotators: the lowest row of landmarks lies lower, by a seventh of the outer-eye distance.
std::vector<PlantedFace> labelled_otherwise(std::size_t count, std::uint64_t seed) {
  std::vector<PlantedFace> faces = Planted().population(count, seed);
  for (PlantedFace& face : faces) {
    const float down = face.landmarks[41] - face.landmarks[31];
    const float across = face.landmarks[40] - face.landmarks[30];
    for (std::size_t i = 40; i < 50; i += 2) face.landmarks[i] += 0.3f * across, face.landmarks[i + 1] += 0.3f * down;
  }
  return faces;
}

double mean_error(const Model& model, const std::vector<PlantedFace>& faces) {
  const auto fitter = make_fitter(std::make_shared<const Model>(model), {}, Backend::cpu);
  double sum = 0;
  for (const PlantedFace& face : faces) {
    Start start;
    start.landmarks = face.landmarks;
    start.similarity = start_pose(model, start);
    start.similarity->tx += 3;
    sum += mean_distance(fitter->fit({face.view(), start}).landmarks, face.landmarks);
  }
  return sum / static_cast<double>(faces.size());
}

TEST(Refine, LearnsFromAFewFacesHowTheirLabelsDiffer) {
  const auto faces = labelled_otherwise(12, 7), others = labelled_otherwise(12, 8);
  const Refinement refinement = refine(trained(), examples_of(faces));
  EXPECT_TRUE(refinement.better);
  EXPECT_LT(refinement.after, refinement.before);
  EXPECT_LT(mean_error(refinement.model, others), 0.7 * mean_error(trained(), others));

  // the rest stays as it was
  const Model& model = refinement.model;
  EXPECT_EQ(model.levels.size(), trained().levels.size());
  EXPECT_EQ(model.levels[0].pixels(), trained().levels[0].pixels());
  EXPECT_EQ(model.sequence.size(), trained().sequence.size());
  EXPECT_EQ(model.layout.mirror, trained().layout.mirror);
  EXPECT_EQ(model.cascade.stages.size(), trained().cascade.stages.size());
  EXPECT_TRUE(std::equal(model.shape.mean.begin(), model.shape.mean.begin() + 50, trained().shape.mean.begin()));
}

TEST(Refine, GivesModesThatAreAddedNoWeightInTheScore) {
  Model start = trained();
  start.quality.shape_weights = std::vector<float>(start.shape.modes.rows, 0.5f);
  RefineSettings settings;
  settings.displacements = 2;
  const Refinement refinement = refine(start, examples_of(labelled_otherwise(12, 7)), settings);
  const Array<float>& weights = refinement.model.quality.shape_weights;
  ASSERT_TRUE(refinement.better);
  ASSERT_GT(refinement.model.shape.modes.rows, start.shape.modes.rows);
  ASSERT_EQ(weights.size(), refinement.model.shape.modes.rows);
  for (std::size_t k = 0; k < weights.size(); ++k) EXPECT_EQ(weights[k], k < start.shape.modes.rows ? 0.5f : 0.0f);
}

TEST(Refine, GivesTheSameBitsForAnyNumberOfThreads) {
  const auto faces = labelled_otherwise(8, 9);
  RefineSettings settings;
  settings.displacements = 2;
  settings.threads = 1;
  const Model one = refine(trained(), examples_of(faces), settings).model;
  settings.threads = 3;
  const Model three = refine(trained(), examples_of(faces), settings).model;
  const Matrix &a = one.cascade.stages[1].gradient, &b = three.cascade.stages[1].gradient;
  ASSERT_EQ(a.values.size(), b.values.size());
  EXPECT_EQ(std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(float)), 0);
}

// Labels of each quarter of the faces contradict those of the others: whatever is learnt without a face is wrong for it.
TEST(Refine, KeepsTheStartWhereItWouldMakeThingsWorse) {
  std::vector<PlantedFace> faces = Planted().population(16, 10);
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const std::size_t row = i % 4 < 2 ? 0 : 40;  // the highest or the lowest, up or down
    const float sign = i % 2 == 0 ? 0.5f : -0.5f;
    std::vector<float>& at = faces[i].landmarks;
    const float across = at[40] - at[30], down = at[41] - at[31];
    for (std::size_t k = row; k < row + 10; k += 2) at[k] += sign * across, at[k + 1] += sign * down;
  }
  RefineSettings settings;
  settings.displacements = 2;
  const Refinement refinement = refine(trained(), examples_of(faces), settings);
  EXPECT_FALSE(refinement.better);
  EXPECT_GT(refinement.after, refinement.before);
  EXPECT_EQ(refinement.model.shape.modes.rows, trained().shape.modes.rows);
  const Matrix &kept = refinement.model.cascade.stages[0].gradient, &start = trained().cascade.stages[0].gradient;
  ASSERT_EQ(kept.values.size(), start.values.size());
  EXPECT_EQ(std::memcmp(kept.values.data(), start.values.data(), start.values.size() * sizeof(float)), 0);
}

std::string refusal(const Model& model, const std::vector<PlantedFace>& faces) {
  try {
    refine(model, examples_of(faces));
  } catch (const Error& error) {
    EXPECT_EQ(error.cause(), Error::Cause::input);
    return error.what();
  }
  return "";
}

TEST(Refine, RefusesWhatCannotKernel) {
  auto faces = labelled_otherwise(3, 7);
  EXPECT_NE(refusal(trained(), faces).find("at least 4"), std::string::npos);
  faces = labelled_otherwise(4, 7);
  for (PlantedFace& face : faces) face.landmarks.resize(40);
  EXPECT_NE(refusal(trained(), faces).find("20 landmarks, but the model to refine has 25"), std::string::npos);
  faces = labelled_otherwise(4, 7);
  Model bare = trained();
  bare.cascade.stages.clear();
  bare.sequence.erase(bare.sequence.begin());
  EXPECT_NE(refusal(bare, faces).find("without a cascade"), std::string::npos);
}

// The film of one face that turns and changes its expression.
PlantedFace frame(int i) {
  PlantedParameters parameters;
  parameters.shape = {1.2 * std::sin(0.2 * i), 1.2 * std::cos(0.13 * i)};
  parameters.texture = {0.8, -0.5};
  parameters.pose = {40, 2 * std::sin(0.1 * i), 80 + 3 * std::sin(0.15 * i), 80};
  return Planted().draw(parameters);
}

Detect detector() {
  return [](const GreyView&) { return std::vector<Start::Box>{{18, 22, 124, 116, false}}; };
}

TEST(FilmFaces, AreSpreadOutAndLabelledAsTheyAre) {
  FilmSettings settings;
  settings.model = std::make_shared<const Model>(trained());
  settings.detect = detector();
  settings.most = 12;
  settings.trusted = 0.5;
  FilmFaces film(settings);
  for (int i = 0; i < 60; ++i) film.add(frame(i).view(), i / 30.0);
  EXPECT_EQ(film.frames(), 60u);
  EXPECT_GT(film.trusted(), 40u);
  const auto faces = film.faces();
  ASSERT_GE(faces.size(), 4u);
  EXPECT_LE(faces.size(), 12u);
  std::vector<Example> examples;
  for (const OwnedExample& face : faces) {
    ASSERT_EQ(face.pixels.size(), face.width * face.height);
    double nearest = HUGE_VAL;  // of all frames
    for (int i = 0; i < 60; ++i) nearest = std::min(nearest, mean_distance(face.landmarks, frame(i).landmarks));
    EXPECT_LT(nearest, 3);  // pixels, of a face 100 wide
    examples.push_back({{face.pixels.data(), face.width, face.height, face.width}, face.landmarks, "film"});
  }
  RefineSettings refining;
  refining.film = true;
  refining.displacements = 3;
  check(refine(trained(), examples, refining).model);
}

TEST(FilmFaces, OfUnrelatedPicturesAreDetectedOneByOne) {
  FilmSettings settings;
  settings.model = std::make_shared<const Model>(trained());
  int asked = 0;
  settings.detect = [&](const GreyView& image) {
    ++asked;
    return detector()(image);
  };
  settings.consecutive = false;
  FilmFaces film(settings);
  for (int i = 0; i < 6; ++i) film.add(frame(10 * i).view(), i);
  EXPECT_EQ(asked, 6);
}

TEST(FilmFaces, NeedAScore) {
  Model model = trained();
  model.quality = {};
  FilmSettings settings;
  settings.model = std::make_shared<const Model>(model);
  EXPECT_THROW(FilmFaces{settings}, Error);
  settings.model = nullptr;
  EXPECT_THROW(FilmFaces{settings}, Error);
}

}  // namespace
}  // namespace kinema::face
