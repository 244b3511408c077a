#include "bench/face/face_bench.h"

#include "bench/face/face_device.h"
#include "bench/face/face_films.h"
#include "bench/face/face_fit_bench.h"
#include "bench/face/face_problem.h"
#include "bench/face/facemark.h"
#include "bench/face/fitters.h"
#include "bench/face/product/product_bench.h"
#include "bench/machine.h"
#include "bench/pinned.h"
#include "bench/times.h"
#include "core/threads.h"
#include "kinema/error.h"
#include "kinema/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

namespace kinema::bench {
namespace {

constexpr std::size_t film_persons = 50,
                      film_frames = 20;  // the paper has as many clips, and prints times of 1,000 frames
constexpr std::size_t cpu_persons = 15, quick_persons = 2;  // where there is no GPU, whose rows have all frames
constexpr std::size_t faces_each = 8, batch_faces = 4096;
constexpr std::size_t parts_frames = 60, upload_frames = 200, free_frames = 100;
constexpr std::uint32_t most_free_iterations = 30;
constexpr std::size_t most_counted_pixels = 8192;
constexpr double listing_turns = 8;  // the listing, which speed-ups refer to, takes 0.1 s a frame of the largest model
constexpr std::size_t least_pixels = 256, most_pixels = 1u << 20;
constexpr std::uint32_t first_test_face = 1000;
constexpr std::size_t facemark_pixels[] = {4096, 49152};  // its training takes minutes for all sixteen sizes
constexpr const char* all_backends[] = {"listing", "reference", "cpu", "opencv", "paper", "cuda", "cuda batch"};
constexpr const char* all_parts[] = {"sizes", "default-fit", "products"};

// Empty if the backend can run here, otherwise the reason.
std::string obstacle(const std::string& backend) {
  if (backend == "opencv") return facemark_version().empty() ? "OpenCV's module face is not built in" : "";
  if (backend != "paper" && !backend.starts_with("cuda")) return "";
  return no_gpu_reason();
}

// Shared by all sizes: faces to train on, films to follow, and of these the faces that are held against the reference.
struct FaceSet {
  std::vector<DrawnFace> training;
  Films films;
  std::vector<std::size_t> held;  // numbers of frames
  std::vector<DevicePicture> device;
  std::vector<face::Start> starts;
};

FaceSet make_face_set(const FaceBenchOptions& options) {
  FaceSet faces;
  faces.training = draw_people(options.seed, training_faces, options.threads);
  // a GPU is timed on all of them, and a CPU on as many as there is time for
  faces.films = draw_films(options.seed,
                           options.quick    ? quick_persons
                           : gpus().empty() ? cpu_persons
                                            : film_persons,
                           film_frames, options.threads);
  for (std::uint32_t i = 0; i < faces_each; ++i) {
    const std::size_t frame = i * faces.films.frames.size() / faces_each;
    const DrawnFace& drawn = faces.films.frames[frame];
    faces.held.push_back(frame);
    faces.starts.push_back(displaced_start(drawn, options.seed, i));
    if (no_gpu_reason().empty()) faces.device.push_back(on_device(drawn));
  }
  return faces;
}

// A backend with its model of one size.
struct FaceRunner {
  FaceRow row;
  std::function<void()> once;           // is timed
  std::function<void()> after = [] {};  // is not
  std::function<std::vector<StageTime>()> stages = [] { return std::vector<StageTime>{}; };
  std::vector<StageTime> parts;  // of the paper's kernels, measured apart
  std::shared_ptr<FilmFollower> follower;
  Times times;

  bool serial() const { return row.backend == "listing"; }

  // A film goes on where the last turn left it; the first call of a turn finds other rows' data in the caches, which is
  // little in a turn of many frames.
  void take_turn(double turn_ms, std::size_t fewest, std::size_t most) {
    std::optional<Pinned> pinned;
    if (serial()) pinned.emplace();
    double spent = 0;
    for (std::size_t i = 0; i < most && (i < fewest || spent < turn_ms); ++i) {
      const double ms = ms_of(once);
      times.add(ms, stages());
      spent += ms;
      after();
    }
  }
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
    const std::string name = backend == "cuda batch" ? "cuda" : backend;
    std::shared_ptr<face::Fitter> fitter = make(name, settings_);
    if (device && fitter->backend() != Backend::cuda)
      throw Error(fmt::format("a model of {} pixels and {} modes is beyond the kernels of the cuda backend", pixels_,
                              runner.row.modes));
    double error = 0;
    if (backend == "cuda batch") {
      runner.row.image = "device";
      auto faces = std::make_shared<std::vector<face::Face>>();
      for (std::size_t i = 0; i < batch_faces; ++i) faces->push_back(on_gpu(i % faces_each));
      auto fits = std::make_shared<std::vector<face::Fit>>(batch_faces);
      runner.row.faces = batch_faces;
      runner.once = [fitter, faces, fits] { fitter->fit(*faces, *fits); };
      runner.once();
      for (std::size_t i = 0; i < batch_faces; ++i)
        error = std::max(error, farthest((*fits)[i].landmarks, truth_[i % faces_each]));
    } else {
      for (std::size_t i = 0; i < faces_each; ++i)
        error = std::max(error, farthest(fitter->fit(on_host(i)).landmarks, truth_[i]));
      runner.follower = std::make_shared<FilmFollower>(fitter, faces_.films);
      runner.once = [follower = runner.follower] { follower->fit(); };
      runner.after = [follower = runner.follower] { follower->judge(); };
    }
    runner.row.landmark_error = error;
    runner.stages = [fitter] { return fitter->times(); };
    if (backend == "paper") runner.parts = paper_parts();
    if (device && backend != "cuda batch") runner.row.upload_ms = time_with_upload(name);
    // on a CPU of the smaller models only, which takes long enough
    if (backend == (gpus().empty() ? "cpu" : "cuda") && (device || pixels_ <= most_counted_pixels))
      runner.row.free_iterations = count_iterations(name);
    return runner;
  }

  const std::shared_ptr<const face::Model>& model() const { return model_; }
  const face::FitSettings& settings() const { return settings_; }

private:
  std::shared_ptr<face::Fitter> make(const std::string& name, const face::FitSettings& settings) const {
    return make_fitter(name, model_, settings, Compute(Backend::automatic, options_.threads));
  }

  // Figure 2 on the device. Events between the kernels cost time, so that these fits are not those of table 1.
  std::vector<StageTime> paper_parts() const {
    const std::shared_ptr<face::Fitter> fitter = make("paper in parts", settings_);
    FilmFollower follower(fitter, faces_.films);
    Times times;
    for (std::size_t i = 0; i < parts_frames; ++i) {
      follower.fit();
      if (i > 0) times.add(0, fitter->times());
      follower.judge();
    }
    return times.stages();
  }

  // The median frame where the upload of its picture is not hidden behind the fit of the one before.
  double time_with_upload(const std::string& name) const {
    FilmFollower follower(make(name, settings_), faces_.films, false);
    std::vector<double> ms;
    for (std::size_t i = 0; i < upload_frames; ++i) {
      ms.push_back(ms_of([&] { follower.fit(); }));
      follower.judge();
    }
    return spread(ms).median;
  }

  // What a loop that ends by itself takes on these films: the paper's 10 are such a mean.
  double count_iterations(const std::string& name) const {
    face::FitSettings settings = settings_;
    settings.stages[0].iterations = most_free_iterations;
    settings.threshold = face::FitSettings().threshold;
    FilmFollower follower(make(name, settings), faces_.films);
    for (std::size_t i = 0; i < free_frames; ++i) {
      follower.fit();
      follower.judge();
    }
    return follower.mean_iterations();
  }

  face::Face on_host(std::size_t i) const {
    return {faces_.films.frames[faces_.held[i]].view(), faces_.starts[i], false};
  }
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
  row.mean_ms = runner.times.total() * each / static_cast<double>(std::max<std::size_t>(1, row.repeats));
  row.stages = runner.times.stages(each);
  row.stages.insert(row.stages.end(), runner.parts.begin(), runner.parts.end());
  row.iteration_ms = row.mean_ms / std::max(1, iterations);
  if (runner.follower) {
    row.error = runner.follower->mean_error();
    row.lost = runner.follower->lost();
  }
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
bool has_part(const FaceBenchOptions& options, const std::string& part) {
  if (!options.only.empty()) return wanted(options.only, part);
  if (part == "default-fit") return !options.model.empty();
  return part != "products" || no_gpu_reason().empty();
}

void check_options(const FaceBenchOptions& options) {
  if (options.iterations < 1 || options.iterations > 1000)
    throw Error(fmt::format("{} iterations a frame: give 1 to 1000", options.iterations));
  check_names("part", options.only, all_parts);
  if (has_part(options, "default-fit") && options.model.empty())
    throw Error("there is no model whose default fit could be timed: give --model");
  check_names("backend", options.backends, all_backends, obstacle);
}

void measure_sizes(const FaceBenchOptions& options, const std::function<void(const std::string&)>& progress,
                   FaceReport& report) {
  if (progress) progress("bench face: drawing films");
  const FaceSet faces = make_face_set(options);
  const double turn_ms = report.seconds * 1e3 / rounds;
  for (std::size_t i = 0; i < report.pixels.size(); ++i) {
    if (progress)
      progress(fmt::format("bench face: {} pixels ({} of {})", report.pixels[i], i + 1, report.pixels.size()));
    Size size(faces, options, report.pixels[i]);
    report.small_templates.push_back(small_template(*size.model()));
    for (FacePicture& picture : template_pictures(*size.model())) report.templates.push_back(std::move(picture));
    if (i + 1 == report.pixels.size())
      report.sequence =
          fitted_frames(face::make_fitter(size.model(), size.settings(), {Backend::cpu, options.threads}), faces.films);
    std::vector<FaceRunner> runners;
    for (const char* backend : all_backends) {
      const bool long_training = std::string(backend) == "opencv" && options.pixels.empty() &&
                                 std::find(std::begin(facemark_pixels), std::end(facemark_pixels), report.pixels[i]) ==
                                     std::end(facemark_pixels);
      if (wanted(options.backends, backend) && !long_training && obstacle(backend).empty())
        runners.push_back(size.runner(backend));
    }
    for (std::size_t round = 0; round < rounds; ++round)
      for (FaceRunner& runner : runners) {
        // on a GPU all frames, elsewhere as many as there is time for
        const bool all = runner.row.backend == "paper" || runner.row.backend == "cuda";
        const std::size_t frames = faces.films.frames.size() / rounds;
        runner.take_turn(runner.serial() ? listing_turns * turn_ms : turn_ms, all ? frames : 1,
                         runner.follower ? frames : most_turn_repeats);
      }
    for (const FaceRunner& runner : runners) report.rows.push_back(make_row(runner, options.iterations));
  }
}

}  // namespace

std::vector<std::string> face_backends() { return {std::begin(all_backends), std::end(all_backends)}; }

std::vector<std::string> face_parts() { return {std::begin(all_parts), std::end(all_parts)}; }

FaceReport measure_face(const FaceBenchOptions& options, const std::function<void(const std::string&)>& progress) {
  check_options(options);
  FaceReport report;
  begin_run(options, 0.5, 0.1, report);
  report.facemark = facemark_version();
  report.iterations = options.iterations;
  if (has_part(options, "sizes")) report.pixels = sizes_of(options);
  if (has_part(options, "default-fit")) {
    if (progress) progress(fmt::format("bench face: the default fit of {}", options.model));
    report.model = options.model;
    const auto model = std::make_shared<const face::Model>(read_face_model(options.model));
    report.default_fits = measure_default_fit(model, {options.seed, report.seconds, options.threads});
  }
  if (has_part(options, "products"))
    report.products = measure_products(product_shapes(options.quick), report.seconds, progress);
  if (!report.pixels.empty()) measure_sizes(options, progress, report);
  compare_rows(report);
  return report;
}

void run_face(const FaceBenchOptions& options) { run(options, "face", measure_face, face_json, face_page); }

}  // namespace kinema::bench
