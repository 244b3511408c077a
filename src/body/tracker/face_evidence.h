// What faces seen in a colour picture say about a pose: where its head is, and which way it looks. Points tell front and
// back of a body apart only by small differences; a face shows them.
#pragma once

#include "body/skeleton/kinematics.h"
#include "kinema/face_observation.h"

#include <optional>
#include <span>
#include <vector>

namespace kinema::body {

/// Throws Error if a number of the observation is impossible.
void check(const FaceObservation& face);

/// The same numbers on every backend: computed on the host, for single poses.
class FaceEvidence {
public:
  explicit FaceEvidence(const Skeleton& skeleton);

  /// The same person, with a better measured shape.
  void set_skeleton(const Skeleton& skeleton);

  /// Of the current frame. Skeletons without a joint named "head" take no notice of them.
  void set(std::span<const FaceObservation> faces);

  bool empty() const { return faces_.empty(); }

  /// -log p(faces | state), up to a constant: 0 for a pose that explains a certain face, and bounded, since what was
  /// seen may be no face, or somebody else's. Without a face 0 for every pose: hair, darkness and turned heads hide it.
  double cost(std::span<const float> state) const;

  /// Whether the faces speak clearly for the second of two poses.
  bool prefer(std::span<const float> own, std::span<const float> other) const;

private:
  // The probability density of a face, given a head and the chest below it, relative to its maximum.
  static double match(const FaceObservation& face, Vec3 head, const Quaternion& chest);

  FlatSkeleton flat_;
  int head_ = -1, chest_ = 0;  // joints
  Vec3f middle_{};             // of the head, in its joint's frame
  std::vector<FaceObservation> faces_;
  mutable std::vector<Place> places_;
};

}  // namespace kinema::body
