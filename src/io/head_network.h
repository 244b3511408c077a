// The head's position as datagrams for other programs: opentrack, and Open Sound Control. Nobody listening is no error.
#pragma once

#include "kinema/points.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kinema::io {

/// Datagrams to one receiver.
class UdpSocket {
public:
  /// "host:port", "[::1]:4242" for addresses with colons. Throws Error where the name cannot be resolved.
  explicit UdpSocket(const std::string& target);
  ~UdpSocket();
  UdpSocket(UdpSocket&& other) noexcept;
  UdpSocket& operator=(UdpSocket&&) = delete;

  void send(std::span<const std::byte> bytes) const;

private:
  int descriptor_ = -1;
};

/// A packet for opentrack ("UDP over network") and the games behind it: six doubles x y z yaw pitch roll, little-endian,
/// centimetres and degrees. x is to the user's right, y up, z away from the screen; a head that is followed by its colours
/// has no angles, so they are 0. Other receivers may want a seventh double, which opentrack leaves unread: when the frame
/// was taken, in seconds since 1970. `position` in metres in the camera's frame: x right, y down, z forward, seen from the
/// camera, which looks at the user: its right is the user's left.
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

/// A bundle of Open Sound Control 1.0, for art and sound: its time tag is when the frame was taken, in seconds since 1970,
/// with the message /kinema/head ,ffff x y z score (metres, the camera's frame) or, where there is no position,
/// /kinema/head/lost.
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
