// Datagrams to one receiver, for whoever listens there. Nobody listening is no error.
#pragma once

#include <span>
#include <string>

namespace kinema::io {

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

}  // namespace kinema::io
