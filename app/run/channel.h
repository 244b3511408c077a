// Messages between a process and the one that started it, over a pair of sockets.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinema::app {

/// A list of texts without zero bytes, such as the words of a command. They need not be UTF-8.
using Message = std::vector<std::string>;

class Channel {
public:
  /// Takes the descriptor of a connected stream socket.
  explicit Channel(int descriptor) : descriptor_(descriptor) {}
  ~Channel();
  Channel(Channel&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), unread_(std::move(other.unread_)), open_(other.open_) {}
  Channel& operator=(Channel&&) = delete;

  /// Both ends, which exec closes. Throws Error of cause running.
  static std::pair<Channel, Channel> make_pair();

  int descriptor() const { return descriptor_; }

  /// False if the other end is gone. Waits while the other end has much to read.
  bool send(const Message& message);

  enum class IfNone { wait, give_up };
  /// Nothing if the other end is gone and all its messages were read, or if there is none yet and `if_none` says so.
  std::optional<Message> receive(IfNone if_none);

private:
  int descriptor_ = -1;
  std::string unread_;
  bool open_ = true;  // the other end may still send
};

}  // namespace kinema::app
