// The sockets of live targets: each receiver gets its messages in the form that it expects.
#pragma once

#include "io/live_targets.h"
#include "io/osc.h"
#include "io/udp_socket.h"
#include "kinema/geometry.h"

#include <array>
#include <optional>
#include <span>

namespace kinema::io {

class LiveSender {
public:
  /// Throws Error if a target is no host:port, or its name cannot be resolved.
  explicit LiveSender(const LiveTargets& targets);

  bool has_osc() const { return osc_.has_value(); }
  bool has_opentrack() const { return opentrack_.has_value(); }
  bool has_vmc() const { return vmc_.has_value(); }
  bool has_vrchat() const { return vrchat_.has_value(); }

  void osc(double unix_time, std::span<const OscMessage> messages) const;
  void opentrack(double unix_time, const Vec3& position, const std::array<double, 3>& yaw_pitch_roll = {}) const;
  void vmc(double unix_time, std::span<const OscMessage> messages) const;
  void vrchat(std::span<const OscMessage> messages) const;

private:
  std::optional<UdpSocket> osc_, opentrack_, vmc_, vrchat_;
  bool opentrack_time_;
};

}  // namespace kinema::io
