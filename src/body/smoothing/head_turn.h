// Which way a head looks. One of capsules has nearly no front: hair turns it to a side, with some people all the time. What is
// given out is held to the chest as necks hold heads, and follows points and faces as far as they are to be believed.
//
// The turn of a head to a side, counted from the chest, is q + l, and its nod likewise: q what heads do for a moment, l what they
// do for long. The head that was fitted to the points has the turn q + l + w, with an error w that is the person's own; a face that
// was seen has q + l. All three are Ornstein-Uhlenbeck processes, which a Kalman filter tells apart: what comes suddenly is a turn,
// what lasts an error. Only the rotation of the head's own joint changes: no joint moves, and the tracker goes on with its own pose.
#pragma once

#include "kinema/body_tracker.h"

#include <Eigen/Dense>

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace kinema::body {

class HeadTurn {
public:
  /// It may be somebody else.
  void restart() { time_.reset(); }

  /// Turns the heads of the next estimates, oldest first, and says how sure that is. Of several, later ones correct earlier ones.
  /// One that found nobody restarts it. A head without freedoms, or that carries other joints, stays as it is.
  void correct(std::span<Estimate> estimates);

private:
  /// Of q, l and w.
  struct Belief {
    Eigen::Vector3d mean;
    Eigen::Matrix3d covariance;

    void measure(const Eigen::Vector3d& row, double value, double variance);
  };
  using Beliefs = std::array<Belief, 2>;  // of turn and nod
  struct Frame;

  Frame see(Estimate& estimate, std::size_t head);
  static void turn(std::vector<Frame>& frames);

  std::optional<double> time_;  // of the last estimate
  Beliefs beliefs_;             // then
};

}  // namespace kinema::body
