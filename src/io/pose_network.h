// The pose and the expression of a head for other programs, live. See docs/receivers.md.
#pragma once

#include "io/live_sender.h"
#include "kinema/head_pose.h"

#include <string>
#include <vector>

namespace kinema::io {

/// ADDRESS/pose ,ffffffffff x y z qx qy qz qw yaw pitch roll (metres and rotation in the camera frame, degrees), and for
/// each blend shape ADDRESS/expression ,sf name weight.
std::vector<OscMessage> pose_osc(const std::string& address, const face::HeadPose& pose);

/// The head as a device and as the bone of an avatar, and the blend shapes by ARKit's names.
std::vector<OscMessage> pose_vmc(const face::HeadPose& pose);

/// The head among VRChat's trackers.
std::vector<OscMessage> pose_vrchat(const face::HeadPose& pose);

/// To all receivers but those of Open Sound Control.
void send_pose(const LiveSender& sender, double unix_time, const face::HeadPose& pose);

}  // namespace kinema::io
