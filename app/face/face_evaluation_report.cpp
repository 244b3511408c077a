
#include "app/face/face_evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kinema::app {
namespace {

using report::Unit;

constexpr double largest_error = 0.16;  // of the curve
constexpr std::size_t most_pictures = 40;

std::string percent(double share) { return fmt::format("{:.2f} %", 100 * share); }

std::vector<std::string> cells(const std::string& name, const FaceErrorSummary& error) {
  return {name,
          percent(error.mean),
          percent(error.median),
          percent(error.p95),
          fmt::format("{:.1f} %", 100 * error.failures),
          fmt::format("{:.3f}", error.auc)};
}

report::Figures figures(const FaceEvaluation& evaluation) {
  report::Figures figures;
  if (evaluation.all.count > 0)
    figures.figures.push_back({percent(evaluation.all.mean), "mean error over the outer-eye distance"});
  figures.figures.push_back({fmt::format("{:.1f} %", 100 * evaluation.all.failures), "failures (over 8 %)"});
  figures.figures.push_back({fmt::format("{:.3f}", evaluation.all.auc), "area under the curve up to 8 %"});
  if (evaluation.roc_area)
    figures.figures.push_back({fmt::format("{:.3f}", *evaluation.roc_area), "ROC area of the score"});
  return figures;
}

report::Table by_picture(const FaceEvaluation& evaluation) {
  report::Table table{
      "Pictures, worst first", {"picture", "error", "49 points", "start", "probability of failure"}, 1, {}};
  const std::vector<std::size_t> order = evaluation.worst_first();
  for (std::size_t i = 0; i < std::min(most_pictures, order.size()); ++i) {
    const FaceError& face = evaluation.faces[order[i]];
    std::vector<std::string> row{face.name, face.why};
    if (face.fitted)
      row = {face.name, percent(face.all), evaluation.inner ? percent(face.inner) : "–", percent(face.start),
             fmt::format("{:.2f}", face.failure)};
    table.rows.push_back({std::move(row), false, false});
  }
  return table;
}

// Predicted probabilities versus outcomes, as a curve that should be the diagonal, and in numbers.
report::Section reliability(const FaceEvaluation& evaluation) {
  const std::pair<const char*, std::vector<ReliabilityBin>> kinds[] = {
      {"probability of failure", failure_reliability(evaluation)},
      {"confidence that a landmark is within 8 %", landmark_reliability(evaluation)}};
  report::Section section{"What the score predicted, and what was observed", "", {}};
  report::Plot plot;
  plot.title = "Reliability: on the diagonal the score is right";
  plot.x = {"predicted", Unit::percent, false, 0, 1, false};
  plot.y = {"observed", Unit::percent, false, 0, 1, false};
  plot.series.push_back({"right", 0, report::Style::dashed, {{0, 0, 0, 0}, {1, 1, 0, 0}}});
  int colour = 1;
  for (const auto& [what, bins] : kinds) {
    report::Series series{what, colour++, report::Style::line, {}};
    for (const ReliabilityBin& bin : bins) series.points.push_back({bin.predicted, bin.observed, 0, 0});
    if (!bins.empty()) plot.series.push_back(std::move(series));
  }
  section.blocks.emplace_back(std::move(plot));
  for (const auto& [what, bins] : kinds) {
    report::Table table{what, {"predicted", "number", "mean predicted", "observed"}, 1, {}};
    for (const ReliabilityBin& bin : bins) {
      table.rows.push_back({{fmt::format("{:.0f} to {:.0f} %", 100 * bin.from, 100 * bin.to), std::to_string(bin.count),
                             fmt::format("{:.1f} %", 100 * bin.predicted), fmt::format("{:.1f} %", 100 * bin.observed)},
                            false,
                            false});
    }
    section.blocks.emplace_back(std::move(table));
  }
  return section;
}

}  // namespace

report::Plot face_curve(const FaceEvaluation& evaluation) {
  report::Plot plot;
  plot.title = "Share of faces with an error up to a limit";
  plot.x = {"mean error over the distance of the outer eye corners", Unit::percent, false, 0, largest_error, false};
  plot.y = {"share of faces", Unit::percent, false, 0, 1, false};
  plot.limits = {{true, failure_limit, "failure"}};
  std::vector<double> at;
  for (int i = 0; i <= 320; ++i) at.push_back(largest_error * i / 320);
  for (const bool inner : {false, true}) {
    if (inner && !evaluation.inner) continue;
    report::Series series{inner ? "49 points" : fmt::format("all {} points", evaluation.landmarks),
                          inner ? 1 : 2,
                          report::Style::line,
                          {}};
    const std::vector<double> shares = cumulative(evaluation, inner, at);
    for (std::size_t i = 0; i < at.size(); ++i) series.points.push_back({at[i], shares[i], 0, 0});
    plot.series.push_back(std::move(series));
  }
  return plot;
}

report::Report face_evaluation_report(const FaceEvaluation& evaluation, const std::string& model,
                                      const std::string& images, const std::string& start,
                                      const report::Pictures::Picture& worst) {
  report::Table summary{"", {"points", "mean", "median", "95 %", "failures", "AUC"}, 1, {}};
  summary.rows.push_back({cells(fmt::format("all {}", evaluation.landmarks), evaluation.all), false, false});
  if (evaluation.inner) summary.rows.push_back({cells("49", *evaluation.inner), false, false});

  report::Report page{"Faces against truth",
                      fmt::format("{}: {} fits of {}; starts: {}{}", model, evaluation.faces.size(), images, start,
                                  evaluation.stopped ? "; stopped early" : ""),
                      {},
                      ""};
  page.sections.push_back({"", "", {figures(evaluation), face_curve(evaluation), std::move(summary)}});
  if (evaluation.scored) page.sections.push_back(reliability(evaluation));
  if (!worst.png.empty())
    page.sections.push_back({"The worst faces", "The fit is green, the truth is blue.", {report::Pictures{{worst}}}});
  page.sections.push_back({"", "", {by_picture(evaluation)}});
  return page;
}

}  // namespace kinema::app
