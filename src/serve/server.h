// The server of the live page: HTTP for its files, a WebSocket for the data of trackers. It runs on one thread of its own;
// nothing that a client does makes a tracker wait, and the memory that clients can make it use is bounded.
#pragma once

#include "serve/page_session.h"
#include "serve/pages.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace kinema::serve {

struct Limits {
  std::size_t connections = 64;     ///< at once; of more, those without a right to it give way, or are closed
  std::size_t header_bytes = 8192;  ///< of a request; only files that pages send have bodies
  std::size_t message_bytes = std::size_t{4} << 20;  ///< of a message from a page
  std::chrono::seconds request{10};                  ///< for a whole request, and between two on one connection
  std::chrono::seconds idle{30};                     ///< after which a client that takes and sends nothing is gone
  std::chrono::minutes upload{10};                   ///< for a file that a page sends
  std::chrono::milliseconds close{500};              ///< for a page to read why its connection is closed
};

struct ServerSettings {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8080;  ///< 0: any free one

  /// Every request must carry the token in url(), since a machine may have other users. Without it, which a loopback
  /// address allows, all of them may connect.
  bool token = true;
  Limits limits;
};

class Uploads;

class Server {
public:
  /// False in a build without Boost, where making one throws.
  static bool available();

  /// Pages, hub, uploads (null: pages send no files) and what `make_handlers` needs must live as long as the server. Throws
  /// Error where the address is wrong or the port taken, or in a build without Boost.
  Server(const ServerSettings& settings, std::span<const Page> pages, Hub& hub, MakeHandlers make_handlers = {},
         Uploads* uploads = nullptr);

  /// Closes all connections.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;

  /// The address for a browser, with the token where one is needed.
  std::string url() const;

  struct Counts {
    std::size_t open = 0;            ///< connections now
    std::uint64_t refused = 0;       ///< connections that were closed because of the limit
    std::uint64_t unauthorised = 0;  ///< requests without the token, or from a page of another origin
  };
  Counts counts() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinema::serve
