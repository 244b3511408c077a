// The body's joints and rotations for other programs, live: Open Sound Control, opentrack, the Virtual Motion Capture
// protocol of avatars (protocol.vmc.info), and VRChat's trackers (docs.vrchat.com). See docs/receivers.md.
#pragma once

#include "io/network/live_sender.h"
#include "kinema/body_tracker.h"

#include <array>
#include <optional>
#include <vector>

namespace kinema::io {

/// /kinema/body ,if frame confidence, then for each joint /kinema/body/joint ,sffffffff name x y z qx qy qz qw std
/// (metres and rotations in the camera frame); or /kinema/body/lost ,i frame.
std::vector<OscMessage> body_osc(const body::Skeleton& skeleton, const body::Estimate& estimate);

/// Root and bones of an avatar, with the names of Unity's HumanBodyBones. `floor`: its y in the camera frame.
std::vector<OscMessage> body_vmc(const body::Skeleton& skeleton, const body::Estimate& estimate, double floor);

/// Trackers 1 to 8 (hips, chest, feet, knees, elbows; left before right) and the head; none where nobody was found.
std::vector<OscMessage> body_vrchat(const body::Skeleton& skeleton, const body::Estimate& estimate, double floor);

/// Of the head, degrees: as opentrack counts them. 0 for somebody who looks at the camera.
struct HeadPose {
  Vec3 position;
  std::array<double, 3> yaw_pitch_roll;
};
std::optional<HeadPose> head_pose(const body::Skeleton& skeleton, const body::Estimate& estimate);

/// The height of the floor under a person, averaged over about a second, since avatars and headsets count from it.
class FloorLevel {
public:
  /// `floor`: the plane, if one is seen; otherwise the lowest point of the skin stands on it. Returns y in the camera
  /// frame.
  double add(const body::Skeleton& skeleton, const body::Estimate& estimate, const std::optional<Plane>& floor);

private:
  std::optional<double> level_;
};

class BodySender {
public:
  explicit BodySender(const LiveTargets& targets) : sender_(targets) {}

  void send(double unix_time, const body::Skeleton& skeleton, const body::Estimate& estimate,
            const std::optional<Plane>& floor);

private:
  LiveSender sender_;
  FloorLevel floor_;
};

}  // namespace kinema::io
