#include "body/smoothing/steady_pose.h"

#include "body/smoothing/constants_steady.h"
#include "core/geometry.h"
#include "core/low_pass.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <cmath>

namespace kinema::body {

using namespace constants::steady;

SteadyPose::SteadyPose(double rest_cutoff) : rest_cutoff_(rest_cutoff) {
  if (!(rest_cutoff > 0) || !std::isfinite(rest_cutoff))
    throw Error(fmt::format("a cutoff of {} for a joint at rest: give hertz above 0, or 0 for no filter", rest_cutoff));
}

void SteadyPose::correct(Estimate& estimate) {
  if (!estimate.found) {
    restart();
    return;
  }
  const double seconds = time_ ? estimate.time - *time_ : 0;
  time_ = estimate.time;
  if (!(seconds > 0)) {
    pose_ = estimate.pose;
    return;
  }
  follow(estimate.pose, *estimate.skeleton, seconds);
  estimate.pose = pose_;
  estimate.joints = joint_positions(*estimate.skeleton, pose_);
  const std::vector<AnatomicalAngle> angles = anatomical_angles(*estimate.skeleton, pose_);
  for (std::size_t i = 0; i < estimate.anatomical.size(); ++i) estimate.anatomical[i].value = angles[i].value;
}

// Moves the pose given out last towards the new one.
void SteadyPose::follow(const Pose& pose, const Skeleton& skeleton, double seconds) {
  const Vec3 way = pose.position - pose_.position;
  pose_.position = pose_.position + share(norm(way), seconds, doubling_speed) * way;
  const Vec3 turn = logarithm(pose.rotation * conjugate(pose_.rotation));
  pose_.rotation = normalised(exponential(share(norm(turn), seconds, doubling_turn) * turn) * pose_.rotation);
  // the angles of a joint together, so that it turns about the axis that it turned about
  std::size_t first = 0;
  for (const Joint& joint : skeleton.joints) {
    const std::size_t end = first + joint.freedoms.size();
    double square = 0;
    for (std::size_t i = first; i < end; ++i) square += std::pow(pose.angles[i] - pose_.angles[i], 2);
    const double part = share(std::sqrt(square), seconds, doubling_turn);
    for (std::size_t i = first; i < end; ++i) pose_.angles[i] += part * (pose.angles[i] - pose_.angles[i]);
    first = end;
  }
}

double SteadyPose::share(double way, double seconds, double doubling_speed) const {
  return low_pass_share(rest_cutoff_ * (1 + std::pow(way / seconds / doubling_speed, 2)), seconds);
}

}  // namespace kinema::body
