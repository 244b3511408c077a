#include "body/tracker/face_evidence.h"

#include "body/constants.h"
#include "body/tracker/constants_search.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace kinema::body {

using namespace constants::seen_face;

void check(const FaceObservation& face) {
  const auto need = [](bool sensible, const char* what, double value, const char* mend) {
    if (!sensible) throw Error(fmt::format("a face that was seen: {} {}: give {}", what, value, mend));
  };
  const auto unit = [](const Vec3& v) { return std::abs(norm(v) - 1) < 1e-3; };
  const auto deviation = [](double value) { return value >= 0 && std::isfinite(value); };
  need(unit(face.ray), "its ray has the length", norm(face.ray), "a unit vector");
  need(unit(face.direction), "its direction has the length", norm(face.direction), "a unit vector");
  need(deviation(face.ray_deviation), "the deviation of its ray is", face.ray_deviation, "radians");
  need(deviation(face.direction_deviation), "the deviation of its direction is", face.direction_deviation, "radians");
  need(deviation(face.distance), "its distance is", face.distance, "metres, or 0 if it is not known");
  need(deviation(face.distance_deviation), "the deviation of its distance is", face.distance_deviation, "metres");
  need(face.probability >= 0 && face.probability <= 1, "its probability is", face.probability, "0 to 1");
}

FaceEvidence::FaceEvidence(const Skeleton& skeleton) : flat_(skeleton) { set_skeleton(skeleton); }

void FaceEvidence::set_skeleton(const Skeleton& skeleton) {
  flat_ = FlatSkeleton(skeleton);
  head_ = skeleton.find("head");
  places_.resize(skeleton.joints.size());
  if (head_ < 0) return;
  const int neck = skeleton.find("neck");
  chest_ = std::max(0, skeleton.joints[static_cast<std::size_t>(neck < 0 ? head_ : neck)].parent);
  int count = 0;
  Vec3 sum{};
  for (const SkinCapsule& capsule : skeleton.capsules) {
    if (capsule.joint != head_) continue;
    sum = sum + 0.5 * (capsule.a + capsule.b);
    ++count;
  }
  if (count > 0) sum = (1.0 / count) * sum;
  middle_ = {static_cast<float>(sum.x), static_cast<float>(sum.y), static_cast<float>(sum.z)};
}

void FaceEvidence::set(std::span<const FaceObservation> faces) {
  faces_.clear();
  if (head_ < 0) return;
  // nobody sees a face from behind
  std::copy_if(faces.begin(), faces.end(), std::back_inserter(faces_),
               [](const FaceObservation& face) { return dot(face.direction, face.ray) < most_away; });
}

double FaceEvidence::match(const FaceObservation& face, Vec3 head, const Quaternion& chest) {
  const double along = dot(face.ray, head);
  if (!(along > 0)) return 0;
  // the head's middle and the eyes are a few centimetres apart, wherever the face looks
  const double across = norm(head - along * face.ray);
  double square = std::pow(across / std::hypot(head_reach, face.ray_deviation * along), 2);
  if (face.distance > 0)
    square += std::pow((along - face.distance) / std::hypot(head_reach, face.distance_deviation), 2);
  // about the chest's own upright axis: a face that looks down looks the same way; heads turn on their necks
  const Vec3 looks = rotate(conjugate(chest), face.direction);
  const double turn = std::atan2(looks.x, looks.z);
  square += std::pow(turn / std::hypot(neck_turn, face.direction_deviation), 2);
  return std::exp(-square / 2);
}

double FaceEvidence::cost(std::span<const float> state) const {
  if (faces_.empty()) return 0;
  place_joints(flat_.view(), state.data(), places_.data());
  const Place& head = places_[static_cast<std::size_t>(head_)];
  const Vec3f middle = head.origin + rotate(head.rotation, middle_);
  const Quaternionf chest = places_[static_cast<std::size_t>(chest_)].rotation;
  const double anywhere = std::exp(-face_log_ratio), least = std::exp(-most_log_ratio);
  double log_likelihood = 0;
  for (const FaceObservation& face : faces_) {
    // this pose's own face, or a false one, which may be anywhere
    const double own = match(face, {middle.x, middle.y, middle.z}, {chest.w, chest.x, chest.y, chest.z});
    log_likelihood += std::log(face.probability * own + (1 - face.probability) * anywhere + least);
  }
  return -face_weight * log_likelihood;
}

bool FaceEvidence::prefer(std::span<const float> own, std::span<const float> other) const {
  return !faces_.empty() && cost(own) - cost(other) >= constants::filter::clear_log_ratio;
}

}  // namespace kinema::body
