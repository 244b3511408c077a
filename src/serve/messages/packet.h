// One message to a page. Its bytes are shared by all sessions that send it.
#pragma once

#include <memory>
#include <string>
#include <utility>

namespace kinema::serve {

struct Packet {
  std::shared_ptr<const std::string> bytes;
  bool binary = false;  ///< a message with arrays (message.h); else a JSON object

  static Packet text(std::string json) { return {std::make_shared<const std::string>(std::move(json)), false}; }
  static Packet arrays(std::string message) { return {std::make_shared<const std::string>(std::move(message)), true}; }
};

}  // namespace kinema::serve
