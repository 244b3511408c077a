// kinema body evaluate: poses compared with the truth.
#include "app/body/evaluation.h"
#include "app/body/evaluation_report.h"
#include "app/body/people_evaluation.h"
#include "app/options/options.h"
#include "core/stopwatch.h"
#include "io/files/output_file.h"
#include "io/motion/poses.h"
#include "kinema/error.h"

#include <filesystem>
#include <memory>

namespace kinema::app {
namespace {

using nlohmann::ordered_json;

struct BodyEvaluateOptions {
  CommonOptions common;
  std::string poses, truth, out;
};

ordered_json summary_json(const ErrorSummary& error) {
  if (error.count == 0) return {{"count", 0}, {"mean_mm", nullptr}};
  ordered_json json{{"count", error.count},   {"mean_mm", error.mean_mm},           {"median_mm", error.median_mm},
                    {"p95_mm", error.p95_mm}, {"within_100mm", error.within_100mm}, {"normalised_error", nullptr}};
  if (error.normalised_error) json["normalised_error"] = *error.normalised_error;
  return json;
}

ordered_json summary_json(const AngleErrors& error) {
  return {{"count", error.count},
          {"mean_degrees", error.mean_degrees},
          {"median_degrees", error.median_degrees},
          {"p95_degrees", error.p95_degrees}};
}

ordered_json frame_json(const FrameEvaluation& frame) {
  ordered_json json;
  if (frame.frame) json["frame"] = *frame.frame;
  if (frame.time) json["time"] = *frame.time;
  json["mean_mm"] = nullptr;
  if (frame.joints == 0) return json;
  json["mean_mm"] = frame.mean_mm;
  json["worst_mm"] = frame.worst_mm;
  json["worst_joint"] = frame.worst_joint;
  return json;
}

ordered_json to_json(const Evaluation& evaluation, const BodyEvaluateOptions& options, double read_ms,
                     double evaluate_ms) {
  ordered_json results = summary_json(evaluation.all);
  results["within_100mm_of_truth"] = evaluation.within_100mm_of_truth;
  if (evaluation.all.normalised_error) results["deviations"] = verdict(*evaluation.all.normalised_error);
  results["by_joint"] = ordered_json::object();
  for (const JointEvaluation& joint : evaluation.joints) {
    results["by_joint"][joint.name] = summary_json(joint.error);
    results["by_joint"][joint.name]["missing"] = joint.missing;
  }
  if (!evaluation.angles.empty()) {
    results["angles"] = summary_json(evaluation.all_angles);
    for (const AngleEvaluation& angle : evaluation.angles) {
      results["angles"]["by_angle"][angle.name] = summary_json(angle.error);
    }
  }
  results["by_frame"] = ordered_json::array();
  for (const FrameEvaluation& frame : evaluation.frames) results["by_frame"].push_back(frame_json(frame));
  ordered_json json;
  json["backend"] = name(Backend::cpu);  // no tracker runs here
  json["poses"] = options.poses;
  json["truth"] = options.truth;
  json["matched_by"] = evaluation.by_time ? "time" : "frame";
  json["frames"] = {{"truth", evaluation.truth_frames},
                    {"compared", evaluation.compared_frames},
                    {"missing", evaluation.missing_frames},
                    {"longest_missing_run", evaluation.longest_gap},
                    {"poses_without_truth", evaluation.extra_frames}};
  json["joints"] = evaluation.joints.size();
  json["without_deviation"] = evaluation.without_deviation;
  json["ms"] = {{"read", read_ms}, {"evaluate", evaluate_ms}};
  json["results"] = std::move(results);
  return json;
}

void print_row(const std::string& name, const ErrorSummary& error) {
  if (error.count == 0) {
    fmt::print("{:<15} {:>8}\n", name, "none");
    return;
  }
  fmt::print("{:<15} {:>8.1f} {:>8.1f} {:>8.1f} {:>8.1f} %", name, error.mean_mm, error.median_mm, error.p95_mm,
             100 * error.within_100mm);
  if (error.normalised_error)
    fmt::print(" {:>12.2f}\n", *error.normalised_error);
  else
    fmt::print(" {:>12}\n", "-");
}

void print_row(const std::string& name, const AngleErrors& error) {
  fmt::print("{:<24} {:>8.1f} {:>8.1f} {:>8.1f}\n", name, error.mean_degrees, error.median_degrees, error.p95_degrees);
}

void print_table(const Evaluation& evaluation) {
  fmt::print("{} of {} frames compared, by {}; joint errors in mm\n\n", evaluation.compared_frames,
             evaluation.truth_frames, evaluation.by_time ? "time" : "frame");
  fmt::print("{:<15} {:>8} {:>8} {:>8} {:>10} {:>12}\n", "joint", "mean", "median", "95 %", "in 100 mm", "normalised");
  for (const JointEvaluation& joint : evaluation.joints) print_row(joint.name, joint.error);
  print_row("all", evaluation.all);
  if (!evaluation.angles.empty()) {
    fmt::print("\nerrors of angles between joint centres, in degrees\n\n");
    fmt::print("{:<24} {:>8} {:>8} {:>8}\n", "angle", "mean", "median", "95 %");
    for (const AngleEvaluation& angle : evaluation.angles) print_row(angle.name, angle.error);
    print_row("all", evaluation.all_angles);
  }
  fmt::print("\nmissing frames: {}, at most {} in a row", evaluation.missing_frames, evaluation.longest_gap);
  if (evaluation.missing_frames > 0 || evaluation.within_100mm_of_truth < evaluation.all.within_100mm) {
    fmt::print("; with what is missing counted as outside, {:.1f} % lie within 100 mm",
               100 * evaluation.within_100mm_of_truth);
  }
  fmt::print("\n");
  if (evaluation.extra_frames > 0) fmt::print("poses without truth, not compared: {}\n", evaluation.extra_frames);
  if (const auto normalised = evaluation.all.normalised_error) {
    fmt::print("stated deviations: normalised error {:.2f}, where 1 is right and 0.5 to 2 is acceptable: {}\n",
               *normalised, verdict(*normalised));
  } else if (evaluation.all.count > 0) {
    fmt::print("stated deviations: none\n");
  }
}

ordered_json to_json(const PeopleEvaluation& people, const BodyEvaluateOptions& options, double read_ms,
                     double evaluate_ms) {
  ordered_json results = summary_json(people.all);
  if (people.all.normalised_error) results["deviations"] = verdict(*people.all.normalised_error);
  results["people"] = {{"frames", people.people},      {"missed", people.missed},
                       {"false", people.false_people}, {"switches", people.switches},
                       {"numbers", people.numbers},    {"mota", people.mota},
                       {"idf1", people.idf1},          {"by_person", ordered_json::array()}};
  for (const PersonEvaluation& person : people.by_person) {
    ordered_json json = summary_json(person.error);
    json.update({{"person", person.person},
                 {"frames", person.frames},
                 {"missed", person.missed},
                 {"switches", person.switches}});
    results["people"]["by_person"].push_back(std::move(json));
  }
  ordered_json json;
  json["backend"] = name(Backend::cpu);  // no tracker runs here
  json["poses"] = options.poses;
  json["truth"] = options.truth;
  json["matched_by"] = "frame";
  json["frames"] = {{"truth", people.frames}};
  json["ms"] = {{"read", read_ms}, {"evaluate", evaluate_ms}};
  json["results"] = std::move(results);
  return json;
}

void print_table(const PeopleEvaluation& people) {
  fmt::print("{} frames with {} people; joint errors in mm\n\n", people.frames, people.by_person.size());
  fmt::print("{:<8} {:>7} {:>7} {:>9} {:>8} {:>10} {:>12}\n", "person", "frames", "missed", "switches", "mean",
             "in 100 mm", "normalised");
  const auto row = [](const std::string& name, std::size_t frames, std::size_t missed, std::size_t switches,
                      const ErrorSummary& error) {
    fmt::print("{:<8} {:>7} {:>7} {:>9} {:>8.1f} {:>8.1f} % {:>12.2f}\n", name, frames, missed, switches, error.mean_mm,
               100 * error.within_100mm, error.normalised_error.value_or(0));
  };
  for (const PersonEvaluation& person : people.by_person)
    row(std::to_string(person.person), person.frames, person.missed, person.switches, person.error);
  row("all", people.people, people.missed, people.switches, people.all);
  fmt::print("\nfalse people: {}; numbers given: {}; MOTA {:.3f}, IDF1 {:.3f}\n", people.false_people, people.numbers,
             people.mota, people.idf1);
}

// Prints a comparison, and writes it with its page where a folder is given.
template <class Compared>
void present(const Compared& compared, const ordered_json& json, const report::Report& page,
             const BodyEvaluateOptions& options) {
  if (!options.out.empty()) {
    io::make_folder(options.out);
    const std::filesystem::path folder = options.out;
    io::OutputFile json_file(folder / "evaluate.json"), page_file(folder / "evaluate.html");
    json_file.write(json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n");
    page_file.write(report::to_html(page));
    json_file.commit();
    page_file.commit();
  }
  if (options.common.json)
    print_json(json);
  else
    print_table(compared);
}

void run(const BodyEvaluateOptions& options) {
  Stopwatch watch;
  const PoseFile poses{options.poses, io::read_poses(options.poses)},
      truth{options.truth, io::read_poses(options.truth)};
  const double read_ms = watch.lap();
  if (several_people(poses) || several_people(truth)) {
    const PeopleEvaluation people = evaluate_people(poses, truth);
    present(people, to_json(people, options, read_ms, watch.lap()), people_report(people, options.poses, options.truth),
            options);
    return;
  }
  const Evaluation evaluation = evaluate(poses, truth);
  present(evaluation, to_json(evaluation, options, read_ms, watch.lap()),
          evaluation_report(evaluation, options.poses, options.truth), options);
}

}  // namespace

void add_body_evaluate(Verb parent, Task& task) {
  Verb verb = parent.add("evaluate", "Compare poses with ground truth, by joint and by frame");
  const auto options = std::make_shared<BodyEvaluateOptions>();
  verb.option("--poses", options->poses, "poses.jsonl", "The tracked poses").required();
  verb.option("--truth", options->truth, "truth.jsonl", "The ground truth; joints may have the names of BVH files")
      .required();
  verb.option("--out", options->out, "DIR", "Folder for evaluate.json and evaluate.html, with plots");
  add_common_options(verb, options->common);
  verb.chosen([options, &task] { task.run = [options](const Ranks&) { run(*options); }; });
}

}  // namespace kinema::app
