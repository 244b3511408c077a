// The server of the live page: HTTP for its files, a WebSocket for what trackers say. One thread of its own does all of
// it; nothing that a client does makes a tracker wait, and what clients can make it hold is bounded.
#pragma once

#include "serve/conversation.h"
#include "serve/pages.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace kinema::serve {

struct Limits {
  std::size_t connections = 64;                      ///< at once; more are closed as they come
  std::size_t header_bytes = 8192;                   ///< of a request; only files that pages send have bodies
  std::size_t message_bytes = std::size_t{4} << 20;  ///< of a message from a page
  std::chrono::seconds request{10};                  ///< for a whole request, and between two on one connection
  std::chrono::seconds silence{30};                  ///< a page that does not even answer a ping is gone
  std::chrono::minutes upload{10};                   ///< for a file that a page sends
  std::chrono::milliseconds goodbye{500};            ///< for a page that is hung up on to hear why
};

struct ServerSettings {
  /// Another than a loopback address makes a token that every request must carry.
  std::string address = "127.0.0.1";
  std::uint16_t port = 8080;  ///< 0: any that is free
  Limits limits;
};

class Uploads;

class Server {
public:
  /// False in a build without Boost, where making one throws.
  static bool available();

  /// Pages, hub, uploads (null: pages send no files) and what `make_partner` needs must live as long as the server. Throws
  /// Error where the address is wrong or the port taken, or in a build without Boost.
  Server(const ServerSettings& settings, std::span<const Page> pages, Hub& hub, MakePartner make_partner = {},
         Uploads* uploads = nullptr);

  /// Hangs up on everybody.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;

  /// Where a browser finds it, with the token where one is needed.
  std::string url() const;

  struct Counts {
    std::size_t open = 0;            ///< connections now
    std::uint64_t refused = 0;       ///< connections beyond the limit
    std::uint64_t unauthorised = 0;  ///< requests without the token, or from a foreign page
  };
  Counts counts() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinema::serve
