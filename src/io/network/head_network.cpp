#include "io/network/head_network.h"

#include "io/network/avatar_frame.h"

#include <fmt/format.h>

namespace kinema::io {
namespace {

// From the neck of an avatar to its head at rest, metres; receivers take the rotation, and mostly ignore this.
constexpr Vec3 neck_to_head{0, 0.09, 0};

}  // namespace

std::vector<OscMessage> head_osc(const std::optional<Vec3>& position, double score) {
  if (!position) return {OscMessage("/kinema/head/lost")};
  return {OscMessage("/kinema/head").number(position->x).number(position->y).number(position->z).number(score)};
}

void HeadSender::send(double unix_time, const std::optional<Vec3>& position, double score) const {
  sender_.osc(unix_time, head_osc(position, score));
  if (!position) return;
  sender_.opentrack(unix_time, *position);
  const Vec3 at = avatar_place(*position);
  // a device of its own, since there is no rotation for the bone of the head
  const double device[] = {at.x, at.y, at.z, 0, 0, 0, 1};
  sender_.vmc(unix_time, std::vector{OscMessage("/VMC/Ext/Hmd/Pos").text("kinema").numbers(device)});
  const double place[] = {at.x, at.y, at.z};
  sender_.vrchat(std::vector{OscMessage("/tracking/trackers/head/position").numbers(place)});
}

std::vector<OscMessage> pose_osc(const std::string& address, const face::HeadPose& pose) {
  const Vec3& p = pose.position;
  const Quaternion& q = pose.rotation;
  const double values[] = {p.x, p.y, p.z, q.x, q.y, q.z, q.w, pose.yaw, pose.pitch, pose.roll};
  std::vector<OscMessage> messages{OscMessage(address + "/pose").numbers(values)};
  for (std::size_t e = 0; e < pose.expression.size(); ++e) {
    messages.push_back(OscMessage(address + "/expression").text(face::expression_names[e]).number(pose.expression[e]));
  }
  return messages;
}

std::vector<OscMessage> pose_vmc(const face::HeadPose& pose) {
  const Vec3 at = avatar_place(pose.position);
  const Quaternion q = avatar_rotation(pose.rotation);
  const double device[] = {at.x, at.y, at.z, q.x, q.y, q.z, q.w};
  const double bone[] = {neck_to_head.x, neck_to_head.y, neck_to_head.z, q.x, q.y, q.z, q.w};
  std::vector<OscMessage> messages{OscMessage("/VMC/Ext/OK").whole(1), OscMessage("/VMC/Ext/Hmd/Pos"),
                                   OscMessage("/VMC/Ext/Bone/Pos")};
  messages[1].text("kinema").numbers(device);
  messages[2].text("Head").numbers(bone);
  for (std::size_t e = 0; e < pose.expression.size(); ++e) {
    messages.push_back(OscMessage("/VMC/Ext/Blend/Val").text(face::expression_names[e]).number(pose.expression[e]));
  }
  messages.emplace_back("/VMC/Ext/Blend/Apply");
  return messages;
}

std::vector<OscMessage> pose_vrchat(const face::HeadPose& pose) {
  const Vec3 at = avatar_place(pose.position);
  const double place[] = {at.x, at.y, at.z};
  return {OscMessage("/tracking/trackers/head/position").numbers(place),
          OscMessage("/tracking/trackers/head/rotation").numbers(euler_degrees(avatar_rotation(pose.rotation)))};
}

void send_pose(const LiveSender& sender, double unix_time, const face::HeadPose& pose) {
  sender.opentrack(unix_time, pose.position, {pose.yaw, pose.pitch, pose.roll});
  if (sender.has_vmc()) sender.vmc(unix_time, pose_vmc(pose));
  if (sender.has_vrchat()) sender.vrchat(pose_vrchat(pose));
}

std::vector<OscMessage> face_osc(std::int64_t frame, const std::vector<face::Estimate>& faces) {
  std::vector<OscMessage> messages;
  std::int32_t number = 0;
  for (const face::Estimate& face : faces) {
    if (!face.found) continue;
    OscMessage message("/kinema/face");
    message.whole(static_cast<std::int32_t>(frame)).whole(number);
    message.number(face.confidence);
    for (const float coordinate : face.landmarks) message.number(coordinate);
    messages.push_back(std::move(message));
    ++number;
    if (!face.head) continue;
    for (OscMessage& part : pose_osc(fmt::format("/kinema/face/{}", number - 1), *face.head)) {
      messages.push_back(std::move(part));
    }
  }
  if (messages.empty()) messages.push_back(OscMessage("/kinema/face/lost").whole(static_cast<std::int32_t>(frame)));
  return messages;
}

}  // namespace kinema::io
