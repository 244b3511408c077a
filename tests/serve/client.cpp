#include "client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace kinema::serve {
namespace {

// Longer than any answer takes; only a broken server makes a test wait for it.
constexpr int patience = 20;

}  // namespace

Client::Client(std::uint16_t port, int receive_buffer, const char* from) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval wait{patience, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
  if (receive_buffer > 0) ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = ::inet_addr(from);
  if (::bind(socket_, reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0) {
    throw std::runtime_error("this machine has no such address");
  }
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("the server does not answer");
  }
}

Client::~Client() { ::close(socket_); }

bool Client::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void Client::finish() { ::shutdown(socket_, SHUT_WR); }

bool Client::read_exactly(std::size_t count, std::string& out) {
  while (read_ahead_.size() < count) {
    char buffer[65536];
    const ssize_t got = ::recv(socket_, buffer, sizeof buffer, 0);
    if (got <= 0) return false;
    read_ahead_.append(buffer, static_cast<std::size_t>(got));
  }
  out = read_ahead_.substr(0, count);
  read_ahead_.erase(0, count);
  return true;
}

Client::Response Client::receive() {
  Response response;
  std::string byte;
  while (response.head.find("\r\n\r\n") == std::string::npos) {
    if (!read_exactly(1, byte)) return response;
    response.head += byte;
  }
  response.status = std::stoi(response.head.substr(9, 3));
  std::string lower = response.head;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto length = lower.find("content-length: ");
  if (length != std::string::npos) read_exactly(std::stoul(lower.substr(length + 16)), response.body);
  return response;
}

Client::Response Client::get(const std::string& target, const std::string& more_headers, const std::string& host) {
  send("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n" + more_headers + "\r\n");
  return receive();
}

Client::Response Client::upgrade(const std::string& more_headers, const std::string& host, const std::string& target) {
  return get(target,
             "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
                 more_headers,
             host);
}

bool Client::send_frame_head(Opcode opcode, std::uint64_t length, bool last) {
  std::string head;
  head += static_cast<char>((last ? 0x80 : 0) | opcode);
  if (length < 126) {
    head += static_cast<char>(0x80 | length);
  } else {
    const int bytes = length < 65536 ? 2 : 8;
    head += static_cast<char>(0x80 | (bytes == 2 ? 126 : 127));
    for (int i = bytes - 1; i >= 0; --i) head += static_cast<char>((length >> (8 * i)) & 0xff);
  }
  return send(head + std::string(4, '\0'));  // a mask that changes nothing
}

bool Client::send_frame(Opcode opcode, std::string_view payload, bool last) {
  return send_frame_head(opcode, payload.size(), last) && send(payload);
}

Client::Frame Client::receive_frame() {
  Frame frame;
  std::string head, more;
  if (!read_exactly(2, head)) return frame;
  std::uint64_t length = static_cast<std::uint8_t>(head[1]) & 0x7fU;
  if (length >= 126) {
    if (!read_exactly(length == 126 ? 2 : 8, more)) return frame;
    length = 0;
    for (char byte : more) length = length << 8 | static_cast<std::uint8_t>(byte);
  }
  if (!read_exactly(length, frame.payload)) return frame;
  frame.opcode = head[0] & 0x0f;
  return frame;
}

bool Client::hung_up() {
  char buffer[65536];
  for (;;) {
    const ssize_t got = ::recv(socket_, buffer, sizeof buffer, 0);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK)) return true;
    if (got < 0) return false;
  }
}

}  // namespace kinema::serve
