#include "body/smoothing/head_turn.h"

#include "body/constants.h"
#include "body/particles/mean_state.h"
#include "body/smoothing/constants_head.h"
#include "core/geometry.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kinema::body {
namespace {

using namespace constants::head;
using Eigen::Matrix3d, Eigen::Vector3d;

const Vector3d of_head{1, 1, 0}, of_fitted_head{1, 1, 1};

// The first turns, and then nods: R = R_y(turn) R_x(nod).
using Angles = std::array<double, 2>;

Angles angles_of(const Vec3& looks) {
  return {std::atan2(looks.x, looks.z), std::atan2(-looks.y, std::hypot(looks.x, looks.z))};
}

Quaternion rotation_of(const Angles& angles) {
  return exponential(Vec3{0, angles[0], 0}) * exponential(Vec3{angles[1], 0, 0});
}

// The deviations of q, l and w, of turn and nod, as variances.
Matrix3d usual(std::size_t angle) {
  const Vector3d deviation =
      angle == 0 ? Vector3d{quick_turn, lasting_turn, wrong_turn} : Vector3d{quick_nod, lasting_nod, wrong_nod};
  return deviation.cwiseAbs2().asDiagonal();
}

// The joint of a head that turns and carries no other; 0 for none.
std::size_t head_of(const Skeleton& skeleton) {
  const int head = skeleton.find("head");
  const auto on_head = [&](const Joint& joint) { return joint.parent == head; };
  if (head < 0 || std::any_of(skeleton.joints.begin(), skeleton.joints.end(), on_head)) return 0;
  return skeleton.joints[static_cast<std::size_t>(head)].freedoms.empty() ? 0 : static_cast<std::size_t>(head);
}

// The joint of the chest, which carries the neck.
std::size_t chest_of(const Skeleton& skeleton, std::size_t head) {
  const int neck = skeleton.find("neck");
  return static_cast<std::size_t>(
      std::max(0, skeleton.joints[neck < 0 ? head : static_cast<std::size_t>(neck)].parent));
}

// Whether a face that was seen is that of a head at this place.
bool belongs(const FaceObservation& face, const Vec3& head) {
  const double along = dot(face.ray, head);
  if (dot(face.direction, face.ray) > 0 || norm(head - along * face.ray) > face_reach) return false;
  return face.distance <= 0 || std::abs(along - face.distance) < face_reach + 2 * face.distance_deviation;
}

}  // namespace

struct HeadTurn::Frame {
  Estimate* estimate;
  std::size_t head;                   // the joint
  Quaternion chest, above;            // rotations of the chest and of the joint that carries the head
  Quaternion tilt;                    // of the head, besides turn and nod
  Vector3d kept = Vector3d::Zero();   // of q, l and w since the frame before
  Beliefs expected = {}, known = {};  // before and after it was seen
};

void HeadTurn::Belief::measure(const Vector3d& row, double value, double variance) {
  const Vector3d spread = covariance * row;
  const Vector3d gain = spread / (row.dot(spread) + variance);
  mean += gain * (value - row.dot(mean));
  covariance -= gain * spread.transpose();
}

HeadTurn::Frame HeadTurn::see(Estimate& estimate, std::size_t head) {
  const Skeleton& skeleton = *estimate.skeleton;
  const std::vector<Quaternion> rotations = joint_rotations(skeleton, estimate.pose);
  const Quaternion chest = rotations[chest_of(skeleton, head)], to_chest = conjugate(chest);
  const Quaternion fitted = to_chest * rotations[head];
  const Angles angles = angles_of(rotate(fitted, Vec3{0, 0, 1}));
  Frame frame{&estimate, head, chest, rotations[static_cast<std::size_t>(skeleton.joints[head].parent)],
              conjugate(rotation_of(angles)) * fitted};

  const bool first = !time_ || !(estimate.time > *time_);
  const double seconds = first ? constants::pipeline::usual_interval : estimate.time - *time_;
  time_ = estimate.time;
  if (!first) frame.kept = (-seconds / Eigen::Array3d{quick_time, lasting_time, wrong_time}).exp();
  for (std::size_t i = 0; i < beliefs_.size(); ++i) {
    Belief& belief = beliefs_[i];
    if (first) belief = {Vector3d::Zero(), Matrix3d::Zero()};
    const auto keeps = frame.kept.asDiagonal();
    belief.mean = keeps * belief.mean;
    belief.covariance = keeps * belief.covariance * keeps;
    belief.covariance += usual(i) * (1 - frame.kept.array().square()).matrix().asDiagonal();
    frame.expected[i] = belief;
    if (!estimate.hidden) belief.measure(of_fitted_head, angles[i], tracked_noise * tracked_noise / seconds);
  }
  for (const FaceObservation& face : estimate.faces) {
    const Angles looks = angles_of(rotate(to_chest, face.direction));
    if (!belongs(face, estimate.joints[head]) || std::abs(looks[0]) > std::numbers::pi / 2) continue;
    for (std::size_t i = 0; i < beliefs_.size(); ++i) {
      const double deviation = std::hypot(face.direction_deviation, i == 0 ? face_turn_deviation : face_nod_deviation);
      const double together = std::max(1.0, face_error_time / seconds) / std::max(face.probability, 1e-3);
      beliefs_[i].measure(of_head, looks[i], deviation * deviation * together);
    }
  }
  frame.known = beliefs_;
  return frame;
}

// Later frames correct earlier ones (Rauch, Tung and Striebel); then the heads turn.
void HeadTurn::turn(std::vector<Frame>& frames) {
  for (std::size_t t = frames.size(); t-- > 0;) {
    Frame& frame = frames[t];
    Angles angles{}, deviations{};
    for (std::size_t i = 0; i < angles.size(); ++i) {
      Belief& known = frame.known[i];
      if (t + 1 < frames.size()) {
        const Belief &later = frames[t + 1].known[i], &expected = frames[t + 1].expected[i];
        const Matrix3d gain = known.covariance * frames[t + 1].kept.asDiagonal() * expected.covariance.inverse();
        known.mean += gain * (later.mean - expected.mean);
        known.covariance += gain * (later.covariance - expected.covariance) * gain.transpose();
      }
      angles[i] = of_head.dot(known.mean);
      deviations[i] = std::sqrt(of_head.dot(known.covariance * of_head));
    }
    Estimate& estimate = *frame.estimate;
    estimate.head_deviation = Vec3{deviations[1], deviations[0], tilt_deviation};
    const Skeleton& skeleton = *estimate.skeleton;
    const FlatSkeleton flat(skeleton);
    const FlatJoint& joint = flat.view().joints[frame.head];
    double turned[3] = {};
    joint_angles(joint, normalised(conjugate(frame.above) * frame.chest * rotation_of(angles) * frame.tilt), turned);
    const std::vector<Freedom>& freedoms = skeleton.joints[frame.head].freedoms;
    for (std::size_t i = 0; i < freedoms.size(); ++i)
      estimate.pose.angles[static_cast<std::size_t>(joint.first_angle) + i] =
          std::clamp(turned[i], freedoms[i].lower, freedoms[i].upper);
  }
}

void HeadTurn::correct(std::span<Estimate> estimates) {
  std::vector<Frame> frames;
  for (Estimate& estimate : estimates) {
    if (!estimate.found) {
      restart();
      continue;
    }
    if (const std::size_t head = head_of(*estimate.skeleton); head > 0) frames.push_back(see(estimate, head));
  }
  turn(frames);
}

}  // namespace kinema::body
