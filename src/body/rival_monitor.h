// The watch for a rival: holds poses elsewhere against the tracked one, each frame a few in turn, or, now and then and more
// often at first, all that a search finds. A filter that follows one pose cannot leave a wrong one on its own.
#pragma once

#include "body/particles.h"
#include "body/refine.h"
#include "body/rival_poses.h"

#include <vector>

namespace kinema::body {

/// Poses that might explain a frame, the tracked one first, and their log-likelihoods.
struct Hypotheses {
  std::vector<std::vector<float>> states;
  std::vector<double> log_likelihood;

  std::size_t best() const;
};

class RivalMonitor {
public:
  RivalMonitor(const Skeleton& skeleton, const TrackerSettings& settings);

  /// The same person, measured better.
  void set_skeleton(const Skeleton& skeleton);

  /// A person was just found.
  void restart() { age_ = 0; }

  /// Looks around the predicted pose of the particles, in the points of this frame, and does not touch the particles.
  Hypotheses evaluate_rivals(Particles& particles, const RefinePoints& points);

  /// The same poses refined in two rounds with all the points that there are, and their log-likelihoods, the better of
  /// before and after each.
  Hypotheses compare(Particles& particles, const std::vector<std::vector<float>>& states) const;

  /// The likeliest of these poses, and the same turned round with limbs where they are: a body's back and its front are so
  /// much alike that a search may find one of them only.
  struct Facings {
    Hypotheses own, turned;
  };
  Facings compare_facings(Particles& particles, const std::vector<std::vector<float>>& states) const;

  /// Whether the last look was a search.
  bool searched() const { return searched_; }

private:
  Skeleton skeleton_;
  TrackerSettings settings_;
  RivalPoses rivals_;
  std::vector<double> precision_;  // of the prior of every pose
  std::size_t next_rival_ = 0;
  int age_ = 0;  // frames since the person was found
  bool searched_ = false;
};

}  // namespace kinema::body
