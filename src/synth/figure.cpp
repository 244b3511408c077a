#include "synth/figure.h"

#include "core/geometry.h"
#include "io/bvh_skeleton.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace kinema::synth {
namespace {

Vec3 unit_vector(Vec3 v) {
  const double size = norm(v);
  return size > 1e-9 ? (1 / size) * v : Vec3{0, 1, 0};
}

std::size_t index(std::string_view common) {
  const auto found = std::find(body::common_joints.begin(), body::common_joints.end(), common);
  return static_cast<std::size_t>(found - body::common_joints.begin());
}
std::string side_name(int side, std::string_view joint) {
  return fmt::format("{}_{}", side == 0 ? "left" : "right", joint);
}

int first_child(const io::Bvh& bvh, int parent) {
  for (std::size_t j = 0; parent >= 0 && j < bvh.joints.size(); ++j) {
    if (bvh.joints[j].parent == parent) return static_cast<int>(j);
  }
  return -1;
}

}  // namespace

Vec3 Figure::joint(std::string_view common) const { return joints[index(common)]; }
Vec3 Figure::side_joint(int side, std::string_view name) const { return joints[index(side_name(side, name))]; }

Vec3 front_of(const Figure& figure) {
  const Vec3 across = figure.joint("left_shoulder") - figure.joint("right_shoulder");
  const Vec3 up = figure.joint("neck") - figure.joint("pelvis");
  return unit_vector(cross(across, up));
}

Motion::Motion(const io::Bvh& bvh, double metres_per_unit)
    : bvh_(bvh), unit_(metres_per_unit), joints_(io::bvh_common_joints(bvh)) {
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    if (joints_[i] >= 0) continue;
    throw Error(fmt::format("has no joint {}, under this or another known name: the motion of a whole person is needed",
                            body::common_joints[i]));
  }

  // the joint half-way from the pelvis to the neck
  std::vector<int> spine;
  const int pelvis = joints_[index("pelvis")], neck = joints_[index("neck")];
  for (int j = neck; j >= 0 && j != pelvis; j = bvh.joints[static_cast<std::size_t>(j)].parent) spine.push_back(j);
  const io::BvhPlaces rest = io::bvh_places(bvh, static_cast<double>(bvh.frames));
  const auto place = [&](int j) { return rest.positions[static_cast<std::size_t>(j)]; };
  const Vec3 middle = 0.5 * (place(pelvis) + place(neck));
  double nearest = 0.3 * norm(place(neck) - place(pelvis));
  for (int j : spine) {
    const double distance = norm(place(j) - middle);
    if (distance < nearest) nearest = distance, waist_ = j;
  }
  for (int side = 0; side < 2; ++side) {
    limbs_[side].ball = first_child(bvh, joints_[index(side_name(side, "ankle"))]);
    limbs_[side].toe = first_child(bvh, limbs_[side].ball);
    int& finger = limbs_[side].finger;
    for (int j = first_child(bvh, joints_[index(side_name(side, "wrist"))]); j >= 0; j = first_child(bvh, j))
      finger = j;
  }

  const auto bone = [&](std::string_view a, std::string_view b) {
    return unit_ * norm(place(joints_[index(a)]) - place(joints_[index(b)]));
  };
  constexpr double usual = 1.08;  // sum of thigh, shin and trunk of a person of 1.65 m
  size_ = (bone("left_hip", "left_knee") + bone("left_knee", "left_ankle") + bone("pelvis", "neck")) / usual;
  if (!(size_ > 0.2 && size_ < 5)) {
    throw Error(fmt::format(
        "a leg and the trunk are {:.3g} m long together, which is no person: give --unit, in metres", size_ * usual));
  }

  // the orientation of head and hands: that of the rest pose, or the average over the clip where that is undefined
  if (io::bvh_rest_is_upright(bvh)) {
    head_up_ = {0, 1, 0};
    head_front_ = {0, 0, 1};
    palm_[0] = palm_[1] = {0, 1, 0};
    return;
  }
  Vec3 up{}, front{};
  const auto head = static_cast<std::size_t>(joints_[index("head")]);
  head_up_ = {0, 1, 0};
  head_front_ = {0, 0, 1};
  palm_[0] = palm_[1] = {0, 0, 1};
  for (std::size_t f = 0; f < bvh.frames; f += 1 + bvh.frames / 64) {
    const Figure figure = at(static_cast<double>(f) * bvh.frame_time);
    const Quaternion back = conjugate(io::bvh_places(bvh, static_cast<double>(f)).rotations[head]);
    up = up + rotate(back, unit_vector(figure.joint("neck") - figure.joint("pelvis")));
    front = front + rotate(back, front_of(figure));
  }
  head_up_ = unit_vector(up);
  head_front_ = unit_vector(front);
}

double Motion::duration() const { return static_cast<double>(bvh_.frames - 1 - first_) * bvh_.frame_time; }

bool Motion::starts_with_rest_pose(const io::Bvh& bvh) {
  if (bvh.frames < 3) return false;
  // it has no rotations, while the motion does
  std::size_t rotations = 0, start_from_rest = 0;
  for (const io::BvhJoint& joint : bvh.joints) {
    for (std::size_t c = 0; c < joint.channels.size(); ++c) {
      if (joint.channels[c] < io::BvhChannel::x_rotation) continue;
      const std::size_t at = joint.first_channel + c;
      ++rotations;
      if (bvh.frame(0)[at] == 0 && bvh.frame(1)[at] != 0) ++start_from_rest;
    }
  }
  if (2 * start_from_rest > rotations) return true;

  // or one frame leaves it, by more than a tenth of a person and ten times as fast as the motion that follows
  const io::BvhPlaces a = io::bvh_places(bvh, 0), b = io::bvh_places(bvh, 1), c = io::bvh_places(bvh, 2);
  double jump = 0, step = 0, size = 0;
  for (std::size_t j = 0; j < a.positions.size(); ++j) {
    jump += norm(b.positions[j] - a.positions[j]);
    step += norm(c.positions[j] - b.positions[j]);
    size += norm(b.positions[j] - b.positions[0]);
  }
  return jump > 0.1 * size && jump > 10 * step;
}

Figure Motion::at(double seconds) const {
  double frame = static_cast<double>(first_) + seconds / bvh_.frame_time;
  // a frame time is written with few digits: a time that misses a frame by such rounding is that frame
  const double nearest = std::round(frame);
  if (std::abs(frame - nearest) < 1e-2) frame = nearest;
  const io::BvhPlaces places = io::bvh_places(bvh_, frame);
  const auto place = [&](int j) { return unit_ * places.positions[static_cast<std::size_t>(j)]; };
  const auto turn = [&](int j, const Vec3& v) { return rotate(places.rotations[static_cast<std::size_t>(j)], v); };
  // the end of the bones beyond a joint, or the joint itself
  const auto end_of = [&](int j) {
    const auto& ends = bvh_.joints[static_cast<std::size_t>(j)].end_sites;
    return ends.empty() ? place(j) : place(j) + unit_ * turn(j, ends.front());
  };

  Figure figure;
  figure.size = size_;
  for (std::size_t i = 0; i < joints_.size(); ++i) figure.joints[i] = place(joints_[i]);
  figure.waist = waist_ >= 0 ? place(waist_) : 0.5 * (figure.joint("pelvis") + figure.joint("neck"));
  const int head = joints_[index("head")];
  figure.head_up = turn(head, head_up_);
  figure.head_front = turn(head, head_front_);

  const Vec3 front = front_of(figure);
  for (int side = 0; side < 2; ++side) {
    const int wrist = joints_[index(side_name(side, "wrist"))], ankle = joints_[index(side_name(side, "ankle"))];
    const Limb& limb = limbs_[side];
    const Vec3 at_wrist = place(wrist), at_ankle = place(ankle);
    Vec3 hand = end_of(limb.finger >= 0 ? limb.finger : wrist) - at_wrist;
    if (norm(hand) < 0.02 * size_) hand = at_wrist - figure.side_joint(side, "elbow");  // the file ends at the wrist
    figure.hand[side] = unit_vector(hand);
    figure.palm[side] = turn(wrist, palm_[side]);

    Vec3 ball = limb.ball >= 0 ? place(limb.ball) : end_of(ankle);
    if (norm(ball - at_ankle) < 0.03 * size_) {  // the file ends at the ankle
      const Vec3 shin = unit_vector(at_ankle - figure.side_joint(side, "knee"));
      ball = at_ankle + (0.13 * size_) * unit_vector(front - dot(front, shin) * shin) + (0.03 * size_) * shin;
    }
    Vec3 toe = limb.toe >= 0 ? place(limb.toe) : limb.ball >= 0 ? end_of(limb.ball) : ball;
    if (norm(toe - ball) < 0.02 * size_) {
      const Vec3 shin = unit_vector(at_ankle - figure.side_joint(side, "knee"));
      const Vec3 along = ball - at_ankle;
      toe = ball + (0.06 * size_) * unit_vector(along - (0.5 * dot(along, shin)) * shin);
    }
    figure.ball[side] = ball;
    figure.toe[side] = toe;
  }
  return figure;
}

}  // namespace kinema::synth
