#include "io/network/udp_socket.h"

#include "io/files/input_file.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
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
  int number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (error != std::errc{} || end != port.data() + port.size() || number < 1 || number > 65535 || host.empty())
    refuse();
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

}  // namespace kinema::io
