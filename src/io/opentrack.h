// The head's position for opentrack ("UDP over network") and the games behind it: six doubles x y z yaw pitch roll,
// little-endian, centimetres and degrees. x is to the user's right, y up, z away from the screen; a head that is
// followed by its colours has no angles, so they are 0. Others who listen may want a seventh double, which opentrack
// leaves unread: when the frame was taken, in seconds since 1970.
#pragma once

#include "io/udp_socket.h"
#include "kinema/points.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace kinema::io {

/// The bytes of one packet. `position` in metres in the camera's frame: x right, y down, z forward, seen from the camera,
/// which looks at the user: its right is the user's left.
std::vector<std::byte> opentrack_packet(const Vec3& position, std::optional<double> unix_time = {});

class OpentrackSink {
public:
  explicit OpentrackSink(const std::string& target, bool with_time = false) : socket_(target), with_time_(with_time) {}
  void add(const Vec3& position, double unix_time) const {
    socket_.send(opentrack_packet(position, with_time_ ? std::optional(unix_time) : std::nullopt));
  }

private:
  UdpSocket socket_;
  bool with_time_;
};

}  // namespace kinema::io
