#include "io/faces/pose_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace kinema::io {

std::string pose_json(const face::HeadPose& pose) {
  const Quaternion& q = pose.rotation;
  const Vec3 &p = pose.position, &s = pose.position_deviation;
  const auto& a = pose.angle_deviation;
  std::string text = fmt::format(
      "{{\"rotation\":[{:.6f},{:.6f},{:.6f},{:.6f}],\"position\":[{:.5f},{:.5f},{:.5f}],\"yaw\":{:.3f},\"pitch\":{:.3f}"
      ",\"roll\":{:.3f},\"angle_deviation\":[{:.3f},{:.3f},{:.3f}],\"position_deviation\":[{:.5f},{:.5f},{:.5f}]"
      ",\"residual\":{:.3f},\"expression\":{{",
      q.w, q.x, q.y, q.z, p.x, p.y, p.z, pose.yaw, pose.pitch, pose.roll, a[0], a[1], a[2], s.x, s.y, s.z,
      pose.residual);
  for (std::size_t e = 0; e < pose.expression.size(); ++e) {
    text += fmt::format("{}\"{}\":{:.3f}", e == 0 ? "" : ",", face::expression_names[e], pose.expression[e]);
  }
  text += "},\"expression_deviation\":{";
  for (std::size_t e = 0; e < pose.expression.size(); ++e) {
    text += fmt::format("{}\"{}\":{:.3f}", e == 0 ? "" : ",", face::expression_names[e], pose.expression_deviation[e]);
  }
  const auto& rest = pose.rest_angles;
  return text + fmt::format("}},\"rest_angles\":[{:.3f},{:.3f},{:.3f}]}}", rest[0], rest[1], rest[2]);
}

std::string pose_columns() {
  std::string text = "yaw,pitch,roll,X,Y,Z,yaw_std,pitch_std,roll_std,X_std,Y_std,Z_std";
  for (std::string_view name : face::expression_names) text.append(",").append(name);
  return text;
}

std::string pose_values(const face::HeadPose* pose) {
  if (pose == nullptr) {
    const std::string names = pose_columns();
    return std::string(static_cast<std::size_t>(std::count(names.begin(), names.end(), ',')), ',');
  }
  const Vec3 &p = pose->position, &s = pose->position_deviation;
  const auto& a = pose->angle_deviation;
  std::string text = fmt::format("{:.3f},{:.3f},{:.3f},{:.5f},{:.5f},{:.5f},{:.3f},{:.3f},{:.3f},{:.5f},{:.5f},{:.5f}",
                                 pose->yaw, pose->pitch, pose->roll, p.x, p.y, p.z, a[0], a[1], a[2], s.x, s.y, s.z);
  for (double weight : pose->expression) text += fmt::format(",{:.3f}", weight);
  return text;
}

}  // namespace kinema::io
