// The estimate of a frame given those before it: still where the person rests, quick where it moves.
//
// A filter that keeps the pose of each frame apart trembles with the sensor's noise. Here the pose is fitted to the
// points once more, together with the motion from the two poses given out last: a trajectory whose last frame alone is
// free (trajectory.h).
#pragma once

#include "body/trajectory.h"

#include <vector>

namespace kinema::body {

class CausalSmoother {
public:
  /// The person changed, or was lost: the next frame is the first.
  void restart() { frames_.clear(); }

  /// Returns the corrected state of a frame, `seconds` after the one before.
  std::vector<float> add(const TrajectoryModel& model, const RefinePoints& points, const RefineSettings& refinement,
                         const std::vector<float>& state, double seconds, const Threads& threads);

private:
  std::vector<TrajectoryFrame> frames_;  // at most two, without points
};

}  // namespace kinema::body
