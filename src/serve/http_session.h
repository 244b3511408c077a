// One connection of a client, as long as it speaks HTTP.
#pragma once

#include "serve/server.h"
#include "serve/uploads.h"

#include <boost/asio/ip/tcp.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

namespace kinema::serve {

/// What all connections of a server share. The counts are read by other threads.
struct House {
  std::span<const Page> pages;
  Hub& hub;
  MakePartner make_partner;
  Limits limits;
  Uploads* uploads = nullptr;  ///< null: pages send no files
  std::string token;           ///< "": none is needed, since only this machine can connect
  std::atomic<std::size_t> open = 0;
  std::atomic<std::uint64_t> refused = 0, unauthorised = 0;
  std::mutex door{};    ///< held by other threads while they pass a word to the server's own
  bool closed = false;  ///< it hears nobody any more
};

/// A place among the connections, given back when the last who holds it is gone.
class Seat {
public:
  explicit Seat(House& house) : house_(house) { ++house_.open; }
  ~Seat() { --house_.open; }
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;

private:
  House& house_;
};

void serve_http(boost::asio::ip::tcp::socket socket, House& house, std::shared_ptr<Seat> seat);

}  // namespace kinema::serve
