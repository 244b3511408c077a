// The head's position as Open Sound Control 1.0, for art and sound: a bundle whose time tag is when the frame was taken,
// with the message /kinema/head ,ffff x y z score (metres, the camera's frame) or, where there is no head,
// /kinema/head/lost.
#pragma once

#include "io/udp_socket.h"
#include "kinema/points.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kinema::io {

/// The bytes of one bundle. `unix_time` in seconds since 1970; nothing for `position`: lost.
std::vector<std::byte> osc_bundle(double unix_time, const std::optional<Vec3>& position, double score);

class OscSink {
public:
  explicit OscSink(const std::string& target) : socket_(target) {}
  void add(double unix_time, const std::optional<Vec3>& position, double score) const {
    socket_.send(osc_bundle(unix_time, position, score));
  }

private:
  UdpSocket socket_;
};

}  // namespace kinema::io
