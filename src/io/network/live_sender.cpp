#include "io/network/live_sender.h"

#include "io/files/input_file.h"
#include "io/files/text.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

namespace kinema::io {
namespace {

std::pair<std::string, std::string> host_and_port(const std::string& target) {
  const std::size_t colon = target.rfind(':');
  const auto refuse = [&] {
    throw Error(fmt::format("'{}' is not a receiver: give host:port, as in 127.0.0.1:4242", printable(target)));
  };
  if (colon == std::string::npos || colon == 0) refuse();
  std::string host = target.substr(0, colon), port = target.substr(colon + 1);
  if (host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  const auto number = exact_number_in<int>(port);
  if (!number || *number < 1 || *number > 65535 || host.empty()) refuse();
  return {host, port};
}

}  // namespace

UdpSocket::UdpSocket(const std::string& target) {
  const auto [host, port] = host_and_port(target);
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_DGRAM;
  addrinfo* list = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), port.c_str(), &wanted, &list); error != 0) {
    throw Error(fmt::format("'{}': the host cannot be found: {}", printable(target), ::gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> found(list, &::freeaddrinfo);
  for (const addrinfo* at = found.get(); at != nullptr; at = at->ai_next) {
    socket_ = Descriptor(::socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol));
    if (socket_.open() && ::connect(socket_.number(), at->ai_addr, at->ai_addrlen) == 0) return;
  }
  throw Error(fmt::format("'{}' cannot be reached from this machine", printable(target)), Error::Cause::running);
}

void UdpSocket::send(std::span<const std::byte> bytes) const {
  // a datagram that is refused, or meets a full queue, is dropped: the next frame brings a newer one
  static_cast<void>(::send(socket_.number(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
}

std::vector<std::byte> opentrack_packet(const Vec3& position, const std::array<double, 3>& yaw_pitch_roll,
                                        std::optional<double> unix_time) {
  std::vector<double> values = {-100 * position.x, -100 * position.y, 100 * position.z};
  values.insert(values.end(), yaw_pitch_roll.begin(), yaw_pitch_roll.end());
  if (unix_time) values.push_back(*unix_time);
  std::vector<std::byte> bytes;
  for (double value : values) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<std::byte>(bits >> shift));
  }
  return bytes;
}

LiveSender::LiveSender(const LiveTargets& targets) : opentrack_time_(targets.opentrack_time) {
  if (!targets.osc.empty()) osc_.emplace(targets.osc);
  if (!targets.opentrack.empty()) opentrack_.emplace(targets.opentrack);
  if (!targets.vmc.empty()) vmc_.emplace(targets.vmc);
  if (!targets.vrchat.empty()) vrchat_.emplace(targets.vrchat);
}

void LiveSender::osc(double unix_time, std::span<const OscMessage> messages) const {
  if (!osc_) return;
  for (const auto& bundle : osc_bundles(unix_time, messages)) osc_->send(bundle);
}

void LiveSender::opentrack(double unix_time, const Vec3& position, const std::array<double, 3>& yaw_pitch_roll) const {
  if (!opentrack_) return;
  opentrack_->send(
      opentrack_packet(position, yaw_pitch_roll, opentrack_time_ ? std::optional(unix_time) : std::nullopt));
}

void LiveSender::vmc(double unix_time, std::span<const OscMessage> messages) const {
  if (!vmc_) return;
  for (const auto& bundle : osc_bundles(unix_time, messages)) vmc_->send(bundle);
}

void LiveSender::vrchat(std::span<const OscMessage> messages) const {
  if (!vrchat_) return;
  // one by one: VRChat's description names messages, not bundles
  for (const OscMessage& message : messages) vrchat_->send(message.bytes());
}

namespace {

// An Ethernet frame carries 1500 bytes, of which headers take 48 at most.
constexpr std::size_t largest_datagram = 1400;

// OSC time is NTP time: seconds since 1900, and units of 2^-32 seconds.
constexpr double from_1900_to_1970 = 2208988800.0;

void add_word(std::vector<std::byte>& bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::byte>(value >> shift));
}

// Strings are zero-terminated and padded to words of four bytes.
void add_text(std::vector<std::byte>& bytes, std::string_view words) {
  for (char c : words) bytes.push_back(static_cast<std::byte>(c));
  do {
    bytes.push_back(std::byte{0});
  } while (bytes.size() % 4 != 0);
}

void append(std::vector<std::byte>& bytes, const std::vector<std::byte>& more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

}  // namespace

OscMessage& OscMessage::text(std::string_view value) {
  types_ += 's';
  add_text(arguments_, value);
  return *this;
}

OscMessage& OscMessage::whole(std::int32_t value) {
  types_ += 'i';
  add_word(arguments_, static_cast<std::uint32_t>(value));
  return *this;
}

OscMessage& OscMessage::number(double value) {
  types_ += 'f';
  add_word(arguments_, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
  return *this;
}

OscMessage& OscMessage::numbers(std::span<const double> values) {
  for (double value : values) number(value);
  return *this;
}

std::vector<std::byte> OscMessage::bytes() const {
  std::vector<std::byte> bytes;
  add_text(bytes, address_);
  add_text(bytes, types_);
  append(bytes, arguments_);
  return bytes;
}

std::vector<std::vector<std::byte>> osc_bundles(double unix_time, std::span<const OscMessage> messages) {
  std::vector<std::byte> head;
  const double seconds = std::floor(unix_time);
  add_text(head, "#bundle");
  add_word(head, static_cast<std::uint32_t>(static_cast<std::uint64_t>(seconds + from_1900_to_1970)));
  add_word(head, static_cast<std::uint32_t>((unix_time - seconds) * 4294967296.0));
  std::vector<std::vector<std::byte>> bundles;
  for (const OscMessage& message : messages) {
    const std::vector<std::byte> bytes = message.bytes();
    if (bundles.empty() || bundles.back().size() + 4 + bytes.size() > largest_datagram) bundles.push_back(head);
    add_word(bundles.back(), static_cast<std::uint32_t>(bytes.size()));
    append(bundles.back(), bytes);
  }
  return bundles;
}

namespace {

double weight_of(const face::Expression& expression, std::string_view name) {
  for (std::size_t e = 0; e < expression.size(); ++e) {
    if (face::expression_names[e] == name) return std::clamp(expression[e], 0.0, 1.0);
  }
  return 0;
}

// The presets of VRM, made of ARKit's shapes. Vowels by how far the mouth is open, rounded and wide; moods by smile and
// brows.
struct Presets {
  double blink_left = 0, blink_right = 0;
  double a = 0, i = 0, u = 0, e = 0, o = 0;
  double joy = 0, anger = 0, sorrow = 0, surprise = 0;
};

Presets presets_of(const face::Expression& expression) {
  const auto both = [&](std::string_view left, std::string_view right) {
    return 0.5 * (weight_of(expression, left) + weight_of(expression, right));
  };
  const double open = weight_of(expression, "jawOpen"), round = weight_of(expression, "mouthPucker");
  const double smile = both("mouthSmileLeft", "mouthSmileRight"), wide = smile * (1 - round);
  const double frown = both("browDownLeft", "browDownRight"), raised = both("browOuterUpLeft", "browOuterUpRight");
  const double inner = weight_of(expression, "browInnerUp");
  Presets all;
  all.blink_left = weight_of(expression, "eyeBlinkLeft");
  all.blink_right = weight_of(expression, "eyeBlinkRight");
  all.o = open * round;
  all.u = (1 - open) * round;
  all.e = open * (1 - round) * 0.5 * wide;
  all.a = open * (1 - round) - all.e;
  // a wide mouth speaks only once it opens a little; until then it smiles
  all.i = (1 - open) * (1 - round) * wide * std::min(1.0, 4 * open);
  all.joy = smile;
  all.anger = frown * (1 - smile);
  all.sorrow = std::max(0.0, inner - raised) * (1 - smile);
  all.surprise = std::min(inner, raised) * (1 - frown);
  return all;
}

}  // namespace

std::vector<BlendShape> blend_shapes(const face::Expression& expression, BlendShapes names) {
  std::vector<BlendShape> shapes;
  if (names == BlendShapes::arkit) {
    for (std::size_t e = 0; e < expression.size(); ++e) {
      shapes.push_back({face::expression_names[e], std::clamp(expression[e], 0.0, 1.0)});
    }
    return shapes;
  }
  const Presets all = presets_of(expression);
  if (names == BlendShapes::vrm0) {
    return {{"Blink_L", all.blink_left},
            {"Blink_R", all.blink_right},
            {"A", all.a},
            {"I", all.i},
            {"U", all.u},
            {"E", all.e},
            {"O", all.o},
            {"Joy", all.joy},
            {"Angry", all.anger},
            {"Sorrow", all.sorrow}};
  }
  return {{"blinkLeft", all.blink_left},
          {"blinkRight", all.blink_right},
          {"aa", all.a},
          {"ih", all.i},
          {"ou", all.u},
          {"ee", all.e},
          {"oh", all.o},
          {"happy", all.joy},
          {"angry", all.anger},
          {"sad", all.sorrow},
          {"surprised", all.surprise}};
}

}  // namespace kinema::io
