#include "app/run/channel.h"

#include "kinema/error.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace kinema::app {
namespace {

// A message is the number of its bytes, then its texts, each with a zero after it.
using Size = std::uint32_t;

std::string packed(const Message& message) {
  std::string bytes(sizeof(Size), '\0');
  for (const std::string& text : message) bytes.append(text.c_str(), text.size() + 1);
  const Size size = static_cast<Size>(bytes.size() - sizeof(Size));
  std::memcpy(bytes.data(), &size, sizeof size);
  return bytes;
}

// Takes the first message off `bytes` if it is complete.
std::optional<Message> unpack(std::string& bytes) {
  Size size = 0;
  if (bytes.size() < sizeof size) return std::nullopt;
  std::memcpy(&size, bytes.data(), sizeof size);
  if (bytes.size() - sizeof size < size) return std::nullopt;
  Message message;
  for (std::size_t at = sizeof size; at < sizeof size + size;) {
    message.emplace_back(bytes.c_str() + at);
    at += message.back().size() + 1;
  }
  bytes.erase(0, sizeof size + size);
  return message;
}

}  // namespace

Channel::~Channel() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::pair<Channel, Channel> Channel::make_pair() {
  int ends[2] = {};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw Error(fmt::format("no sockets could be made: {}", std::strerror(errno)), Error::Cause::running);
  }
  return {Channel(ends[0]), Channel(ends[1])};
}

bool Channel::send(const Message& message) {
  const std::string bytes = packed(message);
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t some = ::send(descriptor_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (some < 0 && errno != EINTR) return false;
    if (some > 0) sent += static_cast<std::size_t>(some);
  }
  return true;
}

std::optional<Message> Channel::receive(IfNone if_none) {
  for (;;) {
    if (auto message = unpack(unread_)) return message;
    if (!open_) return std::nullopt;
    char bytes[4096];
    const ssize_t some = ::recv(descriptor_, bytes, sizeof bytes, if_none == IfNone::give_up ? MSG_DONTWAIT : 0);
    if (some > 0) {
      unread_.append(bytes, static_cast<std::size_t>(some));
    } else if (some < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return std::nullopt;
    } else if (some == 0 || errno != EINTR) {
      open_ = false;
    }
  }
}

}  // namespace kinema::app
