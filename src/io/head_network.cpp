#include "io/head_network.h"

#include "io/input_file.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

namespace kinema::io {
namespace {

std::pair<std::string, std::string> host_and_port(const std::string& target) {
  const std::size_t colon = target.rfind(':');
  const auto refuse = [&] {
    throw Error(fmt::format("'{}' is no receiver: give host:port, as in 127.0.0.1:4242", printable(target)));
  };
  if (colon == std::string::npos || colon == 0) refuse();
  std::string host = target.substr(0, colon), port = target.substr(colon + 1);
  if (host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  int number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (error != std::errc{} || end != port.data() + port.size() || number < 1 || number > 65535 || host.empty())
    refuse();
  return {host, port};
}

class Packet {
public:
  // Strings are zero-terminated and padded to words of four bytes.
  void text(std::string_view words) {
    for (char c : words) bytes_.push_back(static_cast<std::byte>(c));
    do {
      bytes_.push_back(std::byte{0});
    } while (bytes_.size() % 4 != 0);
  }
  void word(std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes_.push_back(static_cast<std::byte>(value >> shift));
  }
  void number(double value) { word(std::bit_cast<std::uint32_t>(static_cast<float>(value))); }
  void append(const Packet& other) { bytes_.insert(bytes_.end(), other.bytes_.begin(), other.bytes_.end()); }

  std::size_t size() const { return bytes_.size(); }
  std::vector<std::byte> take() { return std::move(bytes_); }

private:
  std::vector<std::byte> bytes_;
};

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
  for (const addrinfo* at = found.get(); at != nullptr && descriptor_ < 0; at = at->ai_next) {
    descriptor_ = ::socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
    if (descriptor_ >= 0 && ::connect(descriptor_, at->ai_addr, at->ai_addrlen) != 0) {
      ::close(descriptor_);
      descriptor_ = -1;
    }
  }
  if (descriptor_ < 0) {
    throw Error(fmt::format("'{}' cannot be reached from this machine", printable(target)), Error::Cause::running);
  }
}

UdpSocket::~UdpSocket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

UdpSocket::UdpSocket(UdpSocket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

void UdpSocket::send(std::span<const std::byte> bytes) const {
  // a datagram that is refused, or meets a full queue, is dropped: the next frame brings a newer one
  static_cast<void>(::send(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL));
}

std::vector<std::byte> opentrack_packet(const Vec3& position, std::optional<double> unix_time) {
  std::vector<double> values = {-100 * position.x, -100 * position.y, 100 * position.z, 0, 0, 0};
  if (unix_time) values.push_back(*unix_time);
  std::vector<std::byte> bytes;
  for (double value : values) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<std::byte>(bits >> shift));
  }
  return bytes;
}

std::vector<std::byte> osc_bundle(double unix_time, const std::optional<Vec3>& position, double score) {
  Packet message;
  if (position) {
    message.text("/kinema/head");
    message.text(",ffff");
    for (double value : {position->x, position->y, position->z, score}) message.number(value);
  } else {
    message.text("/kinema/head/lost");
    message.text(",");
  }
  // OSC time is NTP time: seconds since 1900, and units of 2^-32 seconds
  constexpr double from_1900_to_1970 = 2208988800.0;
  const double seconds = std::floor(unix_time);
  Packet bundle;
  bundle.text("#bundle");
  bundle.word(static_cast<std::uint32_t>(static_cast<std::uint64_t>(seconds + from_1900_to_1970)));
  bundle.word(static_cast<std::uint32_t>((unix_time - seconds) * 4294967296.0));
  bundle.word(static_cast<std::uint32_t>(message.size()));
  bundle.append(message);
  return bundle.take();
}

}  // namespace kinema::io
