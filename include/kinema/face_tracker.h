// The face in a video: each frame is fitted from the last one's shape; a fit that its score does not trust is lost, and
// the face is looked for again.
#pragma once

#include "kinema/face.h"

#include <functional>
#include <memory>
#include <vector>

namespace kinema::face {

/// Where faces may be in an image, the most likely first: a face detector, such as OpenCV's.
using Detect = std::function<std::vector<Start::Box>(const GreyView&)>;

struct TrackerSettings {
  FitSettings fit;

  /// A fit with a greater probability of failure is lost. Lower: surer landmarks, more gaps.
  double lost = 0.5;

  /// A fit with a greater one than this is held against one from the detector, and the better of the two is taken.
  double doubt = 0.2;

  /// Boxes of the detector that are tried in a frame.
  int boxes = 3;

  /// Hertz below which the landmarks of a resting face are smoothed (as the One-Euro filter does); 0: not at all. Lower is
  /// steadier, and lags behind more.
  double smoothing = 0;

  /// By how much the cutoff rises with the speed of the face: hertz, at one distance between the outer eye corners a second.
  double smoothing_speed = 4;
};

struct TrackedFace {
  bool found = false;
  bool detected = false;         ///< started afresh (detector, start(), where it was last), not from the last frame
  bool tried = false;            ///< there was something to fit: where not found, the score said no
  Fit fit;                       ///< of the frame alone; the best that was tried where not found
  std::vector<float> landmarks;  ///< as fit.landmarks, smoothed where that is asked for; empty where not found
};

class Tracker {
public:
  /// `detect` may be empty: a lost face is then looked for where it was last, for some frames, and else lost until
  /// start() is called. Throws Error where settings make no sense.
  Tracker(std::shared_ptr<const Model> model, const TrackerSettings& settings, Detect detect,
          Backend backend = Backend::automatic);
  ~Tracker();
  Tracker(Tracker&&) noexcept;
  Tracker& operator=(Tracker&&) noexcept;

  /// The next frame starts here, whatever was before.
  void start(const Start& start);

  /// `time` in seconds, later than the last frame's.
  TrackedFace track(const GreyView& image, double time);

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinema::face
