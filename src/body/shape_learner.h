// Measures the person while it is tracked: keeps frames, and says when and what a fit of the shape makes of them.
#pragma once

#include "body/shape.h"

#include <optional>

namespace kinema::body {

class ShapeLearner {
public:
  /// `skeleton`: what is known of the person before anything was seen.
  explicit ShapeLearner(const Skeleton& skeleton) : origin_(skeleton) {}

  /// Somebody was found who is so much larger than was thought: earlier frames show nobody, or somebody else.
  void begin_at_size(double size);

  /// Whether the next frame is wanted; asked once a frame.
  bool due() { return frames_++ % every_ == 0; }

  /// Takes a frame, and fits the shape where it is time to: early, so that the person is followed well enough to be measured,
  /// then with all that a second showed, and again whenever twice as long was seen, maybe from other sides.
  /// `refinement`: for all points together, as they are weighed to pose a person.
  std::optional<ShapeFit> add(const RefinePoints& points, const std::optional<Plane>& floor,
                              const std::vector<float>& state, RefineSettings refinement, const Threads& threads);

  /// Whether a second was seen.
  bool known() const { return known_; }

private:
  Skeleton origin_;
  std::vector<double> shape_;  // against it; empty: the same
  std::vector<ShapeFrame> kept_;
  int frames_ = 0;
  int every_ = constants::shape::shape_interval;
  bool known_ = false;
};

}  // namespace kinema::body
