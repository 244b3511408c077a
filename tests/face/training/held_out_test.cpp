// Fits by models that have not seen the example.
#include "face/training/held_out.h"

#include "face/constants.h"
#include "planted.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace kinema::face {
namespace {

TrainSettings small_settings() {
  TrainSettings settings;
  settings.pixels = 100;
  settings.levels = 1;
  settings.displacements = 2;
  settings.cascade_stages = 1;
  settings.quality = false;
  settings.gradient = TrainSettings::Gradient::none;
  settings.project_out = false;
  return settings;
}

TEST(HeldOut, FitsEveryExampleByAModelThatHasNotSeenIt) {
  const Planted planted;
  const auto faces = planted.population(8, 3);
  const std::vector<Example> examples = examples_of(faces);
  TrainSettings settings = small_settings();
  const Model model = train(examples, planted.layout(), settings);
  const TrainingSet set(examples, planted.layout(), true);
  const Threads threads(1);
  settings.quality = true;
  const CascadeTraining cascade = train_cascade(set, model, settings, threads, {});
  ASSERT_EQ(cascade.without.size(), 4u);
  const HeldOut held_out =
      held_out_fits(set, models_without(examples, model, cascade.without, settings, threads), settings);

  ASSERT_EQ(held_out.models.size(), 4u);
  std::vector<int> fits(set.size(), 0);
  std::set<double> counts;
  for (const HeldOutFit& one : held_out.fits) {
    ++fits[one.example];
    counts.insert(one.count);
    // a mirror image lies in the fold of its original
    EXPECT_EQ(one.fold, static_cast<int>(one.example % 8 % 4));
    EXPECT_EQ(one.fit.landmarks.size(), 50u);
    EXPECT_TRUE(one.fit.confidence.empty());
  }
  EXPECT_EQ(*std::min_element(fits.begin(), fits.end()), *std::max_element(fits.begin(), fits.end()));
  EXPECT_GT(fits[0], 1);
  EXPECT_GT(counts.size(), 1u) << "hopeless starts count less than good ones";
}

TEST(HeldOut, ForFacesUnlikeTheExamplesAddsFitsThatAreHalfRight) {
  const Planted planted;
  const auto faces = planted.population(12, 3);
  const std::vector<Example> examples = examples_of(faces);
  TrainSettings settings = small_settings();
  const Model model = train(examples, planted.layout(), settings);
  ASSERT_EQ(model.sequence.back().method, Method::simultaneous);
  const TrainingSet set(examples, planted.layout(), false);
  const auto fits_by_example = [&] {
    std::vector<std::vector<HeldOutFit>> result(set.size());
    for (const HeldOutFit& one : held_out_fits(set, {model, model}, settings).fits) result[one.example].push_back(one);
    return result;
  };
  const auto without = fits_by_example();
  settings.penalty = 50;
  const auto with = fits_by_example();
  for (std::size_t i = 0; i < set.size(); ++i) {
    ASSERT_EQ(with[i].size(), without[i].size() + std::size(held_out_shape_widths));
    const HeldOutFit& good = with[i].front();
    bool other = false;
    for (std::size_t k = without[i].size(); k < with[i].size(); ++k) {
      EXPECT_LT(with[i][k].count, good.count);
      EXPECT_GT(with[i][k].fit.error, 0) << "the last stage has an error";
      other = other || mean_distance(with[i][k].fit.landmarks, good.fit.landmarks) > 0.05;
    }
    EXPECT_TRUE(other) << "all ended where the good fit did";
  }
}

}  // namespace
}  // namespace kinema::face
