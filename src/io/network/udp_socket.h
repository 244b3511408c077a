// Datagrams to one receiver. A receiver that is absent or does not read never delays the sender.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace kinema::io {

class UdpSocket {
public:
  /// "host:port", or "[::1]:4242" for addresses with colons. Throws Error if the name cannot be resolved.
  explicit UdpSocket(const std::string& target);
  ~UdpSocket();
  UdpSocket(UdpSocket&& other) noexcept;
  UdpSocket& operator=(UdpSocket&&) = delete;

  /// Never waits: a datagram that cannot be sent at once is dropped.
  void send(std::span<const std::byte> bytes) const;

private:
  int descriptor_ = -1;
};

}  // namespace kinema::io
