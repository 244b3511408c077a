// The face tracker: each frame is fitted from the shape of the frame before. A fit whose probability of failure is too
// high counts as lost, and the face is detected again.
#pragma once

#include "kinema/expression_tracker.h"
#include "kinema/face.h"
#include "kinema/head_pose.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kinema::io {
struct Frame;
}

namespace kinema::face {

/// A face detector such as OpenCV's: boxes of the faces in an image, the most likely first.
using Detect = std::function<std::vector<Start::Box>(const GreyView&)>;

struct TrackerSettings {
  /// From train(), or from a file by read_face_model().
  std::shared_ptr<const Model> model = {};

  /// How many faces are followed, at most; 0: all, up to 30. With other than 1 each has a number, which nobody else is given.
  int people = 1;

  /// Without a detector a lost face is searched for at its last position for some frames, then lost until start().
  Detect detect = {};

  FitSettings fit = {};

  /// A fit with a higher probability of failure is lost. A lower threshold gives surer landmarks and more gaps.
  double lost = 0.5;

  /// A fit with a higher probability of failure competes with one from the detector; the better one is taken.
  double doubt = 0.2;

  /// Boxes of the detector to try in a frame, at most.
  int boxes = 3;

  /// Cutoff of the One-Euro filter over the landmarks of a face at rest, hertz; 0: no smoothing. Lower is steadier, but
  /// increases the lag.
  double smoothing = 0;

  /// Estimate the pose of the head too, for models with 68 landmarks. Unset: do not.
  std::optional<HeadPoseSettings> head = HeadPoseSettings{};

  /// Expressions relative to the person's neutral face, with blinks from the picture. Unset: those of the landmarks, against
  /// the mean face.
  std::optional<ExpressionSettings> expression = ExpressionSettings{};

  /// Cutoff of the One-Euro filter over the pose of a head at rest, hertz; 0: no smoothing, each frame stands alone.
  double head_smoothing = 0;
};

struct Estimate {
  bool found = false;
  int person = 0;   ///< the number, from 1; 0 if not found, or where one face is followed
  double time = 0;  ///< as given to track(), seconds

  /// If not found: the reason.
  std::string why = {};

  /// 0...1: 1 - probability of failure, as Fit::quality; 0 if there was nothing to fit.
  double confidence = 0;

  bool detected = false;              ///< started anew (detector, start(), last position), not from the frame before
  bool tried = false;                 ///< there was a position to fit at; if not found, the fit failed
  Fit fit = {};                       ///< of this frame alone; if not found, the best that was tried
  std::vector<float> landmarks = {};  ///< fit.landmarks, smoothed if asked for; empty if not found
  std::optional<HeadPose> head = {};  ///< smoothed if asked for; nothing if not found
  std::vector<StageTime> times = {};
};

/// Tracks one face, or several, through the frames of one camera. Not thread-safe. Equal frames give equal estimates.
class Tracker {
public:
  /// Throws Error if there is no model, the settings are invalid or the backend is not available.
  explicit Tracker(const TrackerSettings& settings, const Compute& compute = {});
  ~Tracker();
  Tracker(Tracker&&) noexcept;
  Tracker& operator=(Tracker&&) noexcept;

  /// The estimate of the next frame of a source, from it and those before it. A frame with a gap is skipped. Of several faces
  /// that with the lowest number, and people() has the others.
  Estimate track(const io::Frame& frame);

  /// The same for an image. `time` in seconds, later than that of the frame before. Colour is converted by grey_of().
  Estimate track(const GreyView& image, double time);
  Estimate track(const ColourView& image, double time);

  /// A frame that is missing, and why: its estimate finds nobody.
  Estimate skip(double time, const std::string& why);

  /// Everybody who was found in the last frame, by their numbers; one estimate that says why if nobody was.
  const std::vector<Estimate>& people() const;

  /// Where the face is in the next frame, in place of a search and whatever came before. Of several faces, one more.
  void start(const Start& start);

  /// Searches in the next frame, as in the first and after a loss. What was learnt of the person is kept.
  void restart();

  /// The next second shows the neutral face: see ExpressionTracker.
  void set_neutral();

  /// The settings with all open values filled in, and the backend that runs: see Fitter::backend().
  const TrackerSettings& settings() const;
  Backend backend() const;

  /// Announces the frame after the next: a GPU copies it while it works on the next. No estimate depends on it. The pixels
  /// must not change until it is tracked.
  void expect(const GreyView& image);
  void expect(const ColourView& image);

  /// The stages of a fit, and where each runs.
  std::vector<PlacedStage> stages() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinema::face
