// The reference fits planted faces from displaced starts, by every method.
#include "face/model/similarity.h"
#include "kinema/error.h"
#include "kinema/face.h"
#include "planted.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kinema::face {
namespace {

std::shared_ptr<const Model> planted_model(Features features, bool resampled) {
  const Planted planted;
  const auto faces = planted.population(40, 1);
  TrainSettings settings;
  settings.pixels = 1200;
  settings.levels = 1;
  settings.features = features;
  settings.resampled = resampled;
  settings.mirrored = false;
  settings.displacements = 4;
  settings.cascade_stages = 3;
  return std::make_shared<const Model>(train(examples_of(faces), planted.layout(), settings));
}

// Trained once for all tests.
const std::shared_ptr<const Model>& paper_model() {
  static const auto model = planted_model(Features::intensity, false);
  return model;
}
const std::shared_ptr<const Model>& edge_model() {
  static const auto model = planted_model(Features::edges, true);
  return model;
}

PlantedFace unseen(std::uint32_t number) { return Planted().population(number + 1, 77).back(); }

Similarity true_pose(const Model& model, const PlantedFace& face) {
  return similarity_between<float, float>(model.shape.mean, face.landmarks);
}

Fit fit_from(const std::shared_ptr<const Model>& model, const PlantedFace& face, const Similarity& displaced,
             std::vector<Stage> stages) {
  FitSettings settings;
  settings.stages = std::move(stages);
  Face request{face.view(), {}, false};
  request.start.similarity = compose(true_pose(*model, face), displaced);
  return make_fitter(model, settings, Backend::reference)->fit(request);
}

double start_error(const Model& model, const PlantedFace& face, const Similarity& displaced) {
  return mean_distance(transformed<float>(compose(true_pose(model, face), displaced), model.shape.mean),
                       face.landmarks);
}

const Similarity displaced_start{1.04, 0.04, 0.06, -0.05};

TEST(ReferenceFitter, CombinedModelConvergesAsInThePaper) {
  for (std::uint32_t number = 0; number < 3; ++number) {
    const PlantedFace face = unseen(number);
    const Fit fit = fit_from(paper_model(), face, displaced_start, {{Method::combined, 0, 30, 0}});
    // faces of 100 pixels
    EXPECT_LT(mean_distance(fit.landmarks, face.landmarks), 2.0) << number;
    EXPECT_LT(mean_distance(fit.landmarks, face.landmarks), 0.4 * start_error(*paper_model(), face, displaced_start));
    EXPECT_TRUE(fit.converged);
    EXPECT_GT(fit.iterations, 1);
    EXPECT_EQ(fit.combined.size(), paper_model()->levels[0].combined_variances.size());
  }
}

TEST(ReferenceFitter, InverseCompositionalMethodsConverge) {
  // project-out has the narrower basin: it knows the mean texture's gradient only
  for (const auto& [method, share] : {std::pair{Method::project_out, 0.75}, std::pair{Method::simultaneous, 0.5}}) {
    double before = 0, after = 0;
    for (std::uint32_t number = 0; number < 8; ++number) {
      const PlantedFace face = unseen(number);
      const Similarity displaced{1.02, 0.02, 0.04, -0.03};
      const Fit fit = fit_from(paper_model(), face, displaced, {{method, 0, 30, 0}});
      before += start_error(*paper_model(), face, displaced);
      after += mean_distance(fit.landmarks, face.landmarks);
    }
    EXPECT_LT(after, share * before) << static_cast<int>(method);
  }
}

TEST(ReferenceFitter, CascadeConvergesAndMethodsFollowEachOther) {
  for (std::uint32_t number = 0; number < 3; ++number) {
    const PlantedFace face = unseen(number);
    const double before = start_error(*edge_model(), face, displaced_start);
    const Fit cascade = fit_from(edge_model(), face, displaced_start, {{Method::cascade, 0, 0, 0}});
    EXPECT_LT(mean_distance(cascade.landmarks, face.landmarks), 0.5 * before);
    EXPECT_EQ(cascade.iterations, 3);
    const Fit both =
        fit_from(edge_model(), face, displaced_start,
                 {{Method::cascade, 0, 0, 0}, {Method::combined, 0, 10, 0}, {Method::simultaneous, 0, 5, 1}});
    EXPECT_LT(mean_distance(both.landmarks, face.landmarks), 0.5 * before);
  }
}

TEST(ReferenceFitter, DoesNotMindBrightnessAndContrast) {
  const Planted planted;
  PlantedParameters p;
  p.shape = {1, -1};
  p.texture = {0.5, 0.5};
  const PlantedFace plain = planted.draw(p);
  p.contrast = 0.6, p.brightness = 60;
  const PlantedFace dim = planted.draw(p);
  const std::vector<Stage> stages = {{Method::combined, 0, 30, 0}};
  const Fit a = fit_from(paper_model(), plain, displaced_start, stages);
  const Fit b = fit_from(paper_model(), dim, displaced_start, stages);
  // grey values are rounded to bytes, so they are not quite the same picture
  EXPECT_LT(mean_distance(a.landmarks, b.landmarks), 0.5);
}

TEST(ReferenceFitter, ErrorNeverGrowsWithIterations) {
  const PlantedFace face = unseen(1);
  double last = HUGE_VAL;
  for (std::uint32_t iterations : {1, 2, 4, 8}) {
    const double error = fit_from(paper_model(), face, displaced_start, {{Method::combined, 0, iterations, 0}}).error;
    EXPECT_LE(error, last);
    last = error;
  }
}

TEST(ReferenceFitter, StaysFiniteOnFacesThatHangOverTheBorderAndOnTinyImages) {
  const Planted planted;
  PlantedParameters p;
  p.pose = {38, 0, 12, 150};
  const PlantedFace hanging = planted.draw(p);
  const std::uint8_t pixel = 128;
  for (const auto& model : {paper_model(), edge_model()})
    for (const Method method : {Method::combined, Method::project_out, Method::simultaneous, Method::cascade}) {
      FitSettings settings;
      settings.stages = {{method, 0, 10, 0}};
      const auto fitter = make_fitter(model, settings, Backend::reference);
      for (const GreyView& image : {hanging.view(), GreyView{&pixel, 1, 1, 1}}) {
        Face face{image, {}, false};
        face.start.similarity = Similarity{38, 0, 12, 150};
        const Fit fit = fitter->fit(face);
        for (const float value : fit.landmarks) ASSERT_TRUE(std::isfinite(value));
        EXPECT_TRUE(std::isfinite(fit.quality));
      }
    }
  // what is in the picture is enough to find the rest
  const Fit fit = fit_from(paper_model(), hanging, {1.02, 0.02, 0.03, -0.02}, {{Method::combined, 0, 30, 0}});
  EXPECT_LT(mean_distance(fit.landmarks, hanging.landmarks), 8);
}

TEST(ReferenceFitter, StartsFromBoxLandmarksOrSimilarity) {
  const Model& model = *paper_model();
  const Similarity pose{30, 0, 70, 60};
  const std::vector<float> mean(model.shape.mean.begin(), model.shape.mean.end());
  Start start;
  start.landmarks = transformed<float>(pose, mean);
  EXPECT_NEAR(start_pose(model, start).a, 30, 1e-4);
  EXPECT_NEAR(start_pose(model, start).tx, 70, 1e-3);
  float left = 1e9f, right = -1e9f, top = 1e9f, bottom = -1e9f;
  for (std::size_t i = 0; i < start.landmarks.size(); i += 2) {
    left = std::min(left, start.landmarks[i]), right = std::max(right, start.landmarks[i]);
    top = std::min(top, start.landmarks[i + 1]), bottom = std::max(bottom, start.landmarks[i + 1]);
  }
  Start box;
  box.box = Start::Box{left, top, right - left, bottom - top, false};
  EXPECT_NEAR(start_pose(model, box).a, 30, 1e-3);
  EXPECT_NEAR(start_pose(model, box).tx, 70, 1e-3);
  EXPECT_NEAR(start_pose(model, box).ty, 60, 1e-3);
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ReferenceFitter, RefusesStartsAndSettingsThatMakeNoSense) {
  const Model& model = *paper_model();
  const auto start = [&](const Start& s) { return refusal([&] { start_pose(model, s); }); };
  EXPECT_NE(start({}).find("nothing given"), std::string::npos);
  Start s;
  s.box = Start::Box{0, 0, 0, 10, false};
  EXPECT_NE(start(s).find("0 x 10"), std::string::npos);
  s = {};
  s.landmarks = {1, 2, 3, 4};
  EXPECT_NE(start(s).find("2 landmarks"), std::string::npos);
  s.landmarks.assign(50, 3.0f);
  EXPECT_NE(start(s).find("no extent"), std::string::npos);
  s.landmarks[3] = NAN;
  EXPECT_NE(start(s).find("finite"), std::string::npos);
  s = {};
  s.similarity = Similarity{0, 0, 1, 1};
  EXPECT_NE(start(s).find("no size"), std::string::npos);

  const auto make = [&](FitSettings f) { return refusal([&] { make_fitter(paper_model(), f, Backend::reference); }); };
  FitSettings f;
  f.stages = {{Method::combined, 7, 10, 0}};
  EXPECT_NE(make(f).find("level 7"), std::string::npos);
  f = {};
  f.damping.clear();
  EXPECT_NE(make(f).find("damping"), std::string::npos);
  f = {};
  f.starts = 0;
  EXPECT_NE(make(f).find("starts is 0"), std::string::npos);

  const auto fitter = make_fitter(paper_model(), {}, Backend::reference);
  EXPECT_NE(refusal([&] { fitter->fit(Face{}); }).find("no pixels"), std::string::npos);
}

}  // namespace
}  // namespace kinema::face
