// kinema face evaluate: fits compared with manual landmarks.
#include "app/face/face_evaluation.h"
#include "app/options/options.h"
#include "core/stopwatch.h"
#include "io/files/input_file.h"
#include "io/files/output_file.h"
#include "io/overlays/face_overlay.h"
#include "io/overlays/picture_words.h"
#include "io/pictures/image_file.h"
#include "kinema/error.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>

namespace kinema::app {
namespace {

// CBOR, which keeps every bit of a number.
std::string packed(const std::vector<FaceError>& faces) {
  nlohmann::json all = nlohmann::json::array();
  for (const FaceError& face : faces) {
    all.push_back({face.example, nlohmann::json::binary({face.name.begin(), face.name.end()}), face.fitted, face.why,
                   face.start, face.all, face.inner, face.failure, face.landmarks, face.landmark_errors,
                   face.confidence});
  }
  std::string text;
  nlohmann::json::to_cbor(all, text);
  return text;
}

void unpack(const std::string& text, std::vector<FaceError>& faces) {
  for (const nlohmann::json& values : nlohmann::json::from_cbor(text)) {
    FaceError& face = faces.emplace_back();
    values[0].get_to(face.example);
    face.name.assign(values[1].get_binary().begin(), values[1].get_binary().end());
    values[2].get_to(face.fitted);
    values[3].get_to(face.why);
    values[4].get_to(face.start);
    values[5].get_to(face.all);
    values[6].get_to(face.inner);
    values[7].get_to(face.failure);
    values[8].get_to(face.landmarks);
    values[9].get_to(face.landmark_errors);
    values[10].get_to(face.confidence);
  }
}

// The first rank gets the faces of all, in the order of the ranks; the others keep none.
void gather_faces(const Ranks& ranks, std::vector<FaceError>& faces) {
  std::string mine;
  ranks.together([&] { mine = packed(faces); });  // and a rank that has failed before is noticed here
  const std::vector<std::string> texts = ranks.gather(mine);
  faces.clear();
  for (const std::string& text : texts) unpack(text, faces);
}

using nlohmann::ordered_json;

struct FaceEvaluateOptions {
  CommonOptions common;
  FitOptions fit;
  ImageOptions images;
  FaceEvaluationSettings settings;
  std::string init = "perturbed", detector, out;
  std::size_t worst = 16;
};

ordered_json summary_json(const FaceErrorSummary& error) {
  if (error.count == 0) return {{"count", 0}, {"mean", nullptr}, {"failures", error.failures}, {"auc_0.08", error.auc}};
  return {{"count", error.count}, {"mean", error.mean},         {"median", error.median},
          {"p95", error.p95},     {"failures", error.failures}, {"auc_0.08", error.auc}};
}

ordered_json reliability_json(const std::vector<ReliabilityBin>& bins) {
  ordered_json json = ordered_json::array();
  for (const ReliabilityBin& bin : bins) {
    json.push_back({{"from", bin.from},
                    {"to", bin.to},
                    {"count", bin.count},
                    {"told", bin.predicted},
                    {"happened", bin.observed}});
  }
  return json;
}

ordered_json score_json(const FaceEvaluation& evaluation) {
  ordered_json score{{"roc_area", nullptr}, {"expected_failures", evaluation.expected_failures}};
  if (evaluation.roc_area) score["roc_area"] = *evaluation.roc_area;
  score["calibration_error"] = calibration_error(failure_reliability(evaluation));
  score["reliability"] = reliability_json(failure_reliability(evaluation));
  score["landmark_reliability"] = reliability_json(landmark_reliability(evaluation));
  return score;
}

ordered_json to_json(const FaceEvaluateOptions& options, const FaceEvaluation& evaluation, const FaceExamples& examples,
                     double read_ms) {
  ordered_json results = summary_json(evaluation.all);
  results["points"] = evaluation.landmarks;
  results["not_found"] = evaluation.missing;
  if (evaluation.inner) results["points_49"] = summary_json(*evaluation.inner);
  if (evaluation.scored) results["score"] = score_json(evaluation);
  std::vector<double> at;
  for (int i = 0; i <= 16; ++i) at.push_back(0.005 * i);
  results["curve"] = {{"error", at}, {"share", cumulative(evaluation, false, at)}};
  results["by_image"] = ordered_json::array();
  for (const FaceError& face : evaluation.faces) {
    ordered_json line{{"file", face.name}, {"error", nullptr}};
    if (face.fitted) {
      line["error"] = face.all;
      if (evaluation.inner) line["error_49"] = face.inner;
      line["start_error"] = face.start;
      line["failure"] = face.failure;
    } else {
      line["why"] = face.why;
    }
    results["by_image"].push_back(std::move(line));
  }
  ordered_json json;
  json["backend"] = name(evaluation.backend);
  json["stages"] = places_json(evaluation.stages);
  json["model"] = options.fit.model;
  json["images"] = options.images.images;
  json["init"] = options.init;
  json["faces"] = examples.size();
  json["fits"] = evaluation.faces.size();
  json["left_out"] = examples.left_out;
  json["ranks"] = options.settings.parts;
  json["stopped"] = evaluation.stopped;
  json["ms"] = {{"read", read_ms}, {"start", evaluation.detect_ms}, {"fit", evaluation.fit_ms}};
  json["results"] = std::move(results);
  return json;
}

void print_row(const std::string& name, const FaceErrorSummary& error) {
  fmt::print("{:<10} {:>8.2f} {:>8.2f} {:>8.2f} {:>10.1f} {:>8.3f}\n", name, 100 * error.mean, 100 * error.median,
             100 * error.p95, 100 * error.failures, error.auc);
}

void print_reliability(const char* what, const std::vector<ReliabilityBin>& bins) {
  if (bins.empty()) return;
  fmt::print("{:<32} {:>8} {:>10} {:>9}\n", what, "number", "predicted", "observed");
  for (const ReliabilityBin& bin : bins) {
    fmt::print("  {:>4.0f} to {:>3.0f} % {:<17} {:>8} {:>9.1f}% {:>8.1f}%\n", 100 * bin.from, 100 * bin.to, "",
               bin.count, 100 * bin.predicted, 100 * bin.observed);
  }
}

void print_table(const FaceEvaluateOptions& options, const FaceEvaluation& evaluation) {
  fmt::print("{}{} fits on {}, starts: {}; errors in % of the outer-eye distance\n\n",
             evaluation.stopped ? "stopped; " : "", evaluation.faces.size(), places_text(evaluation.stages),
             options.init);
  fmt::print("{:<10} {:>8} {:>8} {:>8} {:>10} {:>8}\n", "points", "mean", "median", "95 %", "over 8 %", "AUC");
  print_row(fmt::format("all {}", evaluation.landmarks), evaluation.all);
  if (evaluation.inner) print_row("49", *evaluation.inner);
  double start = 0;
  for (const FaceError& face : evaluation.faces) start += face.start;
  const auto fitted = static_cast<double>(evaluation.faces.size() - evaluation.missing);
  fmt::print("\nstarts were off by {:.2f} % on average; a fit took {:.2f} ms\n", fitted > 0 ? 100 * start / fitted : 0,
             fitted > 0 ? evaluation.fit_ms / fitted : 0);
  if (evaluation.missing > 0) fmt::print("without a start, counted as failed: {}\n", evaluation.missing);
  if (evaluation.scored) {
    fmt::print("the score: {}; it expects {:.1f} failures, and there are {:.0f}\n",
               evaluation.roc_area ? fmt::format("ROC area {:.3f}", *evaluation.roc_area) : "nothing to separate",
               evaluation.expected_failures,
               evaluation.all.failures * static_cast<double>(evaluation.faces.size()) -
                   static_cast<double>(evaluation.missing));
    print_reliability("probability of failure", failure_reliability(evaluation));
    print_reliability("confidence of landmarks", landmark_reliability(evaluation));
  }
  fmt::print("worst:");
  const std::vector<std::size_t> order = evaluation.worst_first();
  for (std::size_t i = 0; i < std::min<std::size_t>(5, order.size()); ++i) {
    const FaceError& face = evaluation.faces[order[i]];
    fmt::print(" {} ({})", face.name, face.fitted ? fmt::format("{:.1f} %", 100 * face.all) : face.why);
  }
  fmt::print("\n");
}

// The worst faces, fit and truth, side by side; a face with several starts appears with its worst fit.
io::Picture worst_picture(const FaceEvaluateOptions& options, const FaceEvaluation& evaluation,
                          const FaceExamples& examples, const face::Model& model) {
  constexpr int side = 240;
  std::vector<io::Picture> pictures;
  std::set<std::size_t> seen;
  for (std::size_t i : evaluation.worst_first()) {
    if (pictures.size() >= options.worst) break;
    const FaceError& face = evaluation.faces[i];
    if (!seen.insert(face.example).second) continue;
    const std::vector<float>& labels = examples.landmarks[face.example];
    const io::Picture whole = io::read_face_picture(examples.files[face.example].image);
    std::array<int, 2> corner{};
    io::Picture part = io::cut_about(whole, labels, 0.25, corner);
    const double scale = 2.0 * side / std::max(part.width, part.height);
    part = io::resized(part, std::max(1, static_cast<int>(part.width * scale)),
                       std::max(1, static_cast<int>(part.height * scale)));
    const auto moved = [&](std::vector<float> landmarks) {
      for (std::size_t k = 0; k < landmarks.size(); ++k) {
        landmarks[k] = static_cast<float>((static_cast<double>(landmarks[k]) - corner[k % 2] + 0.5) * scale - 0.5);
      }
      return landmarks;
    };
    io::FaceDrawing truth;
    truth.mesh = false;
    truth.truth = true;
    io::draw_landmarks(part, moved(labels), model.layout, model.triangles, truth);
    const std::string caption = face.fitted ? fmt::format("{:.1f} %", 100 * face.all) : face.why;
    io::FaceDrawing fit;
    fit.mesh = false;
    fit.caption = caption;
    if (face.fitted) {
      io::draw_landmarks(part, moved(face.landmarks), model.layout, model.triangles, fit);
    } else {
      io::draw_words(part, caption, {});
    }
    pictures.push_back(std::move(part));
  }
  return io::contact_sheet(pictures, 4, side, side);
}

void write_report(const FaceEvaluateOptions& options, const FaceEvaluation& evaluation, const FaceExamples& examples,
                  const face::Model& model, const ordered_json& json) {
  const std::filesystem::path folder = options.out;
  io::OutputFile json_file(folder / "evaluate.json"), page_file(folder / "evaluate.html");
  report::Pictures::Picture worst;
  if (options.worst > 0) {
    const io::Picture picture = worst_picture(options, evaluation, examples, model);
    io::write_picture_png(folder / "worst.png", picture);
    worst = {io::read_bytes(folder / "worst.png"), picture.width, picture.height, "the worst faces", ""};
  }
  json_file.write(json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n");
  page_file.write(report::to_html(
      face_evaluation_report(evaluation, options.fit.model, options.images.images.front(), options.init, worst)));
  json_file.commit();
  page_file.commit();
}

void run(FaceEvaluateOptions& options, const Ranks& ranks) {
  FaceEvaluationSettings& settings = options.settings;
  check_devices(options.common);
  divide_machine(ranks, options.common);
  choose(options.common.compute.backend);  // refuses what is not there before anything is read
  settings.compute = options.common.compute;
  settings.part = ranks.rank();
  settings.parts = ranks.count();
  if (ranks.count() > 1) settings.gather = [&](std::vector<FaceError>& faces) { gather_faces(ranks, faces); };
  settings.seed = options.common.seed;
  settings.fit = fit_settings(options.fit);
  std::optional<io::FaceDetector> detector;
  std::optional<io::Starts> starts;
  settings.start = options.init == "perturbed" ? FaceStart::perturbed
                   : options.init == "detect"  ? FaceStart::detect
                                               : FaceStart::given;
  if (settings.start == FaceStart::detect) detector.emplace(options.detector);
  if (!options.out.empty() && ranks.first()) io::make_folder(options.out);

  const auto model = fit_model(options.fit);
  if (settings.start == FaceStart::given) starts.emplace(options.init, model->shape.landmarks());
  Stopwatch watch;
  const FaceExamples examples = read_examples(options.images);
  if (ranks.first()) print_left_out(examples.left_out);
  const double read_ms = watch.lap();
  const FaceEvaluation evaluation =
      evaluate_faces(model, examples, settings, detector ? &*detector : nullptr, starts ? &*starts : nullptr);
  if (!ranks.first()) return;
  if (evaluation.faces.empty()) throw Error("stopped before the first face was fitted", Error::Cause::running);
  const ordered_json json = to_json(options, evaluation, examples, read_ms);
  if (!options.out.empty()) write_report(options, evaluation, examples, *model, json);
  if (options.common.json)
    print_json(json);
  else
    print_table(options, evaluation);
}

}  // namespace

void add_face_evaluate(Verb parent, Task& task) {
  Verb verb = parent.add("evaluate", "Measure fits against labelled landmarks");
  const auto options = std::make_shared<FaceEvaluateOptions>();
  add_fit_options(verb, options->fit);
  add_image_options(verb, options->images);
  verb.option("--init", options->init, "perturbed|detect|start.jsonl",
              "Where fits start: the true pose with noise, the face detector, or boxes or points by picture")
      .show_default();
  FaceEvaluationSettings& settings = options->settings;
  verb.option("--shift", settings.shift, "SHARE",
              "Noise of perturbed starts: shift over the landmarks' box, standard deviation")
      .between(0.0, 10.0)
      .show_default();
  verb.option("--scale", settings.scale, "SHARE", "The same for the size").between(0.0, 0.3).show_default();
  verb.option("--turn", settings.turn, "DEG", "The same for the rotation, degrees").between(0.0, 180.0).show_default();
  verb.option("--tries", settings.tries, "N", "Perturbed starts per face, each with noise of its own")
      .between(1, 1000)
      .show_default();
  verb.option("--detector", options->detector, "FILE", "A cascade (.xml) or network (.onnx) in place of OpenCV's own");
  verb.option("--out", options->out, "DIR", "Folder for evaluate.json, evaluate.html and worst.png");
  verb.option("--worst", options->worst, "N", "Number of faces in the picture of the worst")
      .between(0, 200)
      .show_default();
  add_common_options(verb, options->common);
  verb.chosen([options, &task] {
    task.shared = true;
    task.run = [options](const Ranks& ranks) { ranks.together([&] { run(*options, ranks); }); };
  });
}

}  // namespace kinema::app
