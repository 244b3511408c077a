#include "io/network/body_network.h"

#include "io/motion/motion_files.h"
#include "io/motion/poses.h"
#include "io/network/avatar_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace kinema::io {
namespace {

// Share of a new frame in the level of the floor: about a second at 30 frames per second.
constexpr double floor_rate = 1.0 / 30;

// A plane that is steeper than 60 degrees is no floor below anybody.
constexpr double least_upright = 0.5;

struct Bone {
  std::string_view name, joint;
};

// Unity's HumanBodyBones that a skeleton may have; parents before their children.
constexpr Bone bones[] = {{"Hips", "pelvis"},
                          {"Spine", "lower_back"},
                          {"Chest", "spine"},
                          {"Neck", "neck"},
                          {"Head", "head"},
                          {"LeftShoulder", "left_clavicle"},
                          {"LeftUpperArm", "left_shoulder"},
                          {"LeftLowerArm", "left_elbow"},
                          {"LeftHand", "left_wrist"},
                          {"RightShoulder", "right_clavicle"},
                          {"RightUpperArm", "right_shoulder"},
                          {"RightLowerArm", "right_elbow"},
                          {"RightHand", "right_wrist"},
                          {"LeftUpperLeg", "left_hip"},
                          {"LeftLowerLeg", "left_knee"},
                          {"LeftFoot", "left_ankle"},
                          {"LeftToes", "left_toe"},
                          {"RightUpperLeg", "right_hip"},
                          {"RightLowerLeg", "right_knee"},
                          {"RightFoot", "right_ankle"},
                          {"RightToes", "right_toe"}};

struct Tracker {
  std::string_view number, place, rotation;  // the joints of its place, and of the limb whose rotation it has
};

// In the order in which VRChat lists them. A tracker on an elbow is worn on the upper arm, one on a knee on the thigh.
constexpr Tracker trackers[] = {{"1", "pelvis", "pelvis"},
                                {"2", "spine", "spine"},
                                {"3", "left_ankle", "left_ankle"},
                                {"4", "right_ankle", "right_ankle"},
                                {"5", "left_knee", "left_hip"},
                                {"6", "right_knee", "right_hip"},
                                {"7", "left_elbow", "left_shoulder"},
                                {"8", "right_elbow", "right_shoulder"},
                                {"head", "head", "head"}};

int find_joint(const std::vector<std::string>& names, std::string_view joint) {
  const auto found = std::find(names.begin(), names.end(), joint);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

OscMessage& transform(OscMessage& message, const Vec3& p, const Quaternion& q) {
  const double values[] = {p.x, p.y, p.z, q.x, q.y, q.z, q.w};
  return message.numbers(values);
}

}  // namespace

std::vector<OscMessage> body_osc(const body::Skeleton& skeleton, const body::Estimate& estimate) {
  const auto frame = static_cast<std::int32_t>(estimate.frame);
  if (!estimate.found) return {OscMessage("/kinema/body/lost").whole(frame)};
  std::vector<OscMessage> messages{OscMessage("/kinema/body").whole(frame).number(estimate.confidence)};
  const std::vector<std::string> names = output_names(skeleton);
  const std::vector<Quaternion> rotations = body::joint_rotations(skeleton, estimate.pose);
  for (std::size_t j = 0; j < names.size(); ++j) {
    OscMessage message("/kinema/body/joint");
    message.text(names[j]);
    messages.push_back(transform(message, estimate.joints[j], rotations[j]).number(estimate.deviation[j]));
  }
  return messages;
}

std::vector<OscMessage> body_vmc(const body::Skeleton& skeleton, const body::Estimate& estimate, double floor) {
  // loaded, calibrated, normal mode, and whether somebody is tracked
  std::vector<OscMessage> messages{OscMessage("/VMC/Ext/OK").whole(1).whole(3).whole(0).whole(estimate.found ? 1 : 0),
                                   OscMessage("/VMC/Ext/T").number(estimate.time)};
  if (!estimate.found) return messages;
  // the root stands on the floor under the hips, and does not turn
  const Vec3 hips = avatar_place(estimate.pose.position);
  OscMessage root("/VMC/Ext/Root/Pos");
  root.text("root");
  messages.push_back(transform(root, {hips.x, 0, hips.z}, {1, 0, 0, 0}));

  const std::vector<std::string> names = output_names(skeleton);
  const std::vector<Quaternion> rotations = body::joint_rotations(skeleton, estimate.pose);
  const std::vector<Vec3> rest = rest_places(skeleton);
  std::vector<bool> is_bone(names.size(), false);
  for (const Bone& bone : bones) {
    if (const int joint = find_joint(names, bone.joint); joint >= 0) is_bone[static_cast<std::size_t>(joint)] = true;
  }
  for (const Bone& bone : bones) {
    const int found = find_joint(names, bone.joint);
    if (found < 0) continue;
    const auto joint = static_cast<std::size_t>(found);
    int parent = skeleton.joints[joint].parent;
    while (parent >= 0 && !is_bone[static_cast<std::size_t>(parent)]) {
      parent = skeleton.joints[static_cast<std::size_t>(parent)].parent;
    }
    OscMessage message("/VMC/Ext/Bone/Pos");
    message.text(bone.name);
    if (parent < 0) {
      transform(message, {0, floor - estimate.joints[joint].y, 0}, avatar_rotation(rotations[joint]));
    } else {
      const auto above = static_cast<std::size_t>(parent);
      transform(message, avatar_offset(rest[joint] - rest[above]),
                avatar_turn(normalised(conjugate(rotations[above]) * rotations[joint])));
    }
    messages.push_back(std::move(message));
  }
  return messages;
}

std::vector<OscMessage> body_vrchat(const body::Skeleton& skeleton, const body::Estimate& estimate, double floor) {
  std::vector<OscMessage> messages;
  if (!estimate.found) return messages;
  const std::vector<std::string> names = output_names(skeleton);
  const std::vector<Quaternion> rotations = body::joint_rotations(skeleton, estimate.pose);
  for (const Tracker& tracker : trackers) {
    const int place = find_joint(names, tracker.place), limb = find_joint(names, tracker.rotation);
    if (place < 0 || limb < 0) continue;
    const Vec3& joint = estimate.joints[static_cast<std::size_t>(place)];
    const Vec3 at = avatar_place(joint);
    const double position[] = {at.x, floor - joint.y, at.z};
    const std::array<double, 3> turn = euler_degrees(avatar_rotation(rotations[static_cast<std::size_t>(limb)]));
    const std::string address = fmt::format("/tracking/trackers/{}/", tracker.number);
    messages.push_back(OscMessage(address + "position").numbers(position));
    messages.push_back(OscMessage(address + "rotation").numbers(turn));
  }
  return messages;
}

std::optional<HeadPose> head_pose(const body::Skeleton& skeleton, const body::Estimate& estimate) {
  const int head = find_joint(output_names(skeleton), "head");
  if (!estimate.found || head < 0) return std::nullopt;
  const auto joint = static_cast<std::size_t>(head);
  const std::array<double, 3> turn =
      euler_degrees(avatar_rotation(body::joint_rotations(skeleton, estimate.pose)[joint]));
  return HeadPose{estimate.joints[joint], {turn[1], -turn[0], -turn[2]}};
}

double FloorLevel::add(const body::Skeleton& skeleton, const body::Estimate& estimate,
                       const std::optional<Plane>& floor) {
  if (!estimate.found) return level_.value_or(0);
  double now = 0;
  const Vec3& at = estimate.pose.position;
  if (floor && -floor->normal.y > least_upright) {
    now = -(floor->normal.x * at.x + floor->normal.z * at.z + floor->offset) / floor->normal.y;
  } else {
    const std::vector<float> capsules = body::pose_capsules(skeleton, estimate.pose);
    now = at.y;
    for (std::size_t k = 0; k + 6 < capsules.size(); k += 7) {
      now = std::max<double>(now, std::max(capsules[k + 1], capsules[k + 5]) + capsules[k + 3]);
    }
  }
  level_ = level_ ? *level_ + floor_rate * (now - *level_) : now;
  return *level_;
}

void BodySender::send(double unix_time, const body::Skeleton& skeleton, const body::Estimate& estimate,
                      const std::optional<Plane>& floor) {
  if (sender_.has_osc()) sender_.osc(unix_time, body_osc(skeleton, estimate));
  if (sender_.has_opentrack()) {
    if (const auto head = head_pose(skeleton, estimate)) {
      sender_.opentrack(unix_time, head->position, head->yaw_pitch_roll);
    }
  }
  if (!sender_.has_vmc() && !sender_.has_vrchat()) return;
  const double level = floor_.add(skeleton, estimate, floor);
  if (sender_.has_vmc()) sender_.vmc(unix_time, body_vmc(skeleton, estimate, level));
  if (sender_.has_vrchat()) sender_.vrchat(body_vrchat(skeleton, estimate, level));
}

}  // namespace kinema::io
