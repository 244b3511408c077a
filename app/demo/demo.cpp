// kinema demo: a walking person and a moving head are tracked, and faces fitted; all are compared with the truth, and
// the likelihood of the body tracker with the reference. The results are shown on a page.
#include "app/demo/demo.h"
#include "app/options/interrupt.h"
#include "app/options/options.h"
#include "app/page/view.h"
#include "core/stopwatch.h"
#include "io/files/input_file.h"
#include "io/files/output_file.h"
#include "io/pictures/image_file.h"
#include "kinema/error.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

namespace kinema::app {
namespace {

// The demo on the live page: each part is shown while it is tracked, and remains available for review.
class DemoView {
public:
  explicit DemoView(const ViewOptions& options);

  // One per part: sets its observer.
  void show(WalkSettings& walk);
  void show(HeadDemoSettings& head);
  void show(FaceDemoSettings& face);

  /// Until Ctrl-C.
  void wait();

private:
  View view_;
  serve::BodyFeed body_;
  serve::HeadFeed head_;
  std::optional<serve::FaceFeed> face_;  // once there is a model
};

DemoView::DemoView(const ViewOptions& options)
    : view_(options),
      body_(view_.hub().channel("body"), "a walking person, simulated", 0),
      head_(view_.hub().channel("head"), "a synthetic head", 0) {
  view_.hub().channel("face");
}

void DemoView::show(WalkSettings& walk) {
  walk.watch = [this](const io::Frame& frame, body::Tracker& tracker, const body::Estimate& estimate) {
    app::show(body_, frame, tracker, estimate);
  };
}

void DemoView::show(HeadDemoSettings& head) {
  body_.finish();
  head.watch = [this](const io::Frame& frame, const head::Estimate& estimate, const head::Tracker& tracker) {
    head_.add(frame.index, frame.time, frame.colour, estimate, tracker);
  };
}

void DemoView::show(FaceDemoSettings& face) {
  head_.finish();
  face.watch = [this](std::int64_t frame, const io::Picture& picture, const face::Estimate& seen,
                      const std::shared_ptr<const face::Model>& model) {
    if (!face_) {
      face_.emplace(view_.hub().channel("face"), "a synthetic face", model);
      // of few faces, it fits those that it was drawn with; for the viewer's own it is the last resort
      if (!view_.faces().model()) view_.faces().set_model(model);
    }
    face_->add(frame, picture, seen);
  };
}

void DemoView::wait() {
  if (face_) face_->finish();
  view_.wait();
}

// Throws Error if the folder holds a recording or images that are not the demo's, which must not be replaced: the demo
// leaves its clip, and its boxes, beside them.
void check_folder(const std::filesystem::path& folder) {
  for (const auto& [made, beside] : {std::pair{"walk", "motion.bvh"}, {"head", "head-boxes.txt"}}) {
    if (!io::is_there(folder / made) || io::is_there(folder / beside)) continue;
    throw Error(fmt::format("{}: exists already and was not made by the demo: give another folder with --out",
                            (folder / made).string()));
  }
}

struct DemoOptions {
  CommonOptions common;
  std::string out = "kinema-demo";
  std::size_t frames = 60;
  ViewOptions view;
};

constexpr std::size_t weighed_points = 43000, weighed_samples = 400;

// Far above rounding errors and far below the effect of a pose: beyond it something is broken.
constexpr double largest_difference = 1e-3;

void weigh(LikelihoodDemo& demo) {
  const auto likelihood = body::make_likelihood(demo.settings, demo.compute);
  Stopwatch watch;
  demo.points = likelihood->set_points({demo.problem.points.data(), demo.problem.points.size() / 3, {}});
  demo.set_points_ms = watch.lap();
  demo.log_likelihood.resize(weighed_samples);
  likelihood->evaluate({demo.problem.capsules.data(), weighed_samples, bench::person_capsules, body::capsule_floats},
                       demo.log_likelihood);
  demo.evaluate_ms = watch.lap();
  demo.stages = likelihood->times();

  const std::vector<double>& log_p = demo.log_likelihood;
  demo.best_other = static_cast<std::size_t>(std::max_element(log_p.begin() + 1, log_p.end()) - log_p.begin());
  demo.true_rank = 1 + static_cast<std::size_t>(
                           std::count_if(log_p.begin(), log_p.end(), [&](double other) { return other > log_p[0]; }));
}

void check_against_reference(LikelihoodDemo& demo) {
  const auto reference = body::make_likelihood(demo.settings, Backend::reference);
  reference->set_points({demo.problem.points.data(), demo.problem.points.size() / 3, {}});
  const std::size_t chosen[] = {0, demo.best_other, weighed_samples / 3, weighed_samples - 1};
  Stopwatch watch;
  for (std::size_t sample : chosen) {
    double expected = 0;
    reference->evaluate({demo.capsules(sample), 1, bench::person_capsules, body::capsule_floats}, {&expected, 1});
    const double difference = std::abs(demo.log_likelihood[sample] - expected) / std::max(std::abs(expected), 1e-300);
    if (!(difference <= largest_difference)) {
      throw Error(fmt::format("the {} backend gives sample {} the log-likelihood {}, the reference {}: this build "
                              "computes wrong results on this machine",
                              name(demo.compute.backend), sample, demo.log_likelihood[sample], expected),
                  Error::Cause::running);
    }
    demo.difference = std::max(demo.difference, difference);
    ++demo.checked;
  }
  demo.reference_ms = watch.lap();
}

nlohmann::ordered_json summary(const Walk& walk) {
  const Evaluation& evaluation = walk.evaluation;
  nlohmann::ordered_json json;
  json["frames"] = walk.counts.frames;
  json["found"] = walk.counts.found;
  json["mode"] = walk.mode;
  json["fps"] = walk.counts.frames_per_second();
  json["mean_mm"] = evaluation.all.mean_mm;
  json["within_100mm"] = evaluation.within_100mm_of_truth;
  json["normalised_error"] = nullptr;
  if (const auto normalised = evaluation.all.normalised_error) {
    json["normalised_error"] = *normalised;
    json["deviations"] = verdict(*normalised);
  }
  json["pictures"] = walk.strip.size();
  json["video"] = walk.no_video.empty();
  return json;
}

nlohmann::ordered_json summary(const HeadDemo& head) {
  nlohmann::ordered_json json;
  json["frames"] = head.counts.frames;
  json["found"] = head.counts.found;
  json["score"] = head.score;
  json["fps"] = head.counts.frames_per_second();
  json["mean_px"] = head.mean_px;
  json["worst_px"] = head.worst_px;
  json["mean_of_face_width"] = head.errors.mean;
  json["distance_percent"] = head.distance_percent;
  json["jitter_px"] = nullptr;
  if (head.jitter_px) json["jitter_px"] = *head.jitter_px;
  json["calibrate_ms"] = head.calibrate_ms;
  json["video"] = head.no_video.empty();
  return json;
}

nlohmann::ordered_json summary(const FaceDemo& face) {
  nlohmann::ordered_json json;
  json["trained"] = face.trained;
  json["pixels"] = face.pixels;
  json["tested"] = face.test.faces.size();
  json["mean_error"] = face.test.all.mean;
  json["failures"] = face.test.all.failures;
  json["clip"] = {{"frames", face.clip_frames}, {"found", face.clip_found}, {"mean_error", face.clip_error}};
  json["pictures"] = face.strip.size();
  json["video"] = face.no_video.empty();
  return json;
}

nlohmann::ordered_json summary(const LikelihoodDemo& demo) {
  nlohmann::ordered_json json;
  json["backend"] = name(demo.compute.backend);
  json["points"] = demo.problem.points.size() / 3;
  json["dropped"] = demo.points.dropped;
  json["samples"] = demo.samples();
  json["capsules"] = bench::person_capsules;
  json["ms"] = {{"make", demo.make_ms},
                {"set_points", demo.set_points_ms},
                {"evaluate", demo.evaluate_ms},
                {"reference", demo.reference_ms},
                {"stages", nlohmann::ordered_json::object()}};
  for (const StageTime& time : demo.stages) json["ms"]["stages"][time.stage] = time.ms;
  json["results"] = {
      {"true_pose", {{"sample", 0}, {"rank", demo.true_rank}, {"log_likelihood", demo.log_likelihood[0]}}},
      {"best_other", {{"sample", demo.best_other}, {"log_likelihood", demo.log_likelihood[demo.best_other]}}},
      {"agreement", {{"samples", demo.checked}, {"largest_relative_difference", demo.difference}}}};
  return json;
}

void print_rows(const char* title, const std::vector<DemoRow>& rows) {
  fmt::print("{}\n", title);
  for (const DemoRow& row : rows) fmt::print("  {:<10} {}\n", row.label, row.text);
}

void print_all(const std::filesystem::path& folder, const Walk& walk, const HeadDemo& head, const FaceDemo& face,
               const LikelihoodDemo& demo) {
  print_rows("A walking person, followed", walk_rows(walk));
  print_rows("\nA synthetic head, followed", head_rows(head));
  print_rows("\nFaces, fitted", face_rows(face));
  print_rows("\nThe likelihood of poses, on a person made of capsules", likelihood_rows(demo));
  fmt::print(
      "\n{} shows it all; beside it: walk/ (the recording), poses.jsonl, walk.bvh{}, filter.json, head.csv{}, "
      "face.kface, face.jsonl, likelihood.json\n",
      (folder / "demo.html").string(), walk.no_video.empty() ? ", walk.mp4, face.mp4" : "",
      head.no_video.empty() ? ", head/, head.mp4" : "");
}

void run(DemoOptions options) {
  const Interrupt interrupt;
  // a line on standard error before work that takes seconds
  const auto begin = [&](const char* part) {
    if (interrupt.asked()) throw Error("stopped before the page was made", Error::Cause::running);
    warn(stderr, "{}", part);
  };
  LikelihoodDemo demo;
  check_devices(options.common);
  demo.compute = choose(options.common.compute);
  const std::filesystem::path folder = options.out;
  io::make_folder(folder);
  check_folder(folder);
  io::OutputFile page(folder / "demo.html"), numbers(folder / "likelihood.json");
  std::optional<DemoView> view;
  if (options.view.wanted) view.emplace(options.view);

  begin("weighing poses of a person made of capsules");
  Stopwatch watch;
  demo.problem = bench::make_body_problem(weighed_points, weighed_samples, options.common.seed);
  demo.make_ms = watch.lap();
  weigh(demo);
  check_against_reference(demo);
  watch.lap();

  begin("simulating a walking person, and following it");
  WalkSettings walk_settings{folder, options.frames, demo.compute, options.common.seed};
  if (view) view->show(walk_settings);
  const Walk walk = follow_walk(walk_settings);

  begin("filming a synthetic head, and following it");
  HeadDemoSettings head_settings{folder, options.frames, demo.compute, options.common.seed};
  if (view) view->show(head_settings);
  const HeadDemo head = follow_head(head_settings);

  begin("training on synthetic faces, and fitting others");
  FaceDemoSettings face_settings{folder, demo.compute, options.common.seed};
  if (view) view->show(face_settings);
  const FaceDemo face = fit_demo_faces(face_settings);

  nlohmann::ordered_json json = summary(demo);
  json["ms"]["simulate"] = walk.simulate_ms;
  json["ms"]["track"] = walk.track_ms;
  json["ms"]["faces"] = face.make_ms;
  json["ms"]["train_face"] = face.train_ms;
  json["ms"]["clip"] = face.clip_ms;
  json["results"]["walk"] = summary(walk);
  json["results"]["head"] = summary(head);
  json["results"]["face"] = summary(face);
  nlohmann::ordered_json with_samples = json;
  with_samples["results"]["log_likelihood"] = demo.log_likelihood;
  numbers.write(with_samples.dump(1) + "\n");
  page.write(report::to_html(demo_report(walk, head, face, demo)));
  numbers.commit();
  page.commit();
  if (options.common.json) {
    print_json(json);
  } else {
    print_all(folder, walk, head, face, demo);
  }
  if (view) view->wait();
}

}  // namespace

Film::Film(FilmStrip& made, const std::filesystem::path& video, double fps, std::size_t frames, std::string shots)
    : made_(made),
      folder_(video.parent_path() / "frames"),
      frames_(frames),
      shots_(std::move(shots)),
      video_(std::in_place, video, fps) {
  io::make_folder(folder_);
}

void Film::add(std::int64_t frame, double time, const io::Picture& overlay,
               const std::function<io::Picture(const io::Picture&)>& shot) {
  try {
    if (video_) video_->add(overlay, frame);
  } catch (const Error& error) {
    made_.no_video = error.what();  // no encoder: the images are enough
    video_.reset();
  }
  const std::size_t next = made_.strip.size() * (frames_ - 1) / (strip_length - 1);
  if (made_.strip.size() == strip_length || static_cast<std::size_t>(frame) < next) return;
  const io::Picture picture = shot(overlay);
  const std::filesystem::path path = folder_ / fmt::format("{}{:06}.png", shots_, frame);
  io::write_picture_png(path, picture);
  made_.strip.push_back({static_cast<long>(frame), time, picture.width, picture.height, io::read_bytes(path)});
}

void Film::commit() {
  if (video_) video_->commit();
}

void add_demo(Verb parent, Task& task) {
  Verb verb = parent.add("demo", "A first look: track a walking person, a head and faces, and write a page");
  const auto options = std::make_shared<DemoOptions>();
  verb.option("--out", options->out, "DIR", "Folder for the page, the recording and the results").show_default();
  verb.option("--frames", options->frames, "N", "At most N frames of each; the walk has 86")
      .between(2, 1000)
      .show_default();
  add_view_options(verb, options->view);
  add_common_options(verb, options->common);
  verb.chosen([options, &task] { task.run = [options](const Ranks&) { run(*options); }; });
}

}  // namespace kinema::app
