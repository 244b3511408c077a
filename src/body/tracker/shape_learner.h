// Measures the person during tracking: collects frames, and decides when to fit the shape to them.
#pragma once

#include "body/tracker/shape.h"

#include <optional>

namespace kinema::body {

class ShapeLearner {
public:
  /// `skeleton`: the prior of the person, before any frame.
  /// `size_deviation`: that of the person's size, relative to it.
  ShapeLearner(const Skeleton& skeleton, double size_deviation);

  /// A person was detected who is `size` times as tall as the skeleton: earlier frames show nobody, or somebody else.
  void begin_at_size(double size);

  /// Whether the next frame is wanted; to be called once per frame.
  bool due() { return frames_++ % every_ == 0; }

  /// Adds a frame, and fits the shape when due: early, so that the person is tracked well enough to be measured, then
  /// with all frames kept in a second, and again whenever twice as long was seen, maybe from other sides. `refinement`:
  /// for all points together, with the weights used to pose a person.
  std::optional<ShapeFit> add(const RefinePoints& points, const std::optional<Plane>& floor,
                              const std::vector<float>& state, RefineSettings refinement, const Threads& threads);

  /// What the uncertainty of the shape adds to that of each joint; see ShapeFit. Empty before the first frame.
  const std::vector<double>& joint_variance() const { return joint_variance_; }

  /// Whether a full second was seen.
  bool known() const { return known_; }

private:
  ShapeSpace space_;
  double size_deviation_;
  Eigen::VectorXd mean_, shape_;  // the average person of the size that was detected, and the one measured
  std::vector<ShapeFrame> kept_;
  std::vector<double> joint_variance_;
  int frames_ = 0;
  int every_ = constants::shape::shape_interval;
  bool known_ = false;
};

}  // namespace kinema::body
