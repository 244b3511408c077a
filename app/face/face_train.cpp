// kinema face train: an appearance model from images with landmarks.
#include "app/face/face_refine.h"
#include "app/options/face_options.h"
#include "app/options/options.h"
#include "core/stopwatch.h"
#include "io/faces/face_detector.h"
#include "io/faces/face_model_file.h"
#include "io/faces/layout_json.h"
#include "io/files/output_file.h"
#include "kinema/error.h"
#include "synth/faces/faces.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

namespace kinema::app {
namespace {

struct FaceTrainOptions {
  CommonOptions common;
  ImageOptions images;
  face::TrainSettings settings;
  std::vector<std::string> film;
  std::string out, layout, detector, note, start;
  std::uint32_t drawn = 0;
  bool no_mirror = false, no_quality = false, no_project_out = false, no_resampling = false, no_detector = false;
  bool learn_detector = false, small = false, sequence = false;
};

// The offset of the detector's boxes relative to the faces in them: the median over some of the images.
std::optional<face::BoxPlacement> detector_placement(const face::Model& model, const FaceExamples& examples,
                                                     const io::FaceDetector& detector) {
  constexpr std::size_t most = 80, fewest = 3;  // a median needs no more, and a detector is slow
  std::vector<double> x, y, scale;
  const std::size_t step = std::max<std::size_t>(1, examples.size() / most);
  Progress progress("detecting", examples.size(), true);
  for (std::size_t i = 0; i < examples.size(); i += step) {
    progress.show(i);
    const face::Similarity pose = start_pose(model, {std::nullopt, examples.landmarks[i], std::nullopt, false});
    for (const face::Start::Box& box : detector.detect(examples.images[i].view())) {
      const double size = std::sqrt(static_cast<double>(box.width) * static_cast<double>(box.height));
      const double dx = (pose.tx - static_cast<double>(box.x + box.width / 2)) / size;
      const double dy = (pose.ty - static_cast<double>(box.y + box.height / 2)) / size;
      if (std::hypot(dx, dy) > 0.35) continue;  // another face
      x.push_back(dx);
      y.push_back(dy);
      scale.push_back(std::hypot(pose.a, pose.b) / size);
      break;
    }
  }
  if (x.size() < fewest) return std::nullopt;
  const auto median = [](std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return static_cast<float>(*middle);
  };
  return face::BoxPlacement{median(x), median(y), median(scale)};
}

// Sides of drawn pictures, pixels.
constexpr int drawn_size = 256;

// The errors of starts that the cascade learns to correct. A detector's box is upright, so that a start is turned by as much
// as the head is tilted.
constexpr double drawn_shift = 0.08, drawn_scale = 0.09, drawn_turn = 0.2;

// Photographs differ from drawings, so that a regression should not rely on what only drawings show: with thousands of
// them, the penalty that serves further drawings best is at most a fiftieth of this. Likewise the prior is stronger.
constexpr double drawn_penalty = 50, drawn_prior = 100;

// Of the one level of a small model.
constexpr std::uint32_t small_pixels = 4096;

// Drawn faces that a score is learned from, at least, and the share of the time that the rest of a model takes.
constexpr std::uint32_t least_scored = 8;
constexpr double model_share = 0.6;

// More drawn faces than this are not kept in memory.
constexpr std::uint32_t most_kept = 1000;

FaceExamples drawn_examples(std::uint64_t seed, std::uint32_t count, int threads) {
  FaceExamples examples;
  examples.points = synth::face_landmarks;
  for (const synth::FaceShot& shot : synth::face_shots(seed, 0, count, drawn_size, threads)) {
    examples.images.push_back(synth::grey_of(shot.picture));
    examples.landmarks.push_back(shot.landmarks);
  }
  return examples;
}

FaceExamples examples_for(const FaceTrainOptions& options) {
  if (options.drawn == 0) return read_examples(options.images);
  return drawn_examples(options.common.seed, std::min(options.drawn, most_kept), options.common.compute.threads);
}

face::ExampleStream drawn_stream(std::uint64_t seed) {
  return [seed](std::uint32_t number) { return synth::face_example(seed, number, drawn_size); };
}

// What differs where photographs are to be fitted after drawings.
void set_for_drawn(face::TrainSettings& settings) {
  settings.start_shift = drawn_shift;
  settings.start_scale = drawn_scale;
  settings.start_turn = drawn_turn;
  settings.penalty = drawn_penalty;
  settings.prior = drawn_prior;
}

face::Model train(const FaceTrainOptions& options, const FaceExamples& examples, const face::Layout& layout) {
  if (options.drawn > most_kept)
    return face::train(drawn_stream(options.common.seed), options.drawn, layout, options.settings);
  std::vector<face::Example> set;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    set.push_back({examples.images[i].view(), examples.landmarks[i],
                   i < examples.files.size() ? examples.files[i].image.string() : fmt::format("drawn face {}", i)});
  }
  // further drawn faces teach a score more than models that are trained without some of these
  const bool further = options.drawn >= least_scored && options.settings.quality;
  if (!further) return face::train(set, layout, options.settings);
  const auto part = [&options](double from, double to) {
    return [&options, from, to](std::string_view stage, double done) {
      if (options.settings.progress) options.settings.progress(stage, from + (to - from) * done);
    };
  };
  face::TrainSettings settings = options.settings;
  settings.quality = false;
  settings.progress = part(0, model_share);
  const face::Model model = face::train(set, layout, settings);
  settings.progress = part(model_share, 1);
  return face::train_score(model, drawn_stream(options.common.seed), options.drawn, settings);
}

face::Layout layout_for(const FaceTrainOptions& options, std::size_t landmarks) {
  if (!options.layout.empty()) return io::read_layout(options.layout, landmarks);
  return face::default_layout(landmarks);
}

void report(const FaceTrainOptions& options, const face::Model& model, const FaceExamples& examples, double read_ms,
            double train_ms, double detect_ms) {
  const face::Level& finest = model.levels.front();
  std::error_code ignored;
  const auto bytes = std::filesystem::file_size(options.out, ignored);
  if (!options.common.json) {
    fmt::print(
        "{}: {} faces{} with {} landmarks, {} left out; {} pixels, {} shape modes, {} texture modes; {:.1f} MB in "
        "{:.1f} s\n",
        options.out, model.examples, model.mirrored ? " and their mirror images" : "", examples.points,
        examples.left_out.size(), finest.pixels(), model.shape.modes.rows, finest.texture_modes.rows,
        static_cast<double>(bytes) / 1e6, (read_ms + train_ms + detect_ms) / 1000);
    if (model.detector_box.scale == 0) fmt::print("no face detector was learnt: fits start from what --init gives\n");
    return;
  }
  nlohmann::ordered_json json;
  json["backend"] = name(Backend::cpu);  // training runs there
  json["examples"] = model.examples;
  json["mirrored"] = model.mirrored;
  json["left_out"] = examples.left_out;
  json["landmarks"] = examples.points;
  json["ms"] = {{"read", read_ms}, {"train", train_ms}, {"detect", detect_ms}};
  json["results"] = {{"out", options.out},
                     {"bytes", bytes},
                     {"pixels", finest.pixels()},
                     {"levels", model.levels.size()},
                     {"features", name(finest.features)},
                     {"shape_modes", model.shape.modes.rows},
                     {"texture_modes", finest.texture_modes.rows},
                     {"combined_modes", finest.texture_combined.rows},
                     {"cascade_stages", model.cascade.stages.size()},
                     {"quality", !model.quality.weights.empty()},
                     {"detector", model.detector_box.scale > 0},
                     {"sequence", stages_text(model.sequence)}};
  print_json(json);
}

// A model that is refined keeps what these options say of a new one.
void check_start(const FaceTrainOptions& options) {
  if (options.images.images.empty() + options.film.empty() + (options.drawn == 0) != 2)
    throw Error("--start: give --images or --film, or --drawn to learn its score anew");
  const face::TrainSettings &asked = options.settings, usual;
  for (const auto& [flag, given] : {std::pair{"--layout", !options.layout.empty()},
                                    {"--pixels", asked.pixels != usual.pixels},
                                    {"--levels", asked.levels != usual.levels},
                                    {"--features", asked.features != usual.features},
                                    {"--no-resampling", options.no_resampling},
                                    {"--shape-variance", asked.shape_variance != usual.shape_variance},
                                    {"--texture-variance", asked.texture_variance != usual.texture_variance},
                                    {"--combined-variance", asked.combined_variance != usual.combined_variance},
                                    {"--shape-modes", asked.shape_modes > 0},
                                    {"--texture-modes", asked.texture_modes > 0},
                                    {"--combined-modes", asked.combined_modes > 0},
                                    {"--gradient", asked.gradient != usual.gradient},
                                    {"--cascade", asked.cascade_stages != usual.cascade_stages},
                                    {"--displacements", asked.displacements != usual.displacements},
                                    {"--no-project-out", options.no_project_out},
                                    {"--small", options.small},
                                    {"--no-quality", options.no_quality}}) {
    if (given)
      throw Error(fmt::format("{} is for a new model, and that of --start stays as it is: leave it out", flag));
  }
}

// The model of --start with a score learned from drawn faces.
void learn_score(const FaceTrainOptions& options) {
  const io::OutputFile place(options.out);
  const std::filesystem::path file = start_file(options.start);
  face::Model start = io::read_face_model(file);
  if (start.shape.landmarks() != synth::face_landmarks)
    throw Error(fmt::format("{}: {} landmarks, but drawn faces have {}", file.string(), start.shape.landmarks(),
                            synth::face_landmarks));
  Stopwatch watch;
  face::TrainSettings settings;
  set_for_drawn(settings);
  settings.mirrored = !options.no_mirror && !start.layout.mirror.empty();
  settings.seed = options.common.seed;
  settings.threads = options.common.compute.threads;
  TrainProgress progress;
  settings.progress = progress.teller();
  face::Model model = face::train_score(start, drawn_stream(options.common.seed), options.drawn, settings);
  progress.end();
  if (!options.note.empty()) model.note = options.note;
  io::write_face_model(options.out, model, precision_of(file));
  const double seconds = watch.lap() / 1000;
  if (!options.common.json) {
    fmt::print("{}: the score of {}, learned from {} drawn faces in {:.1f} s\n", options.out, file.string(),
               options.drawn, seconds);
    return;
  }
  nlohmann::ordered_json json;
  json["backend"] = name(Backend::cpu);  // training runs there
  json["examples"] = options.drawn;
  json["mirrored"] = settings.mirrored;
  json["landmarks"] = model.shape.landmarks();
  json["ms"] = {{"train", 1000 * seconds}};
  json["results"] = {{"out", options.out}, {"quality", true}, {"sequence", stages_text(model.sequence)}};
  print_json(json);
}

void run(FaceTrainOptions options) {
  if (!options.start.empty()) {
    check_start(options);
    if (options.drawn > 0) return learn_score(options);
    return refine_face_model({options.common, options.images, options.film, options.start, options.out,
                              options.detector, options.note, !options.no_mirror, options.sequence});
  }
  const io::OutputFile place(options.out);  // an unwritable target is reported before the work
  if (!options.film.empty()) throw Error("--film labels its faces by a model: give --start shipped, or a file");
  if (options.images.images.empty() == (options.drawn == 0)) throw Error("give --images or --drawn");
  // a requested detector must exist; otherwise the one on this machine is used if there is one, and for drawn faces none
  std::optional<io::FaceDetector> detector;
  if (!options.no_detector && (!options.detector.empty() || options.learn_detector ||
                               (options.drawn == 0 && !io::find_face_cascade().empty()))) {
    detector.emplace(options.detector);
  }
  Stopwatch watch;
  const FaceExamples examples = examples_for(options);
  print_left_out(examples.left_out);
  const face::Layout layout = layout_for(options, examples.points);
  const double read_ms = watch.lap();

  face::TrainSettings& settings = options.settings;
  settings.mirrored = !options.no_mirror && !layout.mirror.empty();
  settings.quality = !options.no_quality;
  settings.project_out = !options.no_project_out;
  settings.resampled = !options.no_resampling;
  if (options.drawn > 0) set_for_drawn(settings);
  if (options.small) {
    settings.pixels = small_pixels;
    settings.levels = 1;
    settings.gradient = face::TrainSettings::Gradient::none;
    settings.project_out = false;
  }
  settings.seed = options.common.seed;
  settings.threads = options.common.compute.threads;
  TrainProgress progress;
  settings.progress = progress.teller();
  face::Model model = train(options, examples, layout);
  progress.end();
  model.note = options.note;
  const double train_ms = watch.lap();
  if (detector) {
    if (const auto placement = detector_placement(model, examples, *detector)) model.detector_box = *placement;
  } else if (options.drawn > 0 && !options.no_detector) {
    model.detector_box = synth::opencv_detector_box;
  }
  const double detect_ms = watch.lap();
  io::write_face_model(options.out, model,
                       options.small ? io::FaceModelPrecision::small : io::FaceModelPrecision::full);
  report(options, model, examples, read_ms, train_ms, detect_ms);
}

void add_model_options(Verb verb, FaceTrainOptions& options) {
  face::TrainSettings& settings = options.settings;
  verb = verb.under("The model");
  verb.option("--pixels", settings.pixels, "N", "Pixels of the finest texture, exactly")
      .between(64, 1 << 20)
      .show_default();
  verb.option("--levels", settings.levels, "N",
              "Number of resolutions, each with a quarter of the pixels of the one before")
      .between(1, 8)
      .show_default();
  verb.choice<face::Features>("--features", settings.features, "Features of a texture",
                              {{"intensity", face::Features::intensity},
                               {"orientation", face::Features::orientation},
                               {"edges", face::Features::edges}});
  verb.flag("--no-resampling", options.no_resampling, "Sample from the image itself, as in the paper (intensity only)");
  verb.flag("--no-mirror", options.no_mirror, "Do not add mirrored copies of the faces");
  const auto share = [&](const char* flag, double& value, const char* what) {
    verb.option(flag, value, "SHARE", what).between(0.01, 1.0).show_default();
  };
  share("--shape-variance", settings.shape_variance, "Share of the variance of shapes that modes keep");
  share("--texture-variance", settings.texture_variance, "Share of the variance of textures that modes keep");
  share("--combined-variance", settings.combined_variance, "Share of the variance of both that modes keep");
  const auto modes = [&](const char* flag, std::uint32_t& value, const char* what) {
    verb.option(flag, value, "N", what).between(0, 4096);
  };
  modes("--shape-modes", settings.shape_modes, "Number of modes, in place of a share");
  modes("--texture-modes", settings.texture_modes, "Number of modes, in place of a share");
  modes("--combined-modes", settings.combined_modes, "Number of modes, in place of a share");
  verb.choice<face::TrainSettings::Gradient>("--gradient", settings.gradient,
                                             "Estimation of the matrix R of the combined model",
                                             {{"derivative", face::TrainSettings::Gradient::derivative},
                                              {"regression", face::TrainSettings::Gradient::regression},
                                              {"none", face::TrainSettings::Gradient::none}});
  verb.option("--cascade", settings.cascade_stages, "N", "Number of regressions in the cascade; 0: none")
      .between(0, 64)
      .show_default();
  verb.option("--displacements", settings.displacements, "N",
              "Number of displaced copies of each face, for cascade and regression")
      .between(1, 1000)
      .show_default();
  verb.flag("--no-project-out", options.no_project_out, "Leave out the matrices for project-out fits");
  verb.flag("--small", options.small,
            "Only what the default sequence needs: one level of 4096 pixels, matrices in 16 bits");
  verb.flag("--no-quality", options.no_quality, "Do not learn the probability of failure: faster");
}

}  // namespace

void add_face_train(Verb parent, Task& task) {
  Verb verb =
      parent.add("train", "Train an appearance model on pictures with landmarks or on drawn faces, or refine one");
  const auto options = std::make_shared<FaceTrainOptions>();
  add_image_options(verb, options->images, false);
  verb.option("--start", options->start, "shipped|M.kface",
              "Refine this model, or the one that ships, in place of a new one");
  verb.option("--film", options->film, "VIDEO|DIR",
              "With --start, in place of --images: a film or pictures of one person without landmarks");
  verb.flag("--sequence", options->sequence, "The pictures of --film are consecutive frames of one camera");
  verb.option("--drawn", options->drawn, "N",
              "In place of --images: learn from this many synthetic faces, drawn while they are needed")
      .between(3, 1000000);
  verb.option("--out", options->out, "M.kface", "The model file to write").required();
  verb.option("--layout", options->layout, "layout.json",
              "Meaning of the landmarks: groups, mirror pairs, triangles (68 of iBUG and 73 of IMM are known)");
  verb.option("--detector", options->detector, "FILE",
              "Face detector whose boxes are learned, in place of OpenCV's own");
  verb.flag("--no-detector", options->no_detector, "Do not learn the placement of the detector's boxes");
  verb.flag("--learn-detector", options->learn_detector,
            "With --drawn: learn that placement from drawn faces too, in place of the stored one");
  verb.option("--note", options->note, "TEXT", "A line of text kept in the model");
  add_model_options(verb, *options);
  add_common_options(verb, options->common);
  verb.chosen([options, &task] { task.run = [options](const Ranks&) { run(*options); }; });
}

}  // namespace kinema::app
