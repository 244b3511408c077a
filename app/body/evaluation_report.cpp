#include "app/body/evaluation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace kinema::app {
namespace {

using report::Unit;

std::vector<std::string> cells(const std::string& name, const ErrorSummary& error) {
  if (error.count == 0) return {name, "never estimated"};
  return {name,
          fmt::format("{:.1f}", error.mean_mm),
          fmt::format("{:.1f}", error.median_mm),
          fmt::format("{:.1f}", error.p95_mm),
          fmt::format("{:.1f} %", 100 * error.within_100mm),
          error.normalised_error ? fmt::format("{:.2f}", *error.normalised_error) : "–"};
}

report::Figures figures(const Evaluation& evaluation) {
  report::Figures figures;
  if (evaluation.all.count > 0) {
    figures.figures.push_back({fmt::format("{:.1f} mm", evaluation.all.mean_mm), "mean joint error"});
    figures.figures.push_back({fmt::format("{:.1f} %", 100 * evaluation.all.within_100mm), "within 100 mm"});
  }
  if (!evaluation.angles.empty()) {
    figures.figures.push_back({fmt::format("{:.1f}°", evaluation.all_angles.mean_degrees), "mean error of flexions"});
  }
  figures.figures.push_back({fmt::format("{} of {}", evaluation.missing_frames, evaluation.truth_frames),
                             fmt::format("frames missing, at most {} in a row", evaluation.longest_gap)});
  if (const auto normalised = evaluation.all.normalised_error) {
    figures.figures.push_back(
        {fmt::format("{:.2f}", *normalised), fmt::format("normalised error (1 is right): {}", verdict(*normalised))});
  }
  return figures;
}

// By frame; or by time since the first frame, since absolute times are too long for labels.
double place(const Evaluation& evaluation, const FrameEvaluation& frame) {
  if (!evaluation.by_time) return static_cast<double>(frame.frame.value_or(0));
  return frame.time.value_or(0) - evaluation.frames.front().time.value_or(0);
}

report::Series series(const Evaluation& evaluation, const char* name, int colour, report::Style style,
                      double FrameEvaluation::*value) {
  report::Series made{name, colour, style, {}};
  for (const FrameEvaluation& frame : evaluation.frames) {
    made.points.push_back(
        {place(evaluation, frame), frame.joints > 0 ? std::optional(frame.*value) : std::nullopt, 0, 0});
  }
  return made;
}

// Runs of missing frames, each extended by half a frame on both sides.
std::vector<report::Plot::Gap> gaps(const Evaluation& evaluation) {
  const auto& frames = evaluation.frames;
  const double span = place(evaluation, frames.back()) - place(evaluation, frames.front());
  const double half = span / static_cast<double>(std::max<std::size_t>(2, frames.size()) - 1) / 2;
  std::vector<report::Plot::Gap> found;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (frames[i].joints > 0) continue;
    const std::size_t first = i;
    while (i + 1 < frames.size() && frames[i + 1].joints == 0) ++i;
    found.push_back({place(evaluation, frames[first]) - half, place(evaluation, frames[i]) + half});
  }
  return found;
}

report::Bars joints_bars(const Evaluation& evaluation) {
  report::Bars bars;
  bars.title = "Error by joint: the mean, with a line to the 95th percentile";
  bars.axis = {"mm", Unit::number, false, {}, {}, false};
  for (const JointEvaluation& joint : evaluation.joints) {
    if (joint.error.count == 0) continue;
    bars.bars.push_back({joint.name, std::round(10 * joint.error.mean_mm) / 10, 2, "", joint.error.p95_mm});
  }
  return bars;
}

report::Table angles_table(const Evaluation& evaluation) {
  report::Table table{"Flexions against the truth", {"angle", "mean, degrees", "median", "95 %"}, 1, {}};
  const auto row = [](const std::string& name, const AngleErrors& error) -> std::vector<std::string> {
    return {name, fmt::format("{:.1f}", error.mean_degrees), fmt::format("{:.1f}", error.median_degrees),
            fmt::format("{:.1f}", error.p95_degrees)};
  };
  for (const AngleEvaluation& angle : evaluation.angles)
    table.rows.push_back({row(angle.name, angle.error), false, false});
  table.rows.push_back({row("all", evaluation.all_angles), false, true});
  return table;
}

}  // namespace

report::Table joints_table(const Evaluation& evaluation) {
  report::Table table{
      "Against the truth, by joint", {"joint", "mean, mm", "median", "95 %", "within 100 mm", "normalised"}, 1, {}};
  for (const JointEvaluation& joint : evaluation.joints)
    table.rows.push_back({cells(joint.name, joint.error), false, false});
  table.rows.push_back({cells("all", evaluation.all), false, true});
  return table;
}

report::Plot frames_plot(const Evaluation& evaluation) {
  report::Plot plot;
  plot.title = "Joint error by frame";
  plot.x.label = evaluation.by_time ? "seconds from the first frame" : "frame";
  plot.y.label = "mm";
  plot.y.from = 0;
  plot.series = {series(evaluation, "worst joint", 1, report::Style::thin, &FrameEvaluation::worst_mm),
                 series(evaluation, "mean of the joints", 2, report::Style::line, &FrameEvaluation::mean_mm)};
  plot.limits = {{false, 100, "100 mm"}};
  plot.gaps = gaps(evaluation);
  if (evaluation.missing_frames > 0) plot.title += "; shaded where frames are missing";
  return plot;
}

report::Report evaluation_report(const Evaluation& evaluation, const std::string& poses, const std::string& truth) {
  report::Section section;
  section.blocks.emplace_back(figures(evaluation));
  if (evaluation.all.count > 0) {
    section.blocks.emplace_back(frames_plot(evaluation));
    section.blocks.emplace_back(joints_bars(evaluation));
  }
  section.blocks.emplace_back(joints_table(evaluation));
  if (!evaluation.angles.empty()) section.blocks.emplace_back(angles_table(evaluation));
  section.blocks.emplace_back(
      report::Text{"Normalised: the mean of |e|² / (3 std²), with the stated standard deviation along each axis. At 1, "
                   "errors are as "
                   "large as stated; 0.5 to 2 is acceptable; above, the tracker is too sure.",
                   ""});
  return {"Poses against truth", fmt::format("{} against {}", poses, truth), {std::move(section)}, ""};
}

}  // namespace kinema::app
