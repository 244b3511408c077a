// Compares rival hypotheses with the tracked pose: a few per frame in turn, or, every few frames and more often at
// first, all results of a search. A filter that follows one mode of the posterior cannot leave a wrong one on its own.
#pragma once

#include "body/constants_mechanisms.h"
#include "body/particles/motion.h"
#include "body/particles/particles.h"
#include "body/refine/refine.h"
#include "body/tracker/face_evidence.h"
#include "body/tracker/rival_poses.h"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace kinema::body {

/// Poses that may explain a frame, the tracked one first, with their log-likelihoods and the costs of their postures.
struct Hypotheses {
  std::vector<std::vector<float>> states;
  std::vector<double> log_likelihood;
  std::vector<double> posture;  // RivalMonitor::posture_cost()

  /// `evidence`: independent points per point.
  double log_posterior(std::size_t i, double evidence) const { return evidence * log_likelihood[i] - posture[i]; }
  std::size_t best(double evidence) const;

  /// Drops those that do not satisfy a predicate on the state, except the tracked one.
  template <class Predicate>
  void keep_if(Predicate predicate) {
    std::size_t kept = 1;
    for (std::size_t i = 1; i < states.size(); ++i) {
      if (!predicate(states[i])) continue;
      std::swap(states[kept], states[i]);
      log_likelihood[kept] = log_likelihood[i];
      posture[kept++] = posture[i];
    }
    states.resize(kept);
    log_likelihood.resize(kept);
    posture.resize(kept);
  }
};

class RivalMonitor {
public:
  RivalMonitor(const Skeleton& skeleton, const TrackerSettings& settings);

  /// The same person, with a better measured shape.
  void set_skeleton(const Skeleton& skeleton);

  /// Faces in the picture of the current frame, which speak for the poses below.
  void set_faces(std::span<const FaceObservation> faces) { faces_.set(faces); }

  /// A person was just detected.
  void restart() { age_ = next_face_ = 0; }

  /// Searches this many times more rarely.
  void set_search_rest(int factor) { search_rest_ = factor; }

  /// The predicted pose of the particles and its rivals, refined and weighed with the points of this frame. Does not
  /// modify the particles.
  Hypotheses evaluate_rivals(Particles& particles, const RefinePoints& points);

  /// The poses refined in two rounds with all points; of each, the likelier of before and after.
  Hypotheses compare(Particles& particles, const std::vector<std::vector<float>>& states) const;

  /// The likeliest of these poses, and the same turned round with limbs in place: back and front of a body are so
  /// similar that a search may find only one of them.
  struct Facings {
    Hypotheses own, turned;
  };
  Facings compare_facings(Particles& particles, const std::vector<std::vector<float>>& states) const;

  /// Where faces speak clearly against the facing of a pose, the likeliest pose of the other facing: the same turned round
  /// with limbs in place, or a result of a search. Else nothing. Whatever the points say: it is to be followed beside the
  /// other one. Not again for some frames, since it takes time. `evidence`: independent points per point.
  std::vector<float> facing_of_face(Particles& particles, const RefinePoints& points, std::span<const float> state,
                                    double evidence);

  /// -log p of a state before its points are seen, up to a constant: unusual postures, backs, and what faces say.
  double posture_cost(std::span<const float> state) const;

  /// The part of it that concerns joints and faces: all but the facing that is usual.
  double frame_cost(std::span<const float> state) const {
    return (mechanisms::compared_posture ? comfort_.cost(state) : 0) + faces_.cost(state);
  }

  /// Whether the last rivals were results of a search.
  bool searched() const { return searched_; }

private:
  std::vector<std::vector<float>> search_about(Particles& particles, const RefinePoints& points,
                                               std::span<const float> state) const;

  Skeleton skeleton_;
  TrackerSettings settings_;
  RivalPoses rivals_;
  std::vector<double> precision_;  // of the prior of every pose
  Comfort comfort_;
  FaceEvidence faces_;
  std::size_t next_rival_ = 0;
  int age_ = 0;        // frames since the person was detected
  int next_face_ = 0;  // age at which a face may propose another facing
  int search_rest_ = 1;
  bool searched_ = false;
};

}  // namespace kinema::body
