// The works of a fit, run on the host by one thread and on the device: both end where the cpu backend ends.
#include "drawn.h"
#include "face/model/similarity.h"
#include "host_chain.h"
#include "kinema/grey.h"
#include "planted.h"
#include "threaded_block.h"

namespace kinema::face {
namespace {

using Serial = HostChainFitter<SerialLauncher>;

// "works": on the host.
class FitChainOn : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    if (GetParam() == "cuda" && !available(Backend::cuda)) GTEST_SKIP() << "no GPU";
  }
  std::unique_ptr<Fitter> tested(const std::shared_ptr<const Model>& model, const FitSettings& settings) const {
    if (GetParam() == "works") return std::make_unique<Serial>(model, settings);
    auto fitter = make_fitter(model, settings, Backend::cuda);
    for (const PlacedStage& placed : fitter->stages()) EXPECT_EQ(placed.backend, Backend::cuda);
    return fitter;
  }
};

FitSettings settings_of(std::vector<Stage> stages, double threshold = 1e-4) {
  FitSettings settings;
  settings.stages = std::move(stages);
  settings.threshold = threshold;
  settings.score = false;
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
    ASSERT_EQ(fit.shape.size(), truth.shape.size());
    for (std::size_t k = 0; k < fit.shape.size(); ++k) EXPECT_NEAR(fit.shape[k], truth.shape[k], 1e-3);
  }
}

void expect_same_score(const Fit& fit, const Fit& truth) {
  EXPECT_NEAR(fit.failure, truth.failure, 1e-3);
  ASSERT_EQ(fit.confidence.size(), truth.confidence.size());
  for (std::size_t i = 0; i < fit.confidence.size(); ++i) EXPECT_NEAR(fit.confidence[i], truth.confidence[i], 1e-3);
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

TEST_P(FitChainOn, DescendsAsTheCpuDoes) {
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
          const auto fitter = tested(model, settings);
          const auto cpu = make_fitter(model, settings, Backend::cpu);
          SCOPED_TRACE(testing::Message() << "features " << static_cast<int>(features) << ", method "
                                          << static_cast<int>(method) << ", prior " << prior << ", " << threshold);
          expect_same(*fitter, *cpu, faces_of(drawn));
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

TEST_P(FitChainOn, RegressesToTheSameBits) {
  const auto planted = Planted().population(4, 9);
  const FitSettings settings = settings_of({{Method::cascade, 0, 0, 0}});
  const auto fitter = tested(whole_model(), settings);
  const auto cpu = make_fitter(whole_model(), settings, {Backend::cpu, 1});
  for (const Face& face : planted_faces(planted)) EXPECT_EQ(fitter->fit(face).landmarks, cpu->fit(face).landmarks);
}

TEST_P(FitChainOn, FitsAndScoresAsTheCpuDoes) {
  const auto planted = Planted().population(6, 9);
  const std::vector<Face> faces = planted_faces(planted);
  FitSettings settings;
  const auto fitter = tested(whole_model(), settings);
  const auto cpu = make_fitter(whole_model(), settings, {Backend::cpu, 1});
  expect_same(*fitter, *cpu, faces);
  for (const Face& face : faces) expect_same_score(fitter->fit(face), cpu->fit(face));

  // with weights of shapes, which this model has not
  Model weighted = *whole_model();
  std::vector<float> weights(weighted.shape.modes.rows);
  for (std::size_t k = 0; k < weights.size(); ++k)
    weights[k] = (k % 2 == 0 ? 2.0f : -1.0f) / std::sqrt(weighted.shape.variances[k]);
  weighted.quality.shape_weights = weights;
  // about even odds, where they show
  std::vector<float> others(weighted.quality.weights.begin(), weighted.quality.weights.end());
  const double failure = cpu->fit(faces[0]).failure;
  others[0] -= static_cast<float>(std::log(failure / (1 - failure)));
  weighted.quality.weights = others;
  const auto model = std::make_shared<const Model>(weighted);
  const auto weighing = tested(model, settings);
  const auto weighing_cpu = make_fitter(model, settings, Backend::cpu);
  for (const Face& face : faces) expect_same_score(weighing->fit(face), weighing_cpu->fit(face));
  EXPECT_GT(std::abs(weighing->fit(faces[0]).failure - 0.5), 0.01);
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

// Blocks in whose memory no table has a place.
struct SmallBlocks : SerialLauncher {
  static std::size_t block_bytes() { return 0; }
};

TEST(FitChain, GivesTheSameBitsWhereverTablesLie) {
  const auto planted = Planted().population(2, 9);
  Serial near(whole_model(), {});
  HostChainFitter<SmallBlocks> far(whole_model(), {});
  for (const Face& face : planted_faces(planted)) {
    const Fit truth = near.fit(face), fit = far.fit(face);
    EXPECT_EQ(fit.landmarks, truth.landmarks);
    EXPECT_EQ(fit.failure, truth.failure);
    EXPECT_EQ(fit.error, truth.error);
  }
}

TEST_P(FitChainOn, TakesPicturesOfAnySizeAndStartsAnywhere) {
  const std::vector<std::uint8_t> grey(40, 100);
  FitSettings settings;
  for (const std::vector<Stage>& stages :
       {std::vector<Stage>{}, {{Method::simultaneous, 0, 3, 30}}, {{Method::project_out, 0, 3, 0}}}) {
    settings.stages = stages;
    const auto fitter = tested(whole_model(), settings);
    const auto cpu = make_fitter(whole_model(), settings, {Backend::cpu, 1});
    for (const auto& [width, height] : {std::pair<std::size_t, std::size_t>{1, 1}, {1, 8}, {8, 1}, {5, 8}})
      for (const Similarity& pose : {Similarity{3, 0, 2, 2}, {30, 1, -500, 900}, {1e-3, 0, 0, 0}, {4000, 0, 0, 0}}) {
        Face face{{grey.data(), width, height, width}, {}, false};
        face.start.similarity = pose;
        const Fit truth = cpu->fit(face), fit = fitter->fit(face);
        // nothing is seen: only that it ends, in the same place; in pixels, of which such a face may have thousands
        EXPECT_LT(farthest(fit.landmarks, truth.landmarks), 0.01 * std::max(1.0, pose.a));
      }
  }
}

TEST_P(FitChainOn, ContinuesFromTheShapeOfTheFrameBefore) {
  const auto planted = Planted().population(3, 9);
  FitSettings settings;
  const auto fitter = tested(whole_model(), settings);
  const auto cpu = make_fitter(whole_model(), settings, {Backend::cpu, 1});
  for (const PlantedFace& one : planted) {
    Face face{one.view(), {}, false};
    face.start.landmarks = one.landmarks;
    face.start.keep_shape = true;
    EXPECT_LT(farthest(fitter->fit(face).landmarks, cpu->fit(face).landmarks), 0.01);
  }
}

TEST_P(FitChainOn, MakesGreyOfEveryFormatAsTheHostDoes) {
  const auto planted = Planted().population(1, 9);
  const Face grey = planted_faces(planted).front();
  const std::size_t width = grey.image.width, height = grey.image.height;
  const auto fitter = tested(whole_model(), {});
  ASSERT_TRUE(fitter->takes_colour());
  for (const PixelFormat format : {PixelFormat::bgr, PixelFormat::rgb, PixelFormat::bgra, PixelFormat::rgba,
                                   PixelFormat::nv12, PixelFormat::yuyv}) {
    const std::size_t stride = 4 * width + 5;  // rows lie apart
    std::vector<std::uint8_t> bytes(stride * (height + height / 2 + 1), 90);
    for (std::size_t v = 0; v < height; ++v)
      for (std::size_t u = 0; u < 4 * width; ++u)
        bytes[v * stride + u] = static_cast<std::uint8_t>(grey.image.at(u / 4, v) + 3 * (u % 4));
    ColourView colour{bytes.data(), width, height, stride, format};
    if (format == PixelFormat::nv12) colour.chroma = bytes.data() + stride * height, colour.chroma_stride = stride;
    const std::vector<std::uint8_t> made = grey_of(colour);
    Face by_host = grey, by_device = grey;
    by_host.image = {made.data(), width, height, width};
    by_device.image = {}, by_device.colour = colour;
    EXPECT_EQ(fitter->fit(by_device).landmarks, fitter->fit(by_host).landmarks) << static_cast<int>(format);
  }
}

// All kernels, those for one face and those for many, on so little that a race checker ends within a minute or two.
TEST_P(FitChainOn, GivesTheSameBitsForOneFaceAndMany) {
  const auto planted = Planted().population(3, 9);
  const std::vector<Face> faces = planted_faces(planted);
  std::vector<Face> many;
  while (many.size() < 17) many.insert(many.end(), faces.begin(), faces.end());
  FitSettings settings;
  settings.stages = {{Method::cascade, 0, 2, 0}, {Method::simultaneous, 0, 2, 30}};
  const auto fitter = tested(whole_model(), settings);
  std::vector<Fit> together(many.size());
  fitter->fit(many, together);
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const Fit alone = fitter->fit(faces[i]);
    for (std::size_t k = i; k < many.size(); k += faces.size()) {
      EXPECT_EQ(together[k].landmarks, alone.landmarks);
      EXPECT_EQ(together[k].failure, alone.failure);
      EXPECT_EQ(together[k].confidence, alone.confidence);
      EXPECT_EQ(together[k].iterations, alone.iterations);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Places, FitChainOn, testing::Values("works", "cuda"), backend_of);

// What only the device's own part does: batches, memory, and other stages between those of a chain.
class FitOnDevice_cuda : public testing::Test {
protected:
  void SetUp() override {
    if (!available(Backend::cuda)) GTEST_SKIP() << "no GPU";
  }
};

// All faces at once on the device, against one after the other on the CPU.
void expect_same_batch(Fitter& device, Fitter& cpu, const std::vector<Face>& faces, double pixels) {
  std::vector<Fit> fits(faces.size());
  device.fit(faces, fits);
  for (std::size_t i = 0; i < faces.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "face " << i);
    const Fit truth = cpu.fit(faces[i]);
    EXPECT_LT(farthest(fits[i].landmarks, truth.landmarks), pixels);
    EXPECT_EQ(fits[i].iterations, truth.iterations);
    EXPECT_EQ(fits[i].converged, truth.converged);
    EXPECT_NEAR(fits[i].error, truth.error, 1e-3 * truth.error);
    EXPECT_EQ(fits[i].combined.size(), truth.combined.size());
    expect_same_score(fits[i], truth);
  }
}

TEST_F(FitOnDevice_cuda, FitsAThousandFacesOfAPicture) {
  const auto planted = Planted().population(1, 9);
  const Similarity truth = similarity_between<float, float>(whole_model()->shape.mean, planted.front().landmarks);
  std::vector<Face> faces;
  for (int i = 0; i < 1000; ++i) {
    Face face{planted.front().view(), {}, false};
    face.start.similarity = compose(truth, {1 + 0.0001 * (i % 100), 0.001 * (i % 7), 0.0001 * i, -0.04});
    faces.push_back(std::move(face));
  }
  const auto device = make_fitter(whole_model(), {}, Backend::cuda);
  const auto cpu = make_fitter(whole_model(), {}, Backend::cpu);
  std::vector<Fit> fits(faces.size());
  device->fit(faces, fits);
  for (std::size_t i = 0; i < faces.size(); i += 97)
    EXPECT_LT(farthest(fits[i].landmarks, cpu->fit(faces[i]).landmarks), 0.01) << "face " << i;
}

TEST_F(FitOnDevice_cuda, FitsPicturesOfSeveralSizesInOneBatch) {
  const auto planted = Planted().population(4, 9);
  std::vector<Face> faces = planted_faces(planted);
  // a picture without its last rows, and one whose rows lie apart
  faces[1].image.height -= 30;
  faces[2].image.width -= 20;
  const auto device = make_fitter(whole_model(), {}, Backend::cuda);
  const auto cpu = make_fitter(whole_model(), {}, Backend::cpu);
  std::vector<Fit> fits(faces.size());
  device->fit(faces, fits);
  for (std::size_t i = 0; i < faces.size(); ++i)
    EXPECT_LT(farthest(fits[i].landmarks, cpu->fit(faces[i]).landmarks), 0.01) << "face " << i;
}

TEST_F(FitOnDevice_cuda, RunsOtherStagesBetweenChains) {
  const auto model = drawn_model(Features::edges, true, 12, 1500);
  FitSettings settings =
      settings_of({{Method::project_out, 0, 2, 0}, {Method::combined, 0, 3, 0}, {Method::simultaneous, 0, 3, 30}}, -1);
  const auto device = make_fitter(model, settings, Backend::cuda);
  const auto cpu = make_fitter(model, settings, Backend::cpu);
  const auto drawn = drawn_faces(3);
  // twice what a combined stage on the device is allowed to differ
  for (const Face& face : faces_of(drawn))
    EXPECT_LT(farthest(device->fit(face).landmarks, cpu->fit(face).landmarks), 0.02);
}

TEST_F(FitOnDevice_cuda, ScoresAfterACombinedStage) {
  const auto planted = Planted().population(5, 9);
  FitSettings settings;
  settings.stages = {{Method::cascade, 0, 0, 0}, {Method::combined, 0, 3, 0}};
  const auto device = make_fitter(whole_model(), settings, Backend::cuda);
  const auto cpu = make_fitter(whole_model(), settings, {Backend::cpu, 1});
  // twice what a combined stage on the device is allowed to differ
  expect_same_batch(*device, *cpu, planted_faces(planted), 0.02);
}

TEST_F(FitOnDevice_cuda, TakesTheMedianOfSeveralStartsAsTheCpuDoes) {
  const auto planted = Planted().population(5, 9);
  const std::vector<Face> faces = planted_faces(planted);
  FitSettings settings;
  settings.starts = 4;
  for (const std::vector<Stage>& stages :
       {std::vector<Stage>{}, {{Method::cascade, 0, 0, 0}}, {{Method::simultaneous, 0, 3, 30}}}) {
    settings.stages = stages;
    for (const bool score : {true, false}) {
      settings.score = score;
      const auto device = make_fitter(whole_model(), settings, Backend::cuda);
      const auto cpu = make_fitter(whole_model(), settings, {Backend::cpu, 1});
      for (const PlacedStage& placed : device->stages()) EXPECT_EQ(placed.backend, Backend::cuda);
      expect_same_batch(*device, *cpu, faces, 0.01);
    }
  }
}

TEST_F(FitOnDevice_cuda, CopiesPicturesAheadWithoutEffectOnAFit) {
  const auto planted = Planted().population(6, 9);
  const std::vector<Face> faces = planted_faces(planted);
  const auto plain = make_fitter(whole_model(), {}, Backend::cuda),
             ahead = make_fitter(whole_model(), {}, Backend::cuda);
  std::vector<std::vector<float>> truth;
  truth.reserve(faces.size());
  for (const Face& face : faces) truth.push_back(plain->fit(face).landmarks);
  // as a film
  for (std::size_t i = 0; i < faces.size(); ++i) {
    if (i + 1 < faces.size()) ahead->expect(faces[i + 1]);
    EXPECT_EQ(ahead->fit(faces[i]).landmarks, truth[i]) << "frame " << i;
  }
  // another picture than the one that was expected, and many faces in between
  ahead->expect(faces[1]);
  EXPECT_EQ(ahead->fit(faces[0]).landmarks, truth[0]);
  EXPECT_EQ(ahead->fit(faces[2]).landmarks, truth[2]);
  ahead->expect(faces[4]);
  EXPECT_EQ(ahead->fit(faces[3]).landmarks, truth[3]);
  std::vector<Fit> fits(faces.size());
  ahead->fit(faces, fits);
  for (std::size_t i = 0; i < faces.size(); ++i) EXPECT_EQ(fits[i].landmarks, truth[i]);
  EXPECT_EQ(ahead->fit(faces[4]).landmarks, truth[4]);
  // pixels that change once the expectation is taken back, in the place of those that were copied
  std::vector<std::uint8_t> pixels(faces[1].image.data,
                                   faces[1].image.data + faces[1].image.stride * faces[1].image.height);
  Face changing = faces[1];
  changing.image.data = pixels.data();
  ahead->expect(changing);
  EXPECT_EQ(ahead->fit(faces[0]).landmarks, truth[0]);
  ahead->expect({});
  std::copy_n(faces[2].image.data, pixels.size(), pixels.begin());
  changing.start = faces[2].start;
  EXPECT_EQ(ahead->fit(changing).landmarks, truth[2]);
}

TEST_F(FitOnDevice_cuda, CopiesLargerAndColourFramesAhead) {
  const auto planted = Planted().population(3, 9);
  std::vector<Face> faces = planted_faces(planted);
  const std::size_t width = faces[1].image.width, height = faces[1].image.height;
  std::vector<std::uint8_t> bgr(3 * width * height), tall(width * height * 4);
  for (std::size_t v = 0; v < height; ++v)
    for (std::size_t u = 0; u < width; ++u) {
      std::fill_n(bgr.data() + 3 * (v * width + u), 3, faces[1].image.at(u, v));
      tall[v * width + u] = faces[2].image.at(u, v);
    }
  faces[1].image = {}, faces[1].colour = {bgr.data(), width, height, 3 * width, PixelFormat::bgr};
  faces[2].image = {tall.data(), width, 4 * height, width};
  const auto plain = make_fitter(whole_model(), {}, Backend::cuda),
             ahead = make_fitter(whole_model(), {}, Backend::cuda);
  for (int round = 0; round < 2; ++round)
    for (std::size_t i = 0; i < faces.size(); ++i) {
      ahead->expect(faces[(i + 1) % faces.size()]);
      EXPECT_EQ(ahead->fit(faces[i]).landmarks, plain->fit(faces[i]).landmarks) << "frame " << i;
    }
}

TEST_F(FitOnDevice_cuda, TriesDoubtfulFitsAgainAsTheCpuDoes) {
  const auto planted = Planted().population(4, 9);
  std::vector<Face> faces = planted_faces(planted);
  for (Face& face : faces) face.start.similarity = compose(*face.start.similarity, {1.3, 0.3, 0.6, -0.5});
  const auto device = make_fitter(whole_model(), {}, Backend::cuda);
  const auto cpu = make_fitter(whole_model(), {}, Backend::cpu);
  std::vector<Fit> fits(faces.size());
  device->fit(faces, fits);
  fit_doubtful_again(*device, *whole_model(), faces, fits, 0.01);
  for (std::size_t i = 0; i < faces.size(); ++i)
    EXPECT_NEAR(fits[i].failure, fit_again(*cpu, *whole_model(), faces[i], 0.01).failure, 1e-3);
}

}  // namespace
}  // namespace kinema::face
