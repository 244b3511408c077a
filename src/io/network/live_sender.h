// Live estimates for other programs: each receiver gets its messages in the form that it expects.
#pragma once

#include "io/files/descriptor.h"
#include "kinema/geometry.h"
#include "kinema/head_pose.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::io {

/// The names of an expression for avatars: ARKit's, as they are, or the presets of VRM 0 and of VRM 1, made of them.
enum class BlendShapes : std::uint8_t { arkit, vrm0, vrm1 };

struct BlendShape {
  std::string_view name;
  double weight = 0;  ///< 0 to 1
};

/// Always the same names in the same order. The weights of the vowels add up to 1 at most, since avatars add their shapes.
std::vector<BlendShape> blend_shapes(const face::Expression& expression, BlendShapes names);

/// Of Open Sound Control 1.0.
class OscMessage {
public:
  explicit OscMessage(std::string address) : address_(std::move(address)) {}

  OscMessage& text(std::string_view value);
  OscMessage& whole(std::int32_t value);
  OscMessage& number(double value);  ///< as a float
  OscMessage& numbers(std::span<const double> values);

  std::vector<std::byte> bytes() const;

private:
  std::string address_, types_ = ",";
  std::vector<std::byte> arguments_;
};

/// Messages in bundles whose time tag is a time in seconds since 1970; as many bundles as needed so that each datagram
/// fits an Ethernet frame.
std::vector<std::vector<std::byte>> osc_bundles(double unix_time, std::span<const OscMessage> messages);

/// Receivers, each "host:port"; empty: none.
struct LiveTargets {
  std::string osc = {};         ///< Open Sound Control, in kinema's own messages
  std::string opentrack = {};   ///< the head's place and rotation
  std::string vmc = {};         ///< avatars: Virtual Motion Capture protocol
  std::string vrchat = {};      ///< VRChat's trackers
  bool opentrack_time = false;  ///< a seventh double: the capture time of the frame

  BlendShapes blend_shapes = BlendShapes::arkit;  ///< how the expression is named to avatars
  double height = 1.7;                            ///< of the person whose head alone is seen, metres

  bool any() const { return !osc.empty() || !opentrack.empty() || !vmc.empty() || !vrchat.empty(); }
};

/// The packet of opentrack's "UDP over network", and of the programs that understand it.
/// Six little-endian doubles x y z yaw pitch roll in centimetres and degrees. x points to the user's right, y up, z away
/// from the screen; yaw is positive to the user's right, pitch up, roll to the right shoulder. Other receivers may
/// expect a seventh double, which opentrack ignores: the capture time of the frame in seconds since 1970. `position` is
/// in metres in the camera frame: x right, y down, z forward, as seen by the camera, which faces the user: its right is
/// the user's left.
std::vector<std::byte> opentrack_packet(const Vec3& position, const std::array<double, 3>& yaw_pitch_roll = {},
                                        std::optional<double> unix_time = {});

/// Datagrams to one receiver. A receiver that is absent or does not read never delays the sender.
class UdpSocket {
public:
  /// "host:port", or "[::1]:4242" for addresses with colons. Throws Error if the name cannot be resolved.
  explicit UdpSocket(const std::string& target);

  /// Never waits: a datagram that cannot be sent at once is dropped.
  void send(std::span<const std::byte> bytes) const;

private:
  Descriptor socket_;
};

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
