#include "app/face_evaluation.h"

#include "app/interrupt.h"
#include "app/progress.h"
#include "app/stopwatch.h"
#include "kinema/error.h"
#include "synth/face_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

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

// The chance that a failed fit has the higher probability of failure than a good one: Mann and Whitney.
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

// Of several boxes the one about the labelled face: a picture may show more people than were labelled.
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
  const std::unique_ptr<face::Fitter> fitter = face::make_fitter(model, settings.fit, settings.backend);
  const synth::StartNoise noise{settings.shift, settings.scale, settings.turn * std::numbers::pi / 180};
  FaceEvaluation evaluation;
  evaluation.landmarks = examples.points;
  Progress progress("fitting", examples.size(), true);
  const Interrupt interrupt;
  Stopwatch watch;
  for (std::size_t begin = 0; begin < examples.size() && !interrupt.asked(); begin += batch) {
    const std::size_t end = std::min(begin + batch, examples.size());
    std::vector<face::Face> faces;
    std::vector<std::size_t> owner;
    for (std::size_t i = begin; i < end; ++i) {
      FaceError error;
      error.name = examples.files[i].name;
      face::Start start;
      bool known = true;
      if (settings.start == FaceStart::perturbed) {
        start.similarity =
            synth::displaced_start(*model, examples.landmarks[i], noise, settings.seed, static_cast<std::uint32_t>(i));
      } else if (settings.start == FaceStart::detect) {
        start.box = box_about(detector->detect(examples.images[i]), examples.landmarks[i]);
        known = start.box.has_value();
        if (!known) error.why = "the detector found no face here";
      } else {
        const face::Start* given = starts->find(examples.files[i].image.filename().string());
        known = given != nullptr;
        if (known) start = *given;
        if (!known) error.why = "no start was given";
      }
      if (known) {
        error.start =
            landmark_error(model->layout, placed_mean(*model, start_pose(*model, start)), examples.landmarks[i]);
        faces.push_back({view(examples.images[i]), start, false});
        owner.push_back(i);
      }
      evaluation.faces.push_back(std::move(error));
    }
    evaluation.detect_ms += watch.lap();
    std::vector<face::Fit> fits(faces.size());
    fitter->fit(faces, fits);
    if (settings.start == FaceStart::detect) try_doubtful_again(*fitter, *model, faces, fits);
    evaluation.fit_ms += watch.lap();
    for (std::size_t f = 0; f < fits.size(); ++f) {
      FaceError& error = evaluation.faces[owner[f]];
      error.fitted = true;
      error.all = landmark_error(model->layout, fits[f].landmarks, examples.landmarks[owner[f]]);
      if (!inner.empty())
        error.inner = landmark_error(model->layout, fits[f].landmarks, examples.landmarks[owner[f]], inner);
      error.failure = fits[f].failure;
      error.landmarks = std::move(fits[f].landmarks);
    }
    progress.show(end);
  }
  evaluation.stopped = interrupt.asked() && evaluation.faces.size() < examples.size();
  for (const FaceError& face : evaluation.faces) {
    evaluation.missing += !face.fitted;
    evaluation.expected_failures += face.fitted ? face.failure : 0;
  }
  evaluation.all = summary(evaluation.faces, &FaceError::all);
  if (!inner.empty()) evaluation.inner = summary(evaluation.faces, &FaceError::inner);
  if (!model->quality.weights.empty()) evaluation.roc_area = roc_area(evaluation.faces);
  return evaluation;
}

}  // namespace kinema::app
