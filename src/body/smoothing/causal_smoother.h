// The estimate of a frame given those before it: still where the person rests, quick where it moves.
//
// A filter that keeps the pose of each frame apart trembles with the sensor's noise. Here the pose is fitted to the
// points once more, together with the motion from the two poses given out last: a trajectory whose last frame alone is
// free (trajectory.h). Nor does a person change size from one frame to the next, though what is known of it does: a
// shape that was fitted again is taken over gradually.
#pragma once

#include "body/smoothing/trajectory.h"

#include <memory>
#include <optional>
#include <vector>

namespace kinema::body {

class CausalSmoother {
public:
  /// The person was lost: the next frame is the first.
  void restart();

  /// The person as known from now on.
  void set_skeleton(const Skeleton& skeleton);

  /// Returns the corrected state of a frame, `seconds` after the one before, with the information about it.
  const TrajectoryFrame& add(const RefinePoints& points, const RefineSettings& refinement,
                             const std::vector<float>& state, double seconds, const Threads& threads);

  /// The person that the returned state belongs to.
  const std::shared_ptr<const Skeleton>& skeleton() const { return skeleton_; }
  Kinematics kinematics() const { return flat_->view(); }

private:
  void show(const Skeleton& skeleton);

  Skeleton before_, target_;  // the shape changes from one to the other
  double changed_ = 1;        // by this share
  std::shared_ptr<const Skeleton> skeleton_;
  std::unique_ptr<FlatSkeleton> flat_;
  std::optional<TrajectoryModel> model_;
  std::vector<TrajectoryFrame> frames_;  // the last ones, without points
};

}  // namespace kinema::body
