// The head's position for opentrack ("UDP over network") and the games behind it: six doubles x y z yaw pitch roll,
// little-endian, centimetres and degrees. x is to the user's right, y up, z away from the screen; a head that is
// followed by its colours has no angles, so they are 0.
#pragma once

#include "io/udp_socket.h"
#include "kinema/points.h"

#include <array>
#include <cstddef>
#include <string>

namespace kinema::io {

/// The bytes of one packet. `position` in metres in the camera's frame: x right, y down, z forward, seen from the camera,
/// which looks at the user: its right is the user's left.
std::array<std::byte, 48> opentrack_packet(const Vec3& position);

class OpentrackSink {
public:
  explicit OpentrackSink(const std::string& target) : socket_(target) {}
  void add(const Vec3& position) const { socket_.send(opentrack_packet(position)); }

private:
  UdpSocket socket_;
};

}  // namespace kinema::io
