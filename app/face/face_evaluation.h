// Fits compared with manual landmarks: errors over the distance of the outer eye corners, the cumulative curve,
// failures, and how well the score predicts them.
#pragma once

#include "app/options/face_options.h"
#include "io/faces/face_detector.h"
#include "io/faces/landmark_output.h"
#include "kinema/backend.h"
#include "report/report.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kinema::app {

/// A fit whose error exceeds this share of the outer-eye distance has failed; the area under the curve ends here.
inline constexpr double failure_limit = 0.08;

enum class FaceStart { perturbed, detect, given };

struct FaceEvaluationSettings {
  FaceStart start = FaceStart::perturbed;
  double shift = 0.05, scale = 0.05, turn = 5;  ///< of perturbed starts; the rotation in degrees
  std::uint32_t tries = 1;                      ///< perturbed starts per face
  std::uint64_t seed = 1;
  face::FitSettings fit;
  Compute compute;

  /// One of several processes: it evaluates its slice of the fits, and `gather` then gives all to the first and none to
  /// the others.
  int part = 0, parts = 1;
  std::function<void(std::vector<struct FaceError>&)> gather = nullptr;
};

struct FaceError {
  std::size_t example = 0;  ///< of the set
  std::string name;
  bool fitted = false;  ///< false: no start; counts as failed
  std::string why;      ///< if not fitted
  double start = 0;     ///< error of the mean shape at the start
  double all = 0, inner = 0;
  double failure = 0;  ///< according to the score
  std::vector<float> landmarks;
  std::vector<float> landmark_errors, confidence;  ///< per landmark; empty if the model has no score
};

/// Over the faces that were fitted, except `failures` and `auc`, in which the others count as failed.
struct FaceErrorSummary {
  std::size_t count = 0;
  double mean = 0, median = 0, p95 = 0;
  double failures = 0;  ///< share
  double auc = 0;       ///< area under the cumulative curve up to the limit, over the limit: 1 is perfect
};

struct FaceEvaluation {
  std::vector<FaceError> faces;  ///< one per start, as in the set; fewer if the run was stopped
  std::size_t landmarks = 0, missing = 0;
  FaceErrorSummary all;
  std::optional<FaceErrorSummary> inner;  ///< the 49 of 68
  bool scored = false;                    ///< the model has a score
  std::optional<double> roc_area;         ///< of the score, if there are both good fits and failures
  double expected_failures = 0;           ///< sum of the probabilities
  double fit_ms = 0, detect_ms = 0;
  bool stopped = false;

  Backend backend = Backend::cpu;         ///< the backend that ran
  std::vector<face::PlacedStage> stages;  ///< and where each stage of a fit ran

  std::vector<std::size_t> worst_first() const;
};

FaceEvaluation evaluate_faces(const std::shared_ptr<const face::Model>& model, const FaceExamples& examples,
                              const FaceEvaluationSettings& settings, const io::FaceDetector* detector,
                              const io::Starts* starts);

/// The share of faces (those not fitted included) with an error up to each of `at`.
std::vector<double> cumulative(const FaceEvaluation& evaluation, bool inner, const std::vector<double>& at);

/// Those whose predicted probability lies from `from` up to `to`.
struct ReliabilityBin {
  double from = 0, to = 1;
  std::size_t count = 0;
  double predicted = 0;  ///< mean of the probabilities
  double observed = 0;   ///< share of those in which the event occurred
};

/// Of the predicted probabilities of failure.
std::vector<ReliabilityBin> failure_reliability(const FaceEvaluation& evaluation);

/// Of the confidences that landmarks are within the limit; empty if there are none.
std::vector<ReliabilityBin> landmark_reliability(const FaceEvaluation& evaluation);

/// The expected calibration error: the mean difference of prediction and outcome over the bins, weighted by count; 0 is
/// perfect.
double calibration_error(const std::vector<ReliabilityBin>& bins);

/// `worst`: an image of the worst faces; without bytes if there is none.
report::Report face_evaluation_report(const FaceEvaluation& evaluation, const std::string& model,
                                      const std::string& images, const std::string& start,
                                      const report::Pictures::Picture& worst);

/// The cumulative curve of the errors.
report::Plot face_curve(const FaceEvaluation& evaluation);

}  // namespace kinema::app
