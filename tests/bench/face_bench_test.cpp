// The benchmark of face fits on small models: that it measures what it was asked for, and that all contestants do the same
// work. The listing and the paper's kernels are also held against the reference in tests/face/fitter/fitter_agree_test.cpp.
#include "bench/face/face_bench.h"

#include "bench/face/face_figures.h"
#include "bench/face/face_films.h"
#include "bench/face/face_fit_bench.h"
#include "bench/face/face_problem.h"
#include "bench/face/fitter_listing.h"
#include "bench/face/fitters.h"
#include "io/pictures/image_file.h"
#include "kinema/error.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

namespace kinema::bench {
namespace {

FaceBenchOptions tiny() {
  FaceBenchOptions options;
  options.pixels = {256, 512};
  options.backends = {"listing", "reference", "cpu"};
  options.iterations = 3;
  options.seconds = 0.001;
  options.threads = 2;
  options.only = {"sizes"};
  options.quick = true;
  return options;
}

TEST(FaceBench, MeasuresEveryRowAndHoldsItAgainstTheReference) {
  const FaceReport report = measure_face(tiny());
  ASSERT_EQ(report.rows.size(), 2 * 3u);
  EXPECT_EQ(report.backends(), tiny().backends);
  for (const FaceRow& row : report.rows) {
    SCOPED_TRACE(row.backend);
    EXPECT_GE(row.repeats, 1u);
    EXPECT_GT(row.ms.median, 0);
    EXPECT_EQ(row.image, "host");
    EXPECT_LT(row.landmark_error.value(), 0.01);  // pixels: what every backend promises
  }
  for (const FaceRow* row : report.of("listing")) EXPECT_DOUBLE_EQ(row->speedup_listing.value(), 1);
  EXPECT_DOUBLE_EQ(report.of("cpu").front()->growth, 1);
}

TEST(FaceBench, DividesTheTimeOfTheListingAsFigure2) {
  FaceBenchOptions options = tiny();
  options.pixels = {512};
  const FaceReport report = measure_face(options);
  const std::vector<FaceShares> shares = face_shares(report);
  ASSERT_EQ(shares.size(), 1u);  // the others have no such parts
  EXPECT_EQ(shares[0].backend, "listing");
  ASSERT_EQ(shares[0].parts.size(), 3u);
  EXPECT_GT(shares[0].parts[1].ms, shares[0].parts[0].ms);                    // E is more than the initial estimate
  EXPECT_LE(shares[0].total(), 1.5 * report.of("listing").front()->ms.high);  // medians of parts, not of the sum
  EXPECT_NE(report::to_text(face_page(report)).find("Figure 2"), std::string::npos);
  EXPECT_EQ(report.templates.size(), 2u);
}

TEST(FaceBench, FollowsPeopleThroughFilms) {
  FaceBenchOptions options = tiny();
  options.pixels = {2048};
  options.backends = {"listing", "cpu"};
  options.iterations = 10;
  const FaceReport report = measure_face(options);
  ASSERT_EQ(report.rows.size(), 2u);
  for (const FaceRow& row : report.rows) {
    SCOPED_TRACE(row.backend);
    EXPECT_GT(row.mean_ms, 0);
    EXPECT_LT(row.error.value(), 20);  // pixels, of faces of some 150
  }
  EXPECT_GE(report.of("cpu").front()->free_iterations.value_or(1), 1);
  EXPECT_EQ(report.sequence.size(), 6u);
  for (const FacePicture& picture : report.sequence) EXPECT_NO_THROW(io::check_png(picture.png));
  EXPECT_GE(face_page(report).sections.size(), 2u);
}

// A fit that continues from the frame before starts with its parameters, in every backend with the same.
TEST(FaceBench, FollowsFilmsWithEveryBackendAlike) {
  const Films films = draw_films(1, 2, 8, 2);
  ASSERT_EQ(films.frames.size(), 16u);
  EXPECT_TRUE(films.begins(0) && films.begins(8) && !films.begins(7));
  FaceModelSettings settings;
  settings.pixels = 2000;
  settings.modes = 30;
  const auto model = make_face_model(draw_people(1, 40, 2), settings);
  face::FitSettings fit;
  fit.stages = {{face::Method::combined, 0, 10, 0}};
  fit.threshold = -1;
  fit.score = false;
  std::vector<FilmFollower> followers;
  for (const char* name : {"reference", "cpu", "listing", "paper", "cuda"}) {
    if (!available(Backend::cuda) && (std::string_view(name) == "paper" || std::string_view(name) == "cuda")) continue;
    for (const bool announces : {true, false}) followers.emplace_back(make_fitter(name, model, fit), films, announces);
  }
  for (std::size_t i = 0; i < 20; ++i) {
    for (FilmFollower& follower : followers) follower.fit();
    for (FilmFollower& follower : followers) {
      EXPECT_EQ(follower.frame(), i % 16);
      // of two factors that are as good either may be taken, and a film carries that on
      EXPECT_LT(farthest(follower.last().landmarks, followers[0].last().landmarks), 2) << i;
      EXPECT_EQ(follower.last().iterations, 10);
      follower.judge();
    }
  }
  for (FilmFollower& follower : followers) EXPECT_LE(follower.lost(), 10u);
}

TEST(FaceBench, FollowsFilmsOnADevice_cuda) {
  if (!available(Backend::cuda)) GTEST_SKIP() << "no GPU";
  FaceBenchOptions options = tiny();
  options.pixels = {1024};
  options.backends = {"paper", "cuda"};
  options.iterations = 10;
  const FaceReport report = measure_face(options);
  ASSERT_EQ(report.rows.size(), 2u);
  for (const FaceRow& row : report.rows) {
    EXPECT_GE(row.repeats, 40u) << row.backend;  // all frames
    EXPECT_GT(row.upload_ms.value(), 0) << row.backend;
  }
  const std::vector<FaceShares> shares = face_shares(report);
  ASSERT_EQ(shares.size(), 1u);
  EXPECT_EQ(shares[0].backend, "paper");
  for (const StageTime& part : shares[0].parts) EXPECT_GT(part.ms, 0) << part.stage;
}

TEST(FacePictures, ArePngFilesOfAnySize) {
  for (const auto& [width, height] : {std::pair<std::size_t, std::size_t>{1, 1}, {7, 3}, {400, 300}})
    EXPECT_NO_THROW(io::check_png(grey_png(std::vector<std::uint8_t>(width * height, 99), width, height)));
  // landmarks outside the image, and none
  const DrawnFace face = draw_face(1, 1);
  std::vector<float> far = face.landmarks;
  for (float& x : far) x -= 1000;
  for (const std::vector<float>& landmarks : {face.landmarks, far, std::vector<float>{}})
    EXPECT_NO_THROW(io::check_png(landmark_picture(face, landmarks, "").png));
}

// A model with all parts of a default fit; its own sequence is another one.
std::shared_ptr<const face::Model> whole_model() {
  FaceModelSettings settings;
  settings.pixels = 600;
  settings.modes = 8;
  settings.features = face::Features::edges;
  settings.resampled = true;
  settings.cascade_stages = 1;
  face::Model model = *make_face_model(draw_faces(3, 24, 2), settings);
  model.sequence = {{face::Method::cascade, 0, 0, 0}, {face::Method::simultaneous, 0, 3, 30}};
  return std::make_shared<const face::Model>(std::move(model));
}

void expect_default_fits(const std::vector<FaceFitRow>& rows, const std::string& backend) {
  std::vector<std::string> measured;
  for (const FaceFitRow& row : rows) {
    if (row.backend != backend) continue;
    SCOPED_TRACE(row.what);
    measured.push_back(row.what);
    EXPECT_GE(row.repeats, 1u);
    EXPECT_GT(row.ms.median, 0);
    EXPECT_GT(row.iterations, 0);
    EXPECT_LT(row.landmark_error, 0.05);  // pixels: what the device promises
  }
  EXPECT_EQ(measured, (std::vector<std::string>{"one face", "batch", "film"}));
}

TEST(FaceBench, TimesTheDefaultFitOfAModel) {
  const std::vector<FaceFitRow> rows = measure_default_fit(whole_model(), {1, 0.001, 2});
  expect_default_fits(rows, "cpu");
  FaceReport report;
  report.model = "a.kface";
  report.default_fits = rows;
  EXPECT_NE(report::to_text(face_page(report)).find("The default fit of a.kface"), std::string::npos);
  const auto json = nlohmann::json::parse(face_json(report));
  EXPECT_EQ(json["default_fits"].size(), rows.size());
  EXPECT_FALSE(face_page(report).sections.empty());
  // cascade, simultaneous, score and the rest add up to the whole
  const std::vector<FaceShares> shares = face_shares(report);
  ASSERT_FALSE(shares.empty());
  ASSERT_EQ(shares[0].parts.size(), 4u);
  EXPECT_EQ(shares[0].parts[0].stage, "cascade");
}

TEST(FaceBench, TimesTheDefaultFitOnADevice_cuda) {
  if (!available(Backend::cuda)) GTEST_SKIP() << "no GPU";
  expect_default_fits(measure_default_fit(whole_model(), {1, 0.001, 2}), "cuda");
}

TEST(FaceBench, ShowsTheProductsThatWereTimed) {
  FaceReport report;
  report.products = ProductReport{"13.0", 4e12, 1.5, {}};
  report.products->rows = {{{"R r", 54, 4096}, "a warp per row", 2, 4, 2, 4.4e11, 0.11, 1e-7},
                           {{"R r", 54, 8192}, "a warp per row", 3, 1.5, 0.5, 4.4e11, 0.11, 1e-7},
                           {{"memory", 64, 1 << 22}, "a block per row", 400, 600, 1.5, 3.6e12, 0.9, 1e-7}};
  EXPECT_DOUBLE_EQ(report.products->mean_ratio().value(), 1);
  EXPECT_DOUBLE_EQ(report.products->least_ratio().value(), 0.5);
  EXPECT_DOUBLE_EQ(report.products->least_copy_share().value(), 0.9);
  EXPECT_NE(report::to_text(face_page(report)).find("a warp per row"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(face_json(report))["products"]["rows"].size(), 3u);
  EXPECT_EQ(face_page(report).sections.size(), 1u);
  EXPECT_FALSE(ProductReport().mean_ratio());
}

TEST(FaceBench, KnowsTheShapesOfTheSixteenModels) {
  const std::vector<ProductShape> shapes = product_shapes(false);
  const auto count = [&](const char* what) {
    return std::count_if(shapes.begin(), shapes.end(), [&](const ProductShape& shape) { return shape.what == what; });
  };
  EXPECT_EQ(count("R r"), 16);
  EXPECT_EQ(count("cascade"), 1);
  EXPECT_EQ(count("memory"), 4);
}

TEST(FaceBench, HoldsProductsAgainstCublasOnADevice_cuda) {
  if (!available(Backend::cuda)) GTEST_SKIP() << "no GPU";
  const ProductReport report = measure_products({{"R r", 54, 1024}, {"cascade", 9, 777}}, 0.001);
  ASSERT_EQ(report.rows.size(), 2u);
  EXPECT_GT(report.copy_bytes_per_second, 0);
  for (const ProductRow& row : report.rows) {
    EXPECT_GT(row.us, 0);
    EXPECT_EQ(row.sgemv_us.has_value(), !report.cublas.empty());
    EXPECT_LT(row.difference, 1e-5);  // both add about a thousand products of at most 1 in single precision
  }
}

TEST(FaceBench, RefusesToTimeTheDefaultFitOfNoModel) {
  FaceBenchOptions options = tiny();
  options.only = {"default-fit"};
  EXPECT_THROW(measure_face(options), Error);
}

TEST(FaceBench, MeasuresThePapersKernelsAndOursOnADevice_cuda) {
  if (!available(Backend::cuda)) GTEST_SKIP() << "no GPU";
  FaceBenchOptions options = tiny();
  options.pixels = {1024};
  options.backends = {"paper", "cuda", "cuda batch"};
  const FaceReport report = measure_face(options);
  ASSERT_EQ(report.rows.size(), 3u);
  for (const FaceRow& row : report.rows) {
    SCOPED_TRACE(row.backend);
    EXPECT_EQ(row.image, row.backend == "cuda batch" ? "device" : "host");
    EXPECT_GT(row.stage("device").value(), 0);
    EXPECT_LT(row.landmark_error.value(), 0.01);  // pixels: what every backend promises
  }
}

TEST(FaceBench, WritesTextJsonAndAPage) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("kinema_bench_face_" + std::to_string(::getpid()));
  FaceBenchOptions options = tiny();
  options.pixels = {256};
  options.out = folder / "made" / "below";
  options.json = true;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  run_face(options);
  testing::internal::GetCapturedStderr();
  const auto json = nlohmann::json::parse(testing::internal::GetCapturedStdout());
  const auto contents = [&](const char* file) {
    std::ostringstream text;
    text << std::ifstream(options.out / file).rdbuf();
    return text.str();
  };
  EXPECT_EQ(json.at("kind"), "face");
  EXPECT_EQ(json, nlohmann::json::parse(contents("face.json")));
  ASSERT_EQ(json.at("rows").size(), 3u);
  for (const auto& row : json.at("rows")) {
    EXPECT_EQ(row.at("pixels"), 256);
    EXPECT_GT(row.at("ms").get<double>(), 0);
    EXPECT_GT(row.at("faces_per_second").get<double>(), 0);
  }
  EXPECT_NE(contents("face.txt").find("listing"), std::string::npos);
  EXPECT_NE(contents("face.html"), "");
  std::filesystem::remove_all(folder);
}

TEST(FaceBench, RefusesWhatCannotBeMeasured) {
  FaceBenchOptions options = tiny();
  options.backends = {"abacus"};
  EXPECT_THROW(measure_face(options), Error);
  options = tiny();
  options.pixels = {3};
  EXPECT_THROW(measure_face(options), Error);
  options = tiny();
  options.seconds = -1;
  EXPECT_THROW(measure_face(options), Error);
  options = tiny();
  options.only = {"everything"};
  EXPECT_THROW(measure_face(options), Error);
  options = tiny();
  options.iterations = 0;
  EXPECT_THROW(measure_face(options), Error);
}

// It knows one combined stage of plain intensity, and says so.
TEST(FaceListing, RefusesOtherStages) {
  FaceModelSettings settings;
  settings.pixels = 256;
  settings.modes = 4;
  settings.project_out = true;
  const auto model = make_face_model(draw_faces(1, 12), settings);
  face::FitSettings fit;
  fit.stages = {{face::Method::project_out, 0, 3, 0}};
  EXPECT_THROW(make_listing_fitter(model, fit), Error);
  fit.stages = {{face::Method::combined, 0, 3, 0}};
  const auto fitter = make_listing_fitter(model, fit);
  ASSERT_EQ(fitter->stages().size(), 1u);
  EXPECT_EQ(fitter->backend(), Backend::cpu);
}

}  // namespace
}  // namespace kinema::bench
