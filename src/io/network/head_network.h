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

/// Where a head is above the floor if the camera does not see it: at rest, the eyes of somebody who stands are as high as those
/// of a person of this height.
class HeadLevel {
public:
  explicit HeadLevel(double height) : height_(height) {}

  /// The place of the camera frame as the avatar's, above the floor. `seconds`: any clock. The height at rest follows
  /// slowly, so that a camera above or below the eyes does not matter.
  Vec3 place(const Vec3& position, double seconds);

  double height() const { return height_; }

private:
  double height_;
  std::optional<double> rest_;  // y in the camera frame
  double last_ = 0;
};

/// /kinema/head ,ffff x y z score (metres, camera frame) or, without a position, /kinema/head/lost.
std::vector<OscMessage> head_osc(const std::optional<Vec3>& position, double score);

class HeadSender {
public:
  explicit HeadSender(const LiveTargets& targets) : sender_(targets), level_(targets.height) {}

  /// `position` in metres in the camera frame. Tracking by colour yields no rotation.
  void send(double unix_time, const std::optional<Vec3>& position, double score);

private:
  LiveSender sender_;
  HeadLevel level_;
};

/// ADDRESS/pose ,ffffffffff x y z qx qy qz qw yaw pitch roll (metres and rotation in the camera frame, degrees), and for
/// each of ARKit's blend shapes ADDRESS/expression ,sff name weight deviation.
std::vector<OscMessage> pose_osc(const std::string& address, const face::HeadPose& pose);

/// The root on the floor below the head, the hips, the head as a device and as the bone of an avatar, and the blend shapes.
/// `place`: of the head, in the avatar's frame.
std::vector<OscMessage> pose_vmc(const face::HeadPose& pose, const Vec3& place, double height, BlendShapes names);

/// The head among VRChat's trackers.
std::vector<OscMessage> pose_vrchat(const face::HeadPose& pose, const Vec3& place);

/// The pose and the expression of a face, to all receivers but those of Open Sound Control.
class PoseSender {
public:
  explicit PoseSender(const LiveTargets& targets)
      : sender_(targets), level_(targets.height), names_(targets.blend_shapes) {}

  const LiveSender& sender() const { return sender_; }
  void send(double unix_time, const face::HeadPose& pose);

  /// Avatars keep their last pose, and learn that nobody is tracked.
  void send_lost(double unix_time) const;

private:
  LiveSender sender_;
  HeadLevel level_;
  BlendShapes names_;
};

/// For each face /kinema/face ,iif... frame face quality x0 y0 x1 y1 ... (pixels), or /kinema/face/lost ,i frame. Where the
/// pose of the head is known, the messages of pose_osc() follow, at /kinema/face/FACE.
std::vector<OscMessage> face_osc(std::int64_t frame, const std::vector<face::Estimate>& faces);

}  // namespace kinema::io
