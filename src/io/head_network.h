// The head's position as datagrams for other programs: opentrack, and Open Sound Control. It is no error if nobody
// listens.
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
  /// "host:port", or "[::1]:4242" for addresses with colons. Throws Error if the name cannot be resolved.
  explicit UdpSocket(const std::string& target);
  ~UdpSocket();
  UdpSocket(UdpSocket&& other) noexcept;
  UdpSocket& operator=(UdpSocket&&) = delete;

  void send(std::span<const std::byte> bytes) const;

private:
  int descriptor_ = -1;
};

/// A packet for opentrack ("UDP over network") and the games behind it: six doubles x y z yaw pitch roll,
/// little-endian, in centimetres and degrees. x points to the user's right, y up, z away from the screen; tracking by
/// colour yields no angles, so they are 0. Other receivers may expect a seventh double, which opentrack ignores: the
/// capture time of the frame in seconds since 1970. `position` is in metres in the camera frame: x right, y down, z
/// forward, as seen by the camera, which faces the user: its right is the user's left.
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

/// A bundle of Open Sound Control 1.0, for art and sound: its time tag is the capture time of the frame in seconds
/// since 1970, with the message /kinema/head ,ffff x y z score (metres, camera frame) or, without a position,
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
