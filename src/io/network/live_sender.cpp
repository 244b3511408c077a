#include "io/network/live_sender.h"

#include "io/files/input_file.h"
#include "io/files/text.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bit>
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

}  // namespace kinema::io
