// A head for other programs, live: its place by the head tracker, its pose and expression, and the landmarks of faces. See
// docs/receivers.md.
#pragma once

#include "io/network/live_sender.h"
#include "kinema/face_tracker.h"
#include "kinema/head_pose.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kinema::io {

/// /kinema/head ,ffff x y z score (metres, camera frame) or, without a position, /kinema/head/lost.
std::vector<OscMessage> head_osc(const std::optional<Vec3>& position, double score);

class HeadSender {
public:
  explicit HeadSender(const LiveTargets& targets) : sender_(targets) {}

  /// `position` in metres in the camera frame. Tracking by colour yields no rotation.
  void send(double unix_time, const std::optional<Vec3>& position, double score) const;

private:
  LiveSender sender_;
};

/// ADDRESS/pose ,ffffffffff x y z qx qy qz qw yaw pitch roll (metres and rotation in the camera frame, degrees), and for
/// each blend shape ADDRESS/expression ,sf name weight.
std::vector<OscMessage> pose_osc(const std::string& address, const face::HeadPose& pose);

/// The head as a device and as the bone of an avatar, and the blend shapes by ARKit's names.
std::vector<OscMessage> pose_vmc(const face::HeadPose& pose);

/// The head among VRChat's trackers.
std::vector<OscMessage> pose_vrchat(const face::HeadPose& pose);

/// To all receivers but those of Open Sound Control.
void send_pose(const LiveSender& sender, double unix_time, const face::HeadPose& pose);

/// For each face /kinema/face ,iif... frame face quality x0 y0 x1 y1 ... (pixels), or /kinema/face/lost ,i frame. Where the
/// pose of the head is known, the messages of pose_osc() follow, at /kinema/face/FACE.
std::vector<OscMessage> face_osc(std::int64_t frame, const std::vector<face::Estimate>& faces);

}  // namespace kinema::io
