#include "bench/face/face_bench.h"

#include "bench/face/face_device.h"
#include "bench/face/face_fit_bench.h"
#include "bench/face/face_problem.h"
#include "bench/face/face_video.h"
#include "bench/face/facemark.h"
#include "bench/face/fitters.h"
#include "bench/face/product/product_bench.h"
#include "bench/times.h"
#include "core/threads.h"
#include "kinema/error.h"
#include "kinema/files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace kinema::bench {
namespace {

constexpr std::size_t faces_each = 8, batch_faces = 4096;
constexpr std::size_t least_pixels = 256, most_pixels = 1u << 20;
constexpr std::uint32_t first_test_face = 1000;
constexpr std::size_t facemark_pixels[] = {4096, 49152};  // its training takes minutes for all sixteen sizes
constexpr const char* all_backends[] = {"listing", "reference", "cpu", "opencv", "paper", "cuda", "cuda batch"};
constexpr const char* all_parts[] = {"sizes", "video", "default-fit", "products"};

// Empty if the backend can run here, otherwise the reason.
std::string obstacle(const std::string& backend) {
  if (backend == "opencv") return facemark_version().empty() ? "OpenCV's module face is not built in" : "";
  if (backend != "paper" && !backend.starts_with("cuda")) return "";
  if (build().cuda.empty()) return "CUDA is not built in";
  return gpus().empty() ? "there is no GPU" : "";
}

// Shared by all sizes: faces to train on, and faces to fit.
struct FaceSet {
  std::vector<DrawnFace> training, test;
  std::vector<DevicePicture> device;
  std::vector<face::Start> starts;
};

FaceSet make_face_set(const FaceBenchOptions& options) {
  FaceSet faces;
  faces.training = draw_faces(options.seed, training_faces, options.threads);
  for (std::uint32_t i = 0; i < faces_each; ++i) {
    faces.test.push_back(draw_face(options.seed, first_test_face + i));
    faces.starts.push_back(displaced_start(faces.test.back(), options.seed, i));
    if (!gpus().empty()) faces.device.push_back(on_device(faces.test.back()));
  }
  return faces;
}

// A backend with its model of one size.
struct FaceRunner {
  FaceRow row;
  std::function<void()> once;
  std::function<std::vector<StageTime>()> stages = [] { return std::vector<StageTime>{}; };
  std::vector<StageTime> parts;  // of the paper's kernels, measured apart
  Times times;
};

class Size {
public:
  Size(const FaceSet& faces, const FaceBenchOptions& options, std::size_t pixels)
      : faces_(faces), options_(options), pixels_(pixels) {
    FaceModelSettings settings;
    settings.pixels = static_cast<std::uint32_t>(pixels);
    settings.seed = options.seed;
    settings.threads = options.threads;
    model_ = make_face_model(faces.training, settings);
    settings_.stages = {{face::Method::combined, 0, static_cast<std::uint32_t>(options.iterations), 0}};
    settings_.threshold = -1;
    settings_.score = false;
    const auto reference = face::make_fitter(model_, settings_, Backend::reference);
    truth_.resize(faces_each);
    Threads(options.threads).for_each(faces_each, [&](std::size_t i) {
      truth_[i] = reference->fit(on_host(i)).landmarks;
    });
  }

  FaceRunner runner(const std::string& backend) {
    FaceRunner runner;
    runner.row.backend = backend;
    runner.row.pixels = pixels_;
    runner.row.modes = model_->levels[0].texture_combined.rows;
    runner.row.image = "host";
    if (backend == "opencv") return facemark(std::move(runner));
    const bool device = backend == "paper" || backend.starts_with("cuda");
    if (device) runner.row.image = "device";
    std::shared_ptr<face::Fitter> fitter = make_fitter(device && backend != "paper" ? "cuda" : backend, model_,
                                                       settings_, Compute(Backend::automatic, options_.threads));
    if (device && fitter->backend() != Backend::cuda)
      throw Error(fmt::format("a model of {} pixels and {} modes is beyond the kernels of the cuda backend", pixels_,
                              runner.row.modes));
    const auto face_of = [this, device](std::size_t i) { return device ? on_gpu(i) : on_host(i); };
    double error = 0;
    if (backend == "cuda batch") {
      auto faces = std::make_shared<std::vector<face::Face>>();
      for (std::size_t i = 0; i < batch_faces; ++i) faces->push_back(face_of(i % faces_each));
      auto fits = std::make_shared<std::vector<face::Fit>>(batch_faces);
      runner.row.faces = batch_faces;
      runner.once = [fitter, faces, fits] { fitter->fit(*faces, *fits); };
      runner.once();
      for (std::size_t i = 0; i < batch_faces; ++i)
        error = std::max(error, farthest((*fits)[i].landmarks, truth_[i % faces_each]));
    } else {
      for (std::size_t i = 0; i < faces_each; ++i)
        error = std::max(error, farthest(fitter->fit(face_of(i)).landmarks, truth_[i]));
      runner.once = [fitter, face_of, next = std::size_t{0}]() mutable { fitter->fit(face_of(next++ % faces_each)); };
    }
    runner.row.landmark_error = error;
    runner.stages = [fitter] { return fitter->times(); };
    if (backend == "paper") runner.parts = paper_parts();
    return runner;
  }

  const std::shared_ptr<const face::Model>& model() const { return model_; }

private:
  // Figure 2 on the device. Events between the kernels cost time, so that these fits are not those of table 1.
  std::vector<StageTime> paper_parts() const {
    const auto fitter = make_fitter("paper in parts", model_, settings_);
    Times times;
    for (std::size_t i = 0; i < 4 * faces_each; ++i) {
      fitter->fit(on_gpu(i % faces_each));
      if (i >= faces_each) times.add(0, fitter->times());
    }
    return times.stages();
  }

  face::Face on_host(std::size_t i) const { return {faces_.test[i].view(), faces_.starts[i], false}; }
  face::Face on_gpu(std::size_t i) const { return {faces_.device[i].view, faces_.starts[i], true}; }

  // Images in which the face itself has about this many pixels: FacemarkAAM samples its texture at that size.
  FaceRunner facemark(FaceRunner runner) const {
    constexpr double face_area = 3.4;  // of the mean shape, at a size of 1
    DrawSettings draw;
    draw.size = std::sqrt(static_cast<double>(pixels_) / face_area);
    draw.width = draw.height = static_cast<std::size_t>(4 * draw.size) + 16;
    std::vector<DrawnFace> faces;
    for (std::uint32_t i = 0; i < training_faces; ++i) faces.push_back(draw_face(options_.seed, i, draw));
    std::shared_ptr<Facemark> facemark = train_facemark(faces, static_cast<int>(runner.row.modes), options_.iterations);
    auto test = std::make_shared<std::vector<DrawnFace>>();
    for (std::uint32_t i = 0; i < faces_each; ++i) test->push_back(draw_face(options_.seed, first_test_face + i, draw));
    runner.once = [facemark, test, next = std::size_t{0}]() mutable { facemark->fit((*test)[next++ % faces_each]); };
    return runner;
  }

  const FaceSet& faces_;
  const FaceBenchOptions& options_;
  std::size_t pixels_;
  std::shared_ptr<const face::Model> model_;
  face::FitSettings settings_;
  std::vector<std::vector<float>> truth_;
};

FaceRow make_row(const FaceRunner& runner, int iterations) {
  FaceRow row = runner.row;
  const double each = 1 / static_cast<double>(row.faces);
  row.repeats = runner.times.count();
  row.ms = runner.times.wall(each);
  row.stages = runner.times.stages(each);
  row.stages.insert(row.stages.end(), runner.parts.begin(), runner.parts.end());
  row.iteration_ms = row.ms.median / std::max(1, iterations);
  double sum = 0;
  std::size_t next = 1;
  for (std::size_t i = 0; row.faces == 1 && i < runner.times.count(); ++i) {
    sum += runner.times.walls()[i];
    if (i + 1 == next) row.frame_ms.push_back(sum), next *= 2;
  }
  return row;
}

std::vector<std::size_t> sizes_of(const FaceBenchOptions& options) {
  std::vector<std::size_t> sizes = options.pixels;
  if (sizes.empty() && options.quick) sizes = {4096, 16384, 65536};
  for (std::size_t i = 1; options.pixels.empty() && !options.quick && i <= 16; ++i) sizes.push_back(4096 * i);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  if (sizes.front() < least_pixels || sizes.back() > most_pixels)
    throw Error(fmt::format("a model of {} pixels: give {} to {}",
                            sizes.front() < least_pixels ? sizes.front() : sizes.back(), least_pixels, most_pixels));
  return sizes;
}

// Whether a part was asked for, or can be measured where nothing was.
bool wanted(const FaceBenchOptions& options, const std::string& part) {
  if (!options.only.empty()) return std::find(options.only.begin(), options.only.end(), part) != options.only.end();
  if (part == "default-fit") return !options.model.empty();
  return part != "products" || !gpus().empty();
}

void check_options(const FaceBenchOptions& options) {
  if (!std::isfinite(options.seconds) || options.seconds < 0)
    throw Error(fmt::format("{} is not a time to measure for: give seconds above 0", options.seconds));
  if (options.iterations < 1 || options.iterations > 1000)
    throw Error(fmt::format("{} iterations a frame: give 1 to 1000", options.iterations));
  for (const std::string& name : options.only)
    if (std::find(std::begin(all_parts), std::end(all_parts), name) == std::end(all_parts))
      throw Error(fmt::format("there is no part '{}' to measure: name some of {}", name, fmt::join(all_parts, ", ")));
  if (wanted(options, "default-fit") && options.model.empty())
    throw Error("there is no model whose default fit could be timed: give --model");
  for (const std::string& name : options.backends) {
    if (std::find(std::begin(all_backends), std::end(all_backends), name) == std::end(all_backends))
      throw Error(
          fmt::format("there is no backend '{}' to measure: name some of {}", name, fmt::join(all_backends, ", ")));
    if (const std::string reason = obstacle(name); !reason.empty())
      throw Error(fmt::format("the backend '{}' cannot be measured here: {}", name, reason));
  }
}

void measure_sizes(const FaceBenchOptions& options, const std::function<void(const std::string&)>& progress,
                   FaceReport& report) {
  if (progress) progress("bench face: drawing faces");
  const FaceSet faces = make_face_set(options);
  const double turn_ms = report.seconds * 1e3 / rounds;
  const bool video = wanted(options, "video");
  const std::vector<DrawnFace> clip = video ? draw_clip(options.seed, options.threads) : std::vector<DrawnFace>();
  const VideoOptions of_video{options.iterations, report.seconds, options.threads};
  const auto named = [&](const std::string& backend) {
    return options.backends.empty() ||
           std::find(options.backends.begin(), options.backends.end(), backend) != options.backends.end();
  };
  for (std::size_t i = 0; i < report.pixels.size(); ++i) {
    if (progress)
      progress(fmt::format("bench face: {} pixels ({} of {})", report.pixels[i], i + 1, report.pixels.size()));
    Size size(faces, options, report.pixels[i]);
    const bool last = i + 1 == report.pixels.size();
    if (i == 0 || last)
      for (FacePicture& picture : template_pictures(*size.model())) report.templates.push_back(std::move(picture));
    if (video) {
      std::vector<std::string> backends;
      for (const char* backend : {"listing", "cpu", "paper", "cuda"})
        if (named(backend) && obstacle(backend).empty()) backends.emplace_back(backend);
      for (FaceVideoRow& row : measure_video(size.model(), clip, backends, of_video))
        report.video.push_back(std::move(row));
      if (last) report.sequence = fitted_frames(size.model(), clip, of_video);
    }
    if (!wanted(options, "sizes")) continue;
    std::vector<FaceRunner> runners;
    for (const char* backend : all_backends) {
      const bool long_training = std::string(backend) == "opencv" && options.pixels.empty() &&
                                 std::find(std::begin(facemark_pixels), std::end(facemark_pixels), report.pixels[i]) ==
                                     std::end(facemark_pixels);
      if (named(backend) && !long_training && obstacle(backend).empty()) runners.push_back(size.runner(backend));
    }
    for (std::size_t round = 0; round < rounds; ++round)
      for (FaceRunner& runner : runners)
        take_turn(runner.times, turn_ms, most_turn_repeats, runner.once, runner.stages);
    for (const FaceRunner& runner : runners) report.rows.push_back(make_row(runner, options.iterations));
  }
}

}  // namespace

std::vector<std::string> face_backends() { return {std::begin(all_backends), std::end(all_backends)}; }

std::vector<std::string> face_parts() { return {std::begin(all_parts), std::end(all_parts)}; }

FaceReport measure_face(const FaceBenchOptions& options, const std::function<void(const std::string&)>& progress) {
  check_options(options);
  FaceReport report;
  report.date = utc_date();
  report.commit = source_commit();
  report.machine = describe_machine(options.threads);
  report.facemark = facemark_version();
  report.seed = options.seed;
  report.seconds = options.seconds > 0 ? options.seconds : options.quick ? 0.1 : 0.5;
  report.iterations = options.iterations;
  if (wanted(options, "sizes") || wanted(options, "video")) report.pixels = sizes_of(options);
  if (wanted(options, "default-fit")) {
    if (progress) progress(fmt::format("bench face: the default fit of {}", options.model));
    report.model = options.model;
    const auto model = std::make_shared<const face::Model>(read_face_model(options.model));
    report.default_fits = measure_default_fit(model, {options.seed, report.seconds, options.threads});
  }
  if (wanted(options, "products"))
    report.products = measure_products(product_shapes(options.quick), report.seconds, progress);
  if (!report.pixels.empty()) measure_sizes(options, progress, report);
  compare_rows(report);
  return report;
}

void run_face(const FaceBenchOptions& options) {
  ResultFiles files(options, "face");
  const FaceReport report = measure_face(options, say);
  files.publish(face_text(report), face_json(report), face_page(report));
}

}  // namespace kinema::bench
