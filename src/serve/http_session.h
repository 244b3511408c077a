// One connection of a client while it speaks HTTP, and once it speaks WebSocket as the transport of a PageSession.
#pragma once

#include "serve/server.h"
#include "serve/uploads.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>

namespace kinema::serve {

/// A connection that has not shown yet that it may be here. Where all are taken, it gives way.
struct Stranger {
  boost::asio::ip::address address;
  std::function<void()> hang_up;
};

/// What all connections of a server share. The counts are read by other threads.
struct ServerContext {
  std::span<const Page> pages;
  Hub& hub;
  MakeHandlers make_handlers;
  Limits limits;
  Uploads* uploads = nullptr;  ///< null: pages send no files
  bool local = true;           ///< only this machine can connect
  std::string token = {};      ///< "": none is needed
  std::string cookie = {};     ///< the name of the one that carries it: browsers do not tell ports apart
  std::atomic<std::size_t> open = 0;
  std::atomic<std::uint64_t> refused = 0, unauthorised = 0;
  std::list<Stranger> strangers{};  ///< the oldest first; known to the server's thread alone
  std::mutex mutex{};               ///< held by other threads while they post to the server's thread
  bool closed = false;              ///< nothing can be posted any more
};

/// One of the limited number of connections, released with the last reference to it.
class ConnectionSlot {
public:
  explicit ConnectionSlot(ServerContext& context) : context_(context) { ++context_.open; }
  ~ConnectionSlot() { --context_.open; }
  ConnectionSlot(const ConnectionSlot&) = delete;
  ConnectionSlot& operator=(const ConnectionSlot&) = delete;

private:
  ServerContext& context_;
};

/// Hangs up on a stranger: the oldest of the address that has most of them, so that a crowd from one place keeps out nobody
/// of another. False where there is none.
bool make_room(ServerContext& context);

void serve_http(boost::asio::ip::tcp::socket socket, ServerContext& context, std::shared_ptr<ConnectionSlot> slot);

void serve_socket(boost::beast::tcp_stream stream, boost::beast::http::request<boost::beast::http::empty_body> request,
                  ServerContext& context, std::shared_ptr<ConnectionSlot> slot);

}  // namespace kinema::serve
