// The head's position for other programs, live.
#pragma once

#include "io/live_sender.h"

#include <optional>
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

}  // namespace kinema::io
