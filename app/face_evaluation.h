// Fits held against landmarks that people set: errors over the distance of the outer corners of the eyes, the cumulative
// curve, failures, and whether the score knew.
#pragma once

#include "app/face_options.h"
#include "io/face_detector.h"
#include "io/landmark_output.h"
#include "kinema/backend.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kinema::app {

/// Past this share of the outer-eye distance a fit counts as failed, and the curve's area ends.
inline constexpr double failure_limit = 0.08;

enum class FaceStart { perturbed, detect, given };

struct FaceEvaluationSettings {
  FaceStart start = FaceStart::perturbed;
  double shift = 0.05, scale = 0.05, turn = 5;  ///< of perturbed starts; the turn in degrees
  std::uint32_t tries = 1;                      ///< perturbed starts of each face
  std::uint64_t seed = 1;
  face::FitSettings fit;
  Backend backend = Backend::automatic;
};

struct FaceError {
  std::size_t example = 0;  ///< of the set
  std::string name;
  bool fitted = false;  ///< false: no start; counts as failed
  std::string why;      ///< where not fitted
  double start = 0;     ///< error of the mean shape at the start
  double all = 0, inner = 0;
  double failure = 0;  ///< as the score has it
  std::vector<float> landmarks;
  std::vector<float> landmark_errors, confidence;  ///< of each landmark; empty where the model has no score
};

/// Of the faces that were fitted, but for `failures` and `auc`, in which the others count as failed.
struct FaceErrorSummary {
  std::size_t count = 0;
  double mean = 0, median = 0, p95 = 0;
  double failures = 0;  ///< share
  double auc = 0;       ///< area under the cumulative curve up to the limit, over the limit: 1 is perfect
};

struct FaceEvaluation {
  std::vector<FaceError> faces;  ///< one a start, as in the set; fewer where the run was stopped
  std::size_t landmarks = 0, missing = 0;
  FaceErrorSummary all;
  std::optional<FaceErrorSummary> inner;  ///< the 49 of 68
  bool scored = false;                    ///< the model has a score
  std::optional<double> roc_area;         ///< of the score, where there are good fits and failures
  double expected_failures = 0;           ///< sum of the probabilities
  double fit_ms = 0, detect_ms = 0;
  bool stopped = false;

  Backend backend = Backend::cpu;         ///< what ran
  std::vector<face::PlacedStage> stages;  ///< and where each stage of a fit ran

  std::vector<std::size_t> worst_first() const;
};

FaceEvaluation evaluate_faces(const std::shared_ptr<const face::Model>& model, const FaceExamples& examples,
                              const FaceEvaluationSettings& settings, const io::FaceDetector* detector,
                              const io::Starts* starts);

/// The share of faces (those that were not fitted included) with an error up to each of `at`.
std::vector<double> cumulative(const FaceEvaluation& evaluation, bool inner, const std::vector<double>& at);

}  // namespace kinema::app
