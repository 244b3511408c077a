#include "synth/rig.h"

#include "kinema/error.h"
#include "synth/turn.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kinema::synth {
namespace {

constexpr Vec3 ahead{0, 0, 1};

std::size_t index(std::string_view common) {
  const auto found = std::find(body::common_joints.begin(), body::common_joints.end(), common);
  return static_cast<std::size_t>(found - body::common_joints.begin());
}
int first_child(const io::Bvh& bvh, int parent) {
  for (std::size_t j = 0; parent >= 0 && j < bvh.joints.size(); ++j) {
    if (bvh.joints[j].parent == parent) return static_cast<int>(j);
  }
  return -1;
}

// The mean of rotations that are near each other.
class MeanTurn {
public:
  void add(Quaternion q) {
    const double sign = q.w * sum_.w + q.x * sum_.x + q.y * sum_.y + q.z * sum_.z < 0 ? -1 : 1;
    sum_ = {sum_.w + sign * q.w, sum_.x + sign * q.x, sum_.y + sign * q.y, sum_.z + sign * q.z};
  }
  Quaternion get() const {
    const double size = std::sqrt(sum_.w * sum_.w + sum_.x * sum_.x + sum_.y * sum_.y + sum_.z * sum_.z);
    return size > 1e-6 ? normalised(sum_) : Quaternion{1, 0, 0, 0};
  }

private:
  Quaternion sum_{0, 0, 0, 0};
};

}  // namespace

// Joints in metres, with what a file may lack.
struct Rig::Places {
  std::array<Vec3, body::common_joints.size()> joints;
  Vec3 hips, waist;
  Vec3 hand[2];  // unit vectors
  Vec3 foot[2];  // from the ankles to the balls of the feet, or forwards
  bool has_foot[2] = {false, false};
  std::vector<Quaternion> rotations;

  Vec3 at(std::string_view common) const { return joints[index(common)]; }
  Vec3 at(int side, std::string_view joint) const { return joints[index(side_name(side, joint))]; }
  Vec3 way(int side, std::string_view from, std::string_view to) const {
    return unit_vector(at(side, to) - at(side, from), {0, -1, 0});
  }
  Vec3 between(std::string_view joint) const { return at(0, joint) - at(1, joint); }
  Quaternion turn(int joint) const { return rotations[static_cast<std::size_t>(joint)]; }
};

bool rest_is_upright(const io::Bvh& bvh) {
  const auto joints = io::bvh_common_joints(bvh);
  const io::BvhPlaces places = io::bvh_rest(bvh);
  const auto along = [&](std::string_view from, std::string_view to) {
    const int a = joints[index(from)], b = joints[index(to)];
    if (a < 0 || b < 0) return Vec3{};
    return unit_vector(places.positions[static_cast<std::size_t>(b)] - places.positions[static_cast<std::size_t>(a)],
                       {});
  };
  return along("pelvis", "head").y > 0.9 && along("right_shoulder", "left_shoulder").x > 0.9 &&
         along("left_hip", "left_ankle").y < -0.8 && along("right_hip", "right_ankle").y < -0.8;
}

Rig::Rig(const io::Bvh& bvh, double metres_per_unit, std::size_t first)
    : bvh_(bvh), unit_(metres_per_unit), joints_(io::bvh_common_joints(bvh)), upright_(rest_is_upright(bvh)) {
  find_joints();
  const Places last = places_of(io::bvh_places(bvh, static_cast<double>(bvh.frames)));
  for (int side = 0; side < 2; ++side) {
    leg_ += 0.5 * norm(last.at(side, "knee") - last.at(side, "hip"));
    leg_ += 0.5 * norm(last.at(side, "ankle") - last.at(side, "knee"));
  }
  // those of a toddler and of a giant
  if (!(leg_ > 0.25 && leg_ < 1.3)) {
    throw Error(fmt::format("a leg is {:.3g} m long, which is not that of a person: give --unit, in metres", leg_));
  }
  constexpr std::size_t most_samples = 256;
  const std::size_t step = 1 + (bvh.frames - std::min(first, bvh.frames)) / most_samples;
  for (std::size_t f = first; f < bvh.frames; f += step) samples_.push_back(static_cast<double>(f));
  palm_ = upright_ ? sky : ahead;
  calibrate_trunk();
  calibrate_shoulders();
  calibrate_feet();
}

void Rig::find_joints() {
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    if (joints_[i] >= 0) continue;
    throw Error(fmt::format("has no joint {}, under this or another known name: the motion of a whole person is needed",
                            body::common_joints[i]));
  }
  const auto above = [&](int joint) {
    std::vector<int> chain;
    for (int j = joint; j >= 0; j = bvh_.joints[static_cast<std::size_t>(j)].parent) chain.push_back(j);
    return chain;
  };
  // the chest carries both shoulders
  const std::vector<int> left = above(joints_[index("left_shoulder")]), right = above(joints_[index("right_shoulder")]);
  chest_ = *std::find_if(left.begin(), left.end(),
                         [&](int j) { return std::find(right.begin(), right.end(), j) != right.end(); });

  // the waist is half-way up the spine
  const io::BvhPlaces places = io::bvh_places(bvh_, static_cast<double>(bvh_.frames));
  const auto at = [&](std::string_view name) {
    return places.positions[static_cast<std::size_t>(joints_[index(name)])];
  };
  const Vec3 hips = 0.5 * (at("left_hip") + at("right_hip")), middle = 0.5 * (hips + at("neck"));
  double nearest = 0.3 * norm(at("neck") - hips);
  for (int j : above(joints_[index("neck")])) {
    const double distance = norm(places.positions[static_cast<std::size_t>(j)] - middle);
    if (distance < nearest) nearest = distance, waist_ = j;
  }
  for (int side = 0; side < 2; ++side) {
    beyond_[side].ball = first_child(bvh_, joints_[index(side_name(side, "ankle"))]);
    for (int j = first_child(bvh_, joints_[index(side_name(side, "wrist"))]); j >= 0; j = first_child(bvh_, j))
      beyond_[side].finger = j;
  }
}

Rig::Places Rig::places_of(const io::BvhPlaces& found) const {
  const auto place = [&](int j) { return unit_ * found.positions[static_cast<std::size_t>(j)]; };
  // the end of the bones beyond a joint, or the joint itself
  const auto end_of = [&](int j) {
    const auto& ends = bvh_.joints[static_cast<std::size_t>(j)].end_sites;
    return ends.empty() ? place(j)
                        : place(j) + unit_ * rotate(found.rotations[static_cast<std::size_t>(j)], ends.front());
  };
  Places places;
  places.rotations = found.rotations;
  for (std::size_t i = 0; i < joints_.size(); ++i) places.joints[i] = place(joints_[i]);
  places.hips = 0.5 * (places.at("left_hip") + places.at("right_hip"));
  places.waist = waist_ >= 0 ? place(waist_) : 0.5 * (places.hips + places.at("neck"));
  const Vec3 front = cross(places.between("shoulder"), places.at("neck") - places.hips);
  for (int side = 0; side < 2; ++side) {
    const Vec3 wrist = places.at(side, "wrist"), ankle = places.at(side, "ankle");
    const int finger = beyond_[side].finger, ball = beyond_[side].ball;
    const Vec3 hand = end_of(finger >= 0 ? finger : joints_[index(side_name(side, "wrist"))]) - wrist;
    // the file may end at the wrist or at the ankle
    places.hand[side] = norm(hand) < 0.02 ? places.way(side, "elbow", "wrist") : unit_vector(hand);
    const Vec3 foot = (ball >= 0 ? place(ball) : end_of(joints_[index(side_name(side, "ankle"))])) - ankle;
    places.has_foot[side] = norm(foot) > 0.03;
    places.foot[side] = places.has_foot[side] ? foot : across(front, places.way(side, "knee", "ankle"));
  }
  return places;
}

// x along the hips; y up the lower trunk, whose pitch varies with the rig.
Quaternion Rig::pelvis_of(const Places& places) const {
  const Quaternion along = rotation_of(axes_along(0, places.between("hip"), places.waist - places.hips));
  return along * exponential(Vec3{-pelvis_pitch_, 0, 0});
}

Quaternion Rig::chest_of(const Places& places) const { return places.turn(chest_) * chest_turn_; }

void Rig::calibrate_trunk() {
  const auto head = joints_[index("head")];
  if (upright_) {
    const Places rest = places_of(io::bvh_rest(bvh_));
    const auto leaning = [](Vec3 v) { return turn_between({0, v.y, v.z}, sky); };
    const Vec3 lower = rest.waist - rest.hips;
    pelvis_pitch_ = std::atan2(lower.z, lower.y);
    trunk_lean_ = leaning(rest.at("neck") - rest.hips);
    neck_lean_ = leaning(rest.at("head") - rest.at("neck"));
    return;
  }
  MeanTurn chest, skull;
  for (double frame : samples_) {
    const Places places = places_of(io::bvh_places(bvh_, frame));
    const Quaternion trunk = rotation_of(axes_of(places.at("neck") - places.waist, places.between("shoulder")));
    chest.add(conjugate(places.turn(chest_)) * trunk);
    skull.add(conjugate(places.turn(head)) * trunk);
  }
  chest_turn_ = chest.get();
  head_turn_ = skull.get();
}

void Rig::calibrate_shoulders() {
  for (int side = 0; side < 2; ++side) {
    Vec3 hanging{}, any{};
    double count = 0;
    for (double frame : samples_) {
      const Places places = places_of(io::bvh_places(bvh_, frame));
      const Quaternion back = conjugate(chest_of(places));
      const Vec3 shoulder = rotate(back, places.at(side, "shoulder") - places.at("neck"));
      any = any + shoulder;
      if (rotate(back, places.way(side, "shoulder", "elbow")).y > -0.7) continue;
      hanging = hanging + shoulder;
      ++count;
    }
    shoulder_[side] = count > 0 ? (1 / count) * hanging : (1 / static_cast<double>(samples_.size())) * any;
  }
}

void Rig::calibrate_feet() {
  const auto level = [](Vec3 foot) { return rotation_of(axes_along(1, sky, across(foot, sky))); };
  for (int side = 0; side < 2; ++side) {
    const int ankle = joints_[index(side_name(side, "ankle"))], ball = beyond_[side].ball;
    if (upright_) {
      foot_turn_[side] = toe_turn_[side] = level(places_of(io::bvh_rest(bvh_)).foot[side]);
      continue;
    }
    // a foot that stands still is flat on the floor
    std::vector<std::pair<double, double>> speeds;
    for (double frame : samples_) {
      const Places before = places_of(io::bvh_places(bvh_, frame - 1)),
                   after = places_of(io::bvh_places(bvh_, frame + 1));
      const Vec3 step = after.at(side, "ankle") - before.at(side, "ankle");
      speeds.emplace_back(norm(step) + norm(step + after.foot[side] - before.foot[side]), frame);
    }
    std::sort(speeds.begin(), speeds.end());
    MeanTurn foot, toes;
    for (std::size_t i = 0; i <= speeds.size() / 10; ++i) {
      const Places places = places_of(io::bvh_places(bvh_, speeds[i].second));
      const Quaternion flat = level(places.foot[side]);
      foot.add(conjugate(places.turn(ankle)) * flat);
      if (ball >= 0) toes.add(conjugate(places.turn(ball)) * flat);
    }
    foot_turn_[side] = foot.get();
    toe_turn_[side] = toes.get();
  }
}

RigPose Rig::at(double frame) const {
  const Places places = places_of(io::bvh_places(bvh_, frame));
  RigPose pose;
  pose.hips = places.hips;
  pose.pelvis = pelvis_of(places);
  pose.chest = chest_of(places);
  pose.head = places.turn(joints_[index("head")]) * head_turn_;
  const auto leaning = [](const Quaternion& frame_of, const Quaternion& lean, Vec3 way) {
    return unit_vector(rotate(frame_of * lean * conjugate(frame_of), way));
  };
  pose.trunk = leaning(pose.pelvis, trunk_lean_, places.at("neck") - places.hips);
  pose.neck = leaning(pose.chest, neck_lean_, places.at("head") - places.at("neck"));
  for (int side = 0; side < 2; ++side) {
    RigPose::Side& limbs = pose.side[side];
    limbs.upper_arm = places.way(side, "shoulder", "elbow");
    limbs.forearm = places.way(side, "elbow", "wrist");
    limbs.thigh = places.way(side, "hip", "knee");
    limbs.shin = places.way(side, "knee", "ankle");
    limbs.shrug = rotate(conjugate(pose.chest), places.at(side, "shoulder") - places.at("neck")) - shoulder_[side];
    limbs.ankle = places.at(side, "ankle");

    const Vec3 palm = rotate(places.turn(joints_[index(side_name(side, "wrist"))]), palm_);
    limbs.hand = rotation_of(axes_along(0, (side == 0 ? 1.0 : -1.0) * places.hand[side], palm));
    const int ball = beyond_[side].ball;
    limbs.foot = places.has_foot[side] ? places.turn(joints_[index(side_name(side, "ankle"))]) * foot_turn_[side]
                                       : rotation_of(axes_along(1, -1.0 * limbs.shin, places.foot[side]));
    limbs.toes = limbs.foot;
    if (places.has_foot[side] && ball >= 0) {
      const Vec3 tip = rotate(conjugate(limbs.foot) * places.turn(ball) * toe_turn_[side], ahead);
      limbs.toes = limbs.foot * exponential(Vec3{-std::atan2(tip.y, tip.z), 0, 0});
    }
  }
  return pose;
}

}  // namespace kinema::synth
