// One person before one camera: where the head is and where it looks, at the rate of the camera. The head tracker
// (head_tracker.h) is fast and steady, but knows neither rotation nor the true distance; the face tracker
// (face_tracker.h) is exact and gives the rotation, but gets lost. The head's position starts and restarts the face,
// without a detector in between; the face recalibrates the head's colours and its distance; one filter joins both.
// Conventions: see head_pose.h.
#pragma once

#include "kinema/expression_tracker.h"
#include "kinema/face_tracker.h"
#include "kinema/head_pose.h"
#include "kinema/head_tracker.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kinema::io {
struct Frame;
}

namespace kinema::person {

struct TrackerSettings {
  /// With 68 landmarks: from train(), or from a file by read_face_model().
  std::shared_ptr<const face::Model> model = {};

  /// Finds the person at the start, and when both trackers have lost the head. Without one, give a calibration, or call
  /// start().
  face::Detect detect = {};

  /// The colours of this person in this light, if they are known: no detector is then needed, and what is tracked is what
  /// its oval held. Otherwise they are learnt from the first face.
  std::optional<head::Calibration> calibration = {};

  /// The camera, and the size of the head.
  face::HeadPoseSettings pose = {};

  face::FitSettings fit = {};

  /// The person's neutral face, which expressions are relative to.
  face::ExpressionSettings expression = {};

  /// A fit with a higher probability of failure is not used. A lower threshold gives surer rotations and more frames
  /// that have only a place.
  double lost = 0.5;

  /// Cutoff of the smoothing of a head at rest, hertz; 0: none. Lower is steadier, and slower to start.
  double smoothing = 0.5;

  /// Fit the face on a thread of its own, beside the colours. Off: one after the other, on the calling thread.
  bool parallel = true;
};

struct Estimate {
  bool found = false;
  double time = 0;  ///< as given to track(), seconds

  /// If not found: the reason.
  std::string why = {};

  /// 0...1: with a face 1 - probability of failure, without one the contrast of the colours.
  double confidence = 0;

  bool face = false, colours = false;  ///< which of the two saw the head in this frame
  bool detected = false;               ///< by the detector, in this frame

  double x = 0, y = 0;   ///< the centre of the head's outline, pixels
  head::Oval oval = {};  ///< the head's outline

  /// Joined and smoothed. In a frame without a face the rotation and the expression are the last ones, with deviations
  /// that grow, and the eyes are open. Nothing until there was a face.
  std::optional<face::HeadPose> pose = {};

  /// Where the head is, metres: that of the pose or, until there was a face, that of a head whose calibration tells its
  /// distance. raw_position is not smoothed.
  std::optional<Vec3> position = {}, raw_position = {};

  std::vector<float> landmarks = {};  ///< of the face, if it was seen
  std::vector<float> landmark_confidence = {};
  std::vector<StageTime> times = {};
};

/// Tracks one person through frames of one camera, all of one size. Not thread-safe. Equal frames give equal estimates.
class Tracker {
public:
  /// Throws Error if the model is missing or has other landmarks, a setting is invalid, or the backend is not available.
  explicit Tracker(const TrackerSettings& settings, const Compute& compute = {});
  ~Tracker();
  Tracker(Tracker&&) noexcept;
  Tracker& operator=(Tracker&&) noexcept;

  /// The estimate of the next frame of a source, from it and those before it. A frame with a gap is skipped.
  Estimate track(const io::Frame& frame);

  /// The same for an image. `time` in seconds, later than that of the frame before. Throws Error if an image differs in
  /// size from those before, or lies in device memory.
  Estimate track(const ColourView& image, double time);

  /// A frame that is missing, and why: its estimate finds nobody.
  Estimate skip(double time, const std::string& why);

  /// Where the head is in the next frame, in place of a search.
  void start(const head::Oval& oval);

  /// Searches in the next frame, as in the first and after a loss. What was learnt of the person is kept.
  void restart();

  /// The next second shows the neutral face: see face::ExpressionTracker.
  void set_neutral();

  /// The settings with all open values filled in, and the backend that runs the fits: see face::Fitter::backend().
  const TrackerSettings& settings() const;
  Backend backend() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinema::person
