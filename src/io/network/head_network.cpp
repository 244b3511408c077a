#include "io/network/head_network.h"

#include "io/network/avatar_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace kinema::io {
namespace {

// Shares of the height of a person who stands (Drillis and Contini): eyes, hips, and from the neck to the head, of which
// receivers take the rotation and mostly ignore this.
constexpr double eyes_high = 0.936, hips_high = 0.53, neck_long = 0.052;
// How fast the place at rest follows: a lean of a few seconds stays one.
constexpr double rest_seconds = 60;

// An avatar looks ahead when the person looks where it does at rest, such as at a screen above the camera.
Quaternion rotation_from_rest(const face::HeadPose& pose) {
  const auto& [yaw, pitch, roll] = pose.rest_angles;
  const Quaternion turn =
      conjugate(avatar_rotation(face::head_rotation(yaw, pitch, roll))) * avatar_rotation(pose.rotation);
  return turn.w < 0 ? Quaternion{-turn.w, -turn.x, -turn.y, -turn.z} : turn;
}

}  // namespace

Vec3 HeadLevel::place(const Vec3& position, double seconds) {
  if (!rest_) rest_ = position.y, last_ = seconds;
  *rest_ += std::clamp((seconds - last_) / rest_seconds, 0.0, 1.0) * (position.y - *rest_);
  last_ = seconds;
  Vec3 place = avatar_place(position);
  place.y += eyes_high * height_ + *rest_;
  return place;
}

std::vector<OscMessage> head_osc(const std::optional<Vec3>& position, double score) {
  if (!position) return {OscMessage("/kinema/head/lost")};
  return {OscMessage("/kinema/head").number(position->x).number(position->y).number(position->z).number(score)};
}

void HeadSender::send(double unix_time, const std::optional<Vec3>& position, double score) {
  sender_.osc(unix_time, head_osc(position, score));
  if (!position) return;
  sender_.opentrack(unix_time, *position);
  const Vec3 at = level_.place(*position, unix_time);
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
    messages.push_back(OscMessage(address + "/expression")
                           .text(face::expression_names[e])
                           .number(pose.expression[e])
                           .number(pose.expression_deviation[e]));
  }
  return messages;
}

std::vector<OscMessage> pose_vmc(const face::HeadPose& pose, const Vec3& at, double height, BlendShapes names) {
  const Quaternion q = rotation_from_rest(pose);
  const double device[] = {at.x, at.y, at.z, q.x, q.y, q.z, q.w};
  const double head[] = {0, neck_long * height, 0, q.x, q.y, q.z, q.w};
  const double root[] = {at.x, 0, at.z, 0, 0, 0, 1};
  const double hips[] = {0, at.y + (hips_high - eyes_high) * height, 0, 0, 0, 0, 1};
  std::vector<OscMessage> messages;
  messages.push_back(OscMessage("/VMC/Ext/OK").whole(1).whole(3).whole(0).whole(1));
  messages.push_back(OscMessage("/VMC/Ext/Root/Pos").text("root").numbers(root));
  messages.push_back(OscMessage("/VMC/Ext/Bone/Pos").text("Hips").numbers(hips));
  messages.push_back(OscMessage("/VMC/Ext/Bone/Pos").text("Head").numbers(head));
  messages.push_back(OscMessage("/VMC/Ext/Hmd/Pos").text("kinema").numbers(device));
  for (const BlendShape& shape : blend_shapes(pose.expression, names)) {
    messages.push_back(OscMessage("/VMC/Ext/Blend/Val").text(std::string(shape.name)).number(shape.weight));
  }
  messages.emplace_back("/VMC/Ext/Blend/Apply");
  return messages;
}

std::vector<OscMessage> pose_vrchat(const face::HeadPose& pose, const Vec3& at) {
  const double place[] = {at.x, at.y, at.z};
  return {OscMessage("/tracking/trackers/head/position").numbers(place),
          OscMessage("/tracking/trackers/head/rotation").numbers(euler_degrees(rotation_from_rest(pose)))};
}

void PoseSender::send(double unix_time, const face::HeadPose& pose) {
  sender_.opentrack(unix_time, pose.position, {pose.yaw, pose.pitch, pose.roll});
  const Vec3 place = level_.place(pose.position, unix_time);
  if (sender_.has_vmc()) sender_.vmc(unix_time, pose_vmc(pose, place, level_.height(), names_));
  if (sender_.has_vrchat()) sender_.vrchat(pose_vrchat(pose, place));
}

void PoseSender::send_lost(double unix_time) const {
  sender_.vmc(unix_time, std::vector{OscMessage("/VMC/Ext/OK").whole(1).whole(3).whole(0).whole(0)});
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
