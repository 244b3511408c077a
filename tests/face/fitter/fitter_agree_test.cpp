// Every backend puts the landmarks where the reference does. 0.01 pixels is what the project promises; single precision
// stays far below it, and 16-bit matrices still do.
#include "drawn.h"
#include "face/model/similarity.h"
#include "planted.h"

namespace kinema::face {
namespace {

constexpr double tolerance = 0.01;

class FitterAgrees : public FitterOn {
protected:
  void expect_agreement(const std::shared_ptr<const Model>& model, const FitSettings& settings,
                        std::uint32_t faces) const {
    const auto reference = make_fitter(model, settings, Backend::reference);
    const auto tested = fitter(model, settings);
    for (std::uint32_t number = 0; number < faces; ++number) {
      const bench::DrawnFace drawn = unseen_face(number);
      const Fit truth = reference->fit(face_of(drawn, number)), fit = tested->fit(face_of(drawn, number));
      EXPECT_EQ(fit.combined.size(), truth.combined.size());
      if (GetParam() == "paper" || GetParam() == "listing") {
        // The paper's kernels add by atomics, in any order, and are compiled with approximate arithmetic; the listing adds
        // thousands of floats one after the other. Of two damping factors that are as good either may be taken, and the loop
        // may end an iteration earlier or later. Fits then end some tenths of a pixel apart (0.22 was seen of both, of the
        // listing on x86-64), at the same E.
        EXPECT_LT(farthest(fit.landmarks, truth.landmarks), 50 * tolerance) << "face " << number;
        EXPECT_NEAR(fit.error, truth.error, 5e-3 * truth.error) << "face " << number;
        continue;
      }
      EXPECT_LT(farthest(fit.landmarks, truth.landmarks), tolerance) << "face " << number;
      // what follows from the landmarks, and E, which is not a difference of landmarks
      EXPECT_NEAR(fit.error, truth.error, 1e-3 * truth.error + 1e-6) << "face " << number;
      EXPECT_EQ(fit.iterations, truth.iterations) << "face " << number;
    }
  }
};

FitSettings ten_iterations(std::vector<Stage> stages = {{Method::combined, 0, 10, 0}}) {
  FitSettings settings;
  settings.stages = std::move(stages);
  settings.threshold = -1;
  settings.score = false;
  return settings;
}

TEST_P(FitterAgrees, OnTheCombinedModelAfterTenIterations) {
  expect_agreement(drawn_model(Features::intensity, false), ten_iterations(), 12);
}

TEST_P(FitterAgrees, OnModelsOfAnySize) {
  for (const auto& [modes, pixels] : {std::pair{4u, 300u}, {12u, 1025u}, {30u, 9000u}})
    expect_agreement(drawn_model(Features::intensity, false, modes, pixels), ten_iterations(), 4);
}

TEST_P(FitterAgrees, WithTheLoopsOwnEnd) {
  FitSettings settings = ten_iterations();
  settings.threshold = 1e-4;
  expect_agreement(drawn_model(Features::intensity, false), settings, 8);
}

TEST_P(FitterAgrees, WithOneFactorAndWithoutLimits) {
  FitSettings settings = ten_iterations();
  settings.damping = {0.7f};
  settings.limit = 0;
  expect_agreement(drawn_model(Features::intensity, false), settings, 4);
}

INSTANTIATE_TEST_SUITE_P(Backends, FitterAgrees, testing::Values("cpu", "cuda", "paper", "listing"), backend_of);

// What the paper's kernels and the listing cannot do.
class FitterAgreesBeyond : public FitterAgrees {};

TEST_P(FitterAgreesBeyond, WithManyFactors) {
  FitSettings settings = ten_iterations();
  settings.damping = {1, 0.7f, 0.5f, 0.35f, 0.25f, 0.125f};
  expect_agreement(drawn_model(Features::intensity, false), settings, 4);
  settings.damping = {1, 0.9f, 0.8f, 0.7f, 0.6f, 0.5f, 0.4f, 0.3f, 0.2f, 0.1f};
  expect_agreement(drawn_model(Features::intensity, false), settings, 2);
}

// Every kind of kernel, on so little that a race checker ends within a minute.
TEST_P(FitterAgreesBeyond, OnTheSmallestModel) {
  FitSettings settings = ten_iterations({{Method::combined, 0, 2, 0}});
  settings.damping = {1, 0.5f};
  expect_agreement(drawn_model(Features::intensity, false, 4, 300), settings, 1);
  expect_agreement(drawn_model(Features::intensity, true, 4, 300), settings, 1);
  expect_agreement(drawn_model(Features::edges, true, 4, 300), settings, 1);
}

// More rows than the warps of a block keep in place.
TEST_P(FitterAgreesBeyond, WithMoreModesThanStayOnTheChip) {
  const std::vector<bench::DrawnFace> faces = bench::draw_faces(drawn_seed, 40);
  std::vector<Example> examples;
  for (const bench::DrawnFace& one : faces) examples.push_back({one.view(), one.landmarks, "drawn"});
  TrainSettings train_settings;
  train_settings.pixels = 300;
  train_settings.levels = 1;
  train_settings.features = Features::intensity;
  train_settings.resampled = false;
  train_settings.texture_modes = train_settings.combined_modes = 66;
  train_settings.cascade_stages = 0;
  train_settings.quality = false;
  const auto model = std::make_shared<const Model>(train(examples, default_layout(68), train_settings));
  ASSERT_GT(model->levels[0].texture_combined.rows, 61u);
  expect_agreement(model, ten_iterations({{Method::combined, 0, 3, 0}}), 2);
}

TEST_P(FitterAgreesBeyond, OnFramesAndFeatures) {
  expect_agreement(drawn_model(Features::edges, true), ten_iterations(), 8);
  expect_agreement(drawn_model(Features::intensity, true), ten_iterations(), 8);
  expect_agreement(drawn_model(Features::orientation, true, 20, 1500), ten_iterations(), 4);
}

TEST_P(FitterAgreesBeyond, FromTheShapeOfTheStageBefore) {
  expect_agreement(drawn_model(Features::intensity, false),
                   ten_iterations({{Method::combined, 0, 3, 0}, {Method::combined, 0, 5, 0}}), 6);
  expect_agreement(drawn_model(Features::edges, true),
                   ten_iterations({{Method::project_out, 0, 2, 0}, {Method::combined, 0, 5, 0}}), 4);
}

TEST_P(FitterAgreesBeyond, ByInverseComposition) {
  FitSettings settings = ten_iterations();
  settings.threshold = 1e-4;
  for (const Method method : {Method::project_out, Method::simultaneous})
    for (const float prior : {0.0f, 1.0f}) {
      settings.stages = {{method, 0, 10, prior}};
      expect_agreement(drawn_model(Features::edges, true), settings, 4);
      expect_agreement(drawn_model(Features::intensity, false), settings, 2);
    }
}

TEST_P(FitterAgreesBeyond, ByTheCascade) {
  const Planted planted;
  const auto faces = planted.population(24, 1);
  TrainSettings train_settings;
  train_settings.pixels = 600;
  train_settings.levels = 1;
  train_settings.mirrored = false;
  train_settings.gradient = TrainSettings::Gradient::none;
  train_settings.displacements = 2;
  train_settings.cascade_stages = 2;
  train_settings.quality = false;
  const auto model = std::make_shared<const Model>(train(examples_of(faces), planted.layout(), train_settings));
  for (const int starts : {1, 3}) {
    FitSettings settings;
    settings.stages = {{Method::cascade, 0, 0, 0}};
    settings.starts = starts;
    const auto reference = make_fitter(model, settings, Backend::reference);
    const auto tested = fitter(model, settings);
    const std::vector<PlantedFace> unseen = planted.population(3, 9);
    for (const PlantedFace& one : unseen) {
      Face face{one.view(), {}, false};
      face.start.similarity =
          compose(similarity_between<float, float>(model->shape.mean, one.landmarks), {1.03, 0.02, 0.05, -0.04});
      EXPECT_LT(farthest(tested->fit(face).landmarks, reference->fit(face).landmarks), tolerance);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, FitterAgreesBeyond, testing::Values("cpu", "cuda"), backend_of);

// The baseline of the benchmark does the same work, or its times would mean nothing.
class PaperKernels : public FitterAgrees {};

TEST_P(PaperKernels, Agree) { expect_agreement(drawn_model(Features::intensity, false), ten_iterations(), 4); }

INSTANTIATE_TEST_SUITE_P(cuda, PaperKernels, testing::Values("paper"), backend_of);

}  // namespace
}  // namespace kinema::face
