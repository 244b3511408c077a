// Smoothing of the pose of a head: a low pass whose cutoff rises with the speed, of the rotation, of the place and of each
// expression (Casiez, Roussel, Vogel, "1 Euro filter", 2012), so that a head at rest does not jitter and a fast one does
// not lag.
#pragma once

#include "core/geometry.h"
#include "core/low_pass.h"
#include "kinema/head_pose.h"

#include <cmath>
#include <cstddef>
#include <optional>

namespace kinema {

struct PoseSmoothingRates {
  double cutoff = 1;      ///< hertz, of a head at rest
  double turn = 0;        ///< by how much it rises, hertz at a radian per second
  double move = 0;        ///< hertz at a metre per second
  double expression = 0;  ///< hertz at a full change per second
  double speed = 1;       ///< hertz, cutoff of the speeds themselves
};

class PoseSmoothing {
public:
  explicit PoseSmoothing(const PoseSmoothingRates& rates) : rates_(rates) {}

  void reset() { last_.reset(); }

  face::HeadPose smooth(face::HeadPose pose, double time) {
    const double seconds = time - time_;
    time_ = time;
    if (!last_ || !(seconds > 0)) {
      last_ = raw_ = pose;
      turning_ = moving_ = {0, 0, 0};
      changing_ = {};
      return pose;
    }
    // speeds are those of the frames as they came, with their direction: noise, which goes to and fro, is not taken for
    // motion
    const double settle = low_pass_share(rates_.speed, seconds);
    const Vec3 turned = logarithm(pose.rotation * conjugate(raw_->rotation));
    turning_ = turning_ + settle * ((1 / seconds) * turned - turning_);
    moving_ = moving_ + settle * ((1 / seconds) * (pose.position - raw_->position) - moving_);
    const double quick = low_pass_share(4 * rates_.speed, seconds);
    for (std::size_t e = 0; e < pose.expression.size(); ++e) {
      changing_[e] += quick * ((pose.expression[e] - raw_->expression[e]) / seconds - changing_[e]);
    }
    raw_ = pose;

    const double turn = low_pass_share(rates_.cutoff + rates_.turn * norm(turning_), seconds);
    const Vec3 left = logarithm(pose.rotation * conjugate(last_->rotation));
    pose.rotation = normalised(exponential(turn * left) * last_->rotation);
    const double move = low_pass_share(rates_.cutoff + rates_.move * norm(moving_), seconds);
    pose.position = last_->position + move * (pose.position - last_->position);
    for (std::size_t e = 0; e < pose.expression.size(); ++e) {
      const double change = low_pass_share(rates_.cutoff + rates_.expression * std::abs(changing_[e]), seconds);
      pose.expression[e] = last_->expression[e] + change * (pose.expression[e] - last_->expression[e]);
    }
    const std::array<double, 3> angles = face::head_angles(pose.rotation);
    pose.yaw = angles[0], pose.pitch = angles[1], pose.roll = angles[2];
    last_ = pose;
    return pose;
  }

private:
  PoseSmoothingRates rates_;
  double time_ = 0;
  std::optional<face::HeadPose> last_, raw_;
  Vec3 turning_ = {0, 0, 0}, moving_ = {0, 0, 0};
  face::Expression changing_ = {};
};

}  // namespace kinema
