// The works that the device runs, run on the host: they end where the cpu backend ends.
#include "drawn.h"
#include "face/similarity.h"
#include "host_chain.h"
#include "planted.h"
#include "threaded_block.h"

namespace kinema::face {
namespace {

using Serial = HostChainFitter<SerialLauncher>;

FitSettings settings_of(std::vector<Stage> stages, double threshold = 1e-4) {
  FitSettings settings;
  settings.stages = std::move(stages);
  settings.threshold = threshold;
  settings.score = false;
  settings.threads = 1;
  return settings;
}

void expect_same(Fitter& tested, Fitter& cpu, const std::vector<Face>& faces) {
  for (const Face& face : faces) {
    const Fit truth = cpu.fit(face), fit = tested.fit(face);
    // sums over a texture are divided differently, in single precision: thousandths of a pixel
    EXPECT_LT(farthest(fit.landmarks, truth.landmarks), 0.01);
    EXPECT_NEAR(fit.error, truth.error, 1e-4 * truth.error + 1e-9);
    EXPECT_EQ(fit.iterations, truth.iterations);
    EXPECT_EQ(fit.converged, truth.converged);
    EXPECT_LT(farthest(fit.shape.size() % 2 == 0 ? fit.shape : std::vector<float>{},
                       fit.shape.size() % 2 == 0 ? truth.shape : std::vector<float>{}),
              1e-3);
  }
}

std::vector<bench::DrawnFace> drawn_faces(std::uint32_t count) {
  std::vector<bench::DrawnFace> drawn;
  for (std::uint32_t i = 0; i < count; ++i) drawn.push_back(unseen_face(i));
  return drawn;
}

std::vector<Face> faces_of(const std::vector<bench::DrawnFace>& drawn) {
  std::vector<Face> faces;
  for (std::uint32_t i = 0; i < drawn.size(); ++i) faces.push_back(face_of(drawn[i], i));
  return faces;
}

TEST(FitChain, DescendsAsTheCpuDoes) {
  const auto drawn = drawn_faces(4);
  for (const auto& [features, resampled] : {std::pair{Features::edges, true},
                                            {Features::intensity, true},
                                            {Features::intensity, false},
                                            {Features::orientation, true}}) {
    const auto model = drawn_model(features, resampled, 12, 1500);
    for (const Method method : {Method::project_out, Method::simultaneous})
      for (const float prior : {0.0f, 30.0f})
        for (const double threshold : {1e-4, -1.0}) {
          const FitSettings settings = settings_of({{method, 0, 6, prior}}, threshold);
          Serial tested(model, settings);
          const auto cpu = make_fitter(model, settings, Backend::cpu);
          SCOPED_TRACE(testing::Message() << "features " << static_cast<int>(features) << ", method "
                                          << static_cast<int>(method) << ", prior " << prior << ", " << threshold);
          expect_same(tested, *cpu, faces_of(drawn));
        }
  }
}

// Planted faces with all that a default model has.
const std::shared_ptr<const Model>& whole_model() {
  static const auto model = [] {
    const Planted planted;
    const auto faces = planted.population(24, 1);
    TrainSettings settings;
    settings.pixels = 1200;
    settings.levels = 1;
    settings.mirrored = false;
    settings.displacements = 2;
    settings.cascade_stages = 3;
    return std::make_shared<const Model>(train(examples_of(faces), planted.layout(), settings));
  }();
  return model;
}

std::vector<Face> planted_faces(const std::vector<PlantedFace>& planted) {
  std::vector<Face> faces;
  for (const PlantedFace& one : planted) {
    Face face{one.view(), {}, false};
    face.start.similarity =
        compose(similarity_between<float, float>(whole_model()->shape.mean, one.landmarks), {1.03, 0.02, 0.05, -0.04});
    faces.push_back(std::move(face));
  }
  return faces;
}

TEST(FitChain, RegressesToTheSameBits) {
  const auto planted = Planted().population(4, 9);
  const FitSettings settings = settings_of({{Method::cascade, 0, 0, 0}});
  Serial tested(whole_model(), settings);
  const auto cpu = make_fitter(whole_model(), settings, Backend::cpu);
  for (const Face& face : planted_faces(planted)) EXPECT_EQ(tested.fit(face).landmarks, cpu->fit(face).landmarks);
}

TEST(FitChain, FitsAndScoresAsTheCpuDoes) {
  const auto planted = Planted().population(6, 9);
  const std::vector<Face> faces = planted_faces(planted);
  FitSettings settings;
  settings.threads = 1;
  Serial tested(whole_model(), settings);
  const auto cpu = make_fitter(whole_model(), settings, Backend::cpu);
  expect_same(tested, *cpu, faces);
  for (const Face& face : faces) {
    const Fit truth = cpu->fit(face), fit = tested.fit(face);
    EXPECT_NEAR(fit.failure, truth.failure, 1e-3);
    ASSERT_EQ(fit.confidence.size(), truth.confidence.size());
    for (std::size_t i = 0; i < fit.confidence.size(); ++i) EXPECT_NEAR(fit.confidence[i], truth.confidence[i], 1e-3);
  }
}

TEST(FitChain, GivesTheSameBitsForAnyNumberOfThreadsAndFacesAtOnce) {
  const auto planted = Planted().population(3, 9);
  const std::vector<Face> faces = planted_faces(planted);
  FitSettings settings;
  Serial one(whole_model(), settings);
  HostChainFitter<ThreadedLauncher, 4> several(whole_model(), settings, {3});
  std::vector<Fit> together(faces.size());
  several.fit(faces, together);
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const Fit alone = one.fit(faces[i]);
    EXPECT_EQ(together[i].landmarks, alone.landmarks);
    EXPECT_EQ(together[i].failure, alone.failure);
    EXPECT_EQ(together[i].confidence, alone.confidence);
    EXPECT_EQ(together[i].error, alone.error);
    EXPECT_EQ(together[i].iterations, alone.iterations);
  }
}

TEST(FitChain, TakesPicturesOfAnySizeAndStartsAnywhere) {
  const std::vector<std::uint8_t> grey(40, 100);
  FitSettings settings;
  settings.threads = 1;
  for (const std::vector<Stage>& stages :
       {std::vector<Stage>{}, {{Method::simultaneous, 0, 3, 30}}, {{Method::project_out, 0, 3, 0}}}) {
    settings.stages = stages;
    Serial tested(whole_model(), settings);
    const auto cpu = make_fitter(whole_model(), settings, Backend::cpu);
    for (const auto& [width, height] : {std::pair<std::size_t, std::size_t>{1, 1}, {1, 8}, {8, 1}, {5, 8}})
      for (const Similarity& pose : {Similarity{3, 0, 2, 2}, {30, 1, -500, 900}, {1e-3, 0, 0, 0}, {4000, 0, 0, 0}}) {
        Face face{{grey.data(), width, height, width}, {}, false};
        face.start.similarity = pose;
        const Fit truth = cpu->fit(face), fit = tested.fit(face);
        // nothing is seen: only that it ends, in the same place; in pixels, of which such a face may have thousands
        EXPECT_LT(farthest(fit.landmarks, truth.landmarks), 0.01 * std::max(1.0, pose.a));
      }
  }
}

TEST(FitChain, ContinuesFromTheShapeOfTheFrameBefore) {
  const auto planted = Planted().population(3, 9);
  FitSettings settings;
  settings.threads = 1;
  Serial tested(whole_model(), settings);
  const auto cpu = make_fitter(whole_model(), settings, Backend::cpu);
  for (const PlantedFace& one : planted) {
    Face face{one.view(), {}, false};
    face.start.landmarks = one.landmarks;
    face.start.keep_shape = true;
    EXPECT_LT(farthest(tested.fit(face).landmarks, cpu->fit(face).landmarks), 0.01);
  }
}

}  // namespace
}  // namespace kinema::face
