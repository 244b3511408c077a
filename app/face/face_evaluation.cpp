#include "app/face/face_evaluation.h"

#include "app/options/interrupt.h"
#include "app/options/progress.h"
#include "core/slice.h"
#include "core/stopwatch.h"
#include "kinema/error.h"
#include "synth/faces/faces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace kinema::app {
namespace {

double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

FaceErrorSummary summary(const std::vector<FaceError>& faces, double FaceError::*value) {
  FaceErrorSummary result;
  std::vector<double> errors;
  double failures = 0, area = 0;
  for (const FaceError& face : faces) {
    if (face.fitted) errors.push_back(face.*value);
    if (!face.fitted || face.*value > failure_limit) failures += 1;
    if (face.fitted) area += std::max(0.0, failure_limit - face.*value) / failure_limit;
  }
  result.count = errors.size();
  if (faces.empty()) return result;
  result.failures = failures / static_cast<double>(faces.size());
  result.auc = area / static_cast<double>(faces.size());
  if (errors.empty()) return result;
  std::sort(errors.begin(), errors.end());
  result.mean = std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
  result.median = quantile(errors, 0.5);
  result.p95 = quantile(errors, 0.95);
  return result;
}

// The probability that a failed fit has a higher probability of failure than a good one: Mann-Whitney.
std::optional<double> roc_area(const std::vector<FaceError>& faces) {
  double wins = 0, pairs = 0;
  for (const FaceError& failed : faces) {
    if (!failed.fitted || failed.all <= failure_limit) continue;
    for (const FaceError& good : faces) {
      if (!good.fitted || good.all > failure_limit) continue;
      pairs += 1;
      wins += failed.failure > good.failure ? 1 : failed.failure == good.failure ? 0.5 : 0;
    }
  }
  if (pairs == 0) return std::nullopt;
  return wins / pairs;
}

std::vector<float> placed_mean(const face::Model& model, const face::Similarity& pose) {
  std::vector<float> landmarks;
  for (std::size_t i = 0; i + 1 < model.shape.mean.size(); i += 2) {
    const double x = model.shape.mean[i], y = model.shape.mean[i + 1];
    landmarks.push_back(static_cast<float>(pose.a * x - pose.b * y + pose.tx));
    landmarks.push_back(static_cast<float>(pose.b * x + pose.a * y + pose.ty));
  }
  return landmarks;
}

// Of several boxes the one around the labelled face: an image may show more people than were labelled.
std::optional<face::Start::Box> box_about(const std::vector<face::Start::Box>& boxes, const std::vector<float>& truth) {
  double x = 0, y = 0;
  for (std::size_t i = 0; i + 1 < truth.size(); i += 2) {
    x += 2 * static_cast<double>(truth[i]) / static_cast<double>(truth.size());
    y += 2 * static_cast<double>(truth[i + 1]) / static_cast<double>(truth.size());
  }
  for (const face::Start::Box& box : boxes) {
    const double left = static_cast<double>(box.x), top = static_cast<double>(box.y);
    if (x > left && y > top && x < left + static_cast<double>(box.width) && y < top + static_cast<double>(box.height))
      return box;
  }
  return std::nullopt;
}

// The start of an example's fit; nothing, and the reason, if it is unknown.
std::optional<face::Start> start_of(const face::Model& model, const FaceExamples& examples, std::size_t i,
                                    std::size_t number, const FaceEvaluationSettings& settings,
                                    const io::FaceDetector* detector, const io::Starts* starts, std::string& why) {
  face::Start start;
  if (settings.start == FaceStart::perturbed) {
    const synth::StartNoise noise{settings.shift, settings.scale, settings.turn * std::numbers::pi / 180};
    start.similarity =
        synth::displaced_start(model, examples.landmarks[i], noise, settings.seed, static_cast<std::uint32_t>(number));
  } else if (settings.start == FaceStart::detect) {
    start.box = box_about(detector->detect(examples.images[i].view()), examples.landmarks[i]);
    if (!start.box) {
      why = "the detector found no face here";
      return std::nullopt;
    }
  } else {
    const face::Start* given = starts->find(examples.files[i].image.filename().string());
    if (given == nullptr) {
      why = "no start was given";
      return std::nullopt;
    }
    start = *given;
  }
  return start;
}

void hold_against(const face::Layout& layout, const std::vector<float>& truth, const std::vector<int>& inner,
                  face::Fit& fit, FaceError& error) {
  error.fitted = true;
  error.all = landmark_error(layout, fit.landmarks, truth);
  if (!inner.empty()) error.inner = landmark_error(layout, fit.landmarks, truth, inner);
  error.failure = fit.failure;
  error.confidence = std::move(fit.confidence);
  for (std::size_t k = 0; k < error.confidence.size(); ++k)
    error.landmark_errors.push_back(
        static_cast<float>(landmark_error(layout, fit.landmarks, truth, {static_cast<int>(k)})));
  error.landmarks = std::move(fit.landmarks);
}

}  // namespace

std::vector<std::size_t> FaceEvaluation::worst_first() const {
  std::vector<std::size_t> order(faces.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (faces[a].fitted != faces[b].fitted) return !faces[a].fitted;
    return faces[a].all > faces[b].all;
  });
  return order;
}

std::vector<double> cumulative(const FaceEvaluation& evaluation, bool inner, const std::vector<double>& at) {
  std::vector<double> shares;
  for (double limit : at) {
    const auto below = std::count_if(evaluation.faces.begin(), evaluation.faces.end(), [&](const FaceError& face) {
      return face.fitted && (inner ? face.inner : face.all) <= limit;
    });
    shares.push_back(static_cast<double>(below) / std::max(1.0, static_cast<double>(evaluation.faces.size())));
  }
  return shares;
}

FaceEvaluation evaluate_faces(const std::shared_ptr<const face::Model>& model, const FaceExamples& examples,
                              const FaceEvaluationSettings& settings, const io::FaceDetector* detector,
                              const io::Starts* starts) {
  if (examples.points != model->shape.landmarks()) {
    throw Error(
        fmt::format("the faces have {} landmarks and the model has {}: use faces labelled as those it was trained on",
                    examples.points, model->shape.landmarks()));
  }
  constexpr std::size_t batch = 32;
  const std::vector<int> inner = inner_points(examples.points);
  const std::unique_ptr<face::Fitter> fitter = face::make_fitter(model, settings.fit, settings.compute);
  const std::size_t tries = settings.start == FaceStart::perturbed ? std::max<std::uint32_t>(1, settings.tries) : 1;
  const std::size_t count = tries * examples.size();
  FaceEvaluation evaluation;
  evaluation.landmarks = examples.points;
  evaluation.backend = fitter->backend();
  evaluation.stages = fitter->stages();
  const Slice mine = slice_of(count, settings.part, settings.parts);
  Progress progress("fitting", mine.size(), settings.part == 0);
  const Interrupt interrupt;
  Stopwatch watch;
  for (std::size_t begin = mine.begin; begin < mine.end && !interrupt.asked(); begin += batch) {
    const std::size_t end = std::min(begin + batch, mine.end);
    std::vector<face::Face> faces;
    std::vector<std::size_t> owner;
    for (std::size_t number = begin; number < end; ++number) {
      const std::size_t i = number % examples.size();
      FaceError error;
      error.example = i;
      error.name = examples.files[i].name;
      const std::optional<face::Start> start =
          start_of(*model, examples, i, number, settings, detector, starts, error.why);
      if (start) {
        error.start =
            landmark_error(model->layout, placed_mean(*model, start_pose(*model, *start)), examples.landmarks[i]);
        faces.push_back({examples.images[i].view(), *start, false});
        owner.push_back(number);
      }
      evaluation.faces.push_back(std::move(error));
    }
    evaluation.detect_ms += watch.lap();
    std::vector<face::Fit> fits(faces.size());
    fitter->fit(faces, fits);
    if (settings.start == FaceStart::detect) face::fit_doubtful_again(*fitter, *model, faces, fits);
    evaluation.fit_ms += watch.lap();
    for (std::size_t f = 0; f < fits.size(); ++f)
      hold_against(model->layout, examples.landmarks[owner[f] % examples.size()], inner, fits[f],
                   evaluation.faces[owner[f] - mine.begin]);
    progress.show(end - mine.begin);
  }
  if (settings.gather) settings.gather(evaluation.faces);
  evaluation.stopped = interrupt.asked() && evaluation.faces.size() < count;
  for (const FaceError& face : evaluation.faces) {
    evaluation.missing += !face.fitted;
    evaluation.expected_failures += face.fitted ? face.failure : 0;
  }
  evaluation.all = summary(evaluation.faces, &FaceError::all);
  if (!inner.empty()) evaluation.inner = summary(evaluation.faces, &FaceError::inner);
  evaluation.scored = !model->quality.weights.empty();
  if (evaluation.scored) evaluation.roc_area = roc_area(evaluation.faces);
  return evaluation;
}

namespace {

class Table {
public:
  explicit Table(std::vector<double> limits) {
    for (std::size_t i = 0; i + 1 < limits.size(); ++i) bins_.push_back({limits[i], limits[i + 1], 0, 0, 0});
  }

  void add(double predicted, bool observed) {
    const auto bin = std::find_if(bins_.begin(), bins_.end() - 1, [&](const auto& b) { return predicted < b.to; });
    ++bin->count;
    bin->predicted += predicted;
    bin->observed += observed;
  }

  std::vector<ReliabilityBin> means() const {
    std::vector<ReliabilityBin> result;
    for (ReliabilityBin bin : bins_) {
      if (bin.count == 0) continue;
      bin.predicted /= static_cast<double>(bin.count);
      bin.observed /= static_cast<double>(bin.count);
      result.push_back(bin);
    }
    return result;
  }

private:
  std::vector<ReliabilityBin> bins_;
};

}  // namespace

std::vector<ReliabilityBin> failure_reliability(const FaceEvaluation& evaluation) {
  Table table({0, 0.02, 0.1, 0.3, 0.7, 0.9, 1});
  for (const FaceError& face : evaluation.faces)
    if (face.fitted) table.add(face.failure, face.all > failure_limit);
  return table.means();
}

std::vector<ReliabilityBin> landmark_reliability(const FaceEvaluation& evaluation) {
  Table table({0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 1});
  for (const FaceError& face : evaluation.faces)
    for (std::size_t i = 0; i < face.confidence.size(); ++i)
      table.add(static_cast<double>(face.confidence[i]), static_cast<double>(face.landmark_errors[i]) <= failure_limit);
  return table.means();
}

double calibration_error(const std::vector<ReliabilityBin>& bins) {
  double sum = 0, count = 0;
  for (const ReliabilityBin& bin : bins) {
    sum += static_cast<double>(bin.count) * std::abs(bin.predicted - bin.observed);
    count += static_cast<double>(bin.count);
  }
  return count > 0 ? sum / count : 0;
}

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
