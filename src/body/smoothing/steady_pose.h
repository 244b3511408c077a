// A low pass on the poses that are given out at once: somebody at rest is still, and whoever moves is hardly delayed.
//
// After the One-Euro filter (Casiez, Roussel, Vogel, CHI 2012): place and rotation of the pelvis and the angles of each
// joint have a cutoff that rises with their speed. Here it rises with the square of the speed from the last pose given
// out, which is not filtered itself: as still at rest, this delays less in motion (scripts/measure_steady.py).
#pragma once

#include "kinema/body_tracker.h"

#include <optional>

namespace kinema::body {

class SteadyPose {
public:
  /// `rest_cutoff`: hertz. Throws Error unless it is above 0.
  explicit SteadyPose(double rest_cutoff);

  /// The next pose is given out as it is.
  void restart() { time_.reset(); }

  /// Corrects pose, joints and anatomical angles; deviations stay. An estimate that found nobody restarts the filter,
  /// and so does one that is not later than the last.
  void correct(Estimate& estimate);

private:
  void follow(const Pose& pose, const Skeleton& skeleton, double seconds);
  double share(double way, double seconds, double doubling_speed) const;

  double rest_cutoff_;
  std::optional<double> time_;  // of the last pose
  Pose pose_;                   // as given out
};

}  // namespace kinema::body
