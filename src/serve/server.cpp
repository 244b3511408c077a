#include "serve/server.h"

#include "kinema/error.h"
#include "serve/access.h"
#include "serve/http_session.h"

#include <fmt/format.h>
#include <unistd.h>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <mutex>
#include <thread>
#include <utility>

namespace kinema::serve {
namespace {

using boost::asio::ip::tcp;

tcp::endpoint endpoint(const ServerSettings& settings) {
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(settings.address, error);
  if (error) {
    throw Error(
        fmt::format("'{}' is not an address to serve at: give numbers, as in 127.0.0.1 or 0.0.0.0", settings.address));
  }
  return {address, settings.port};
}

}  // namespace

struct Server::State {
  State(const ServerSettings& settings, std::span<const Page> pages, Hub& hub, MakeHandlers make_handlers,
        Uploads* uploads)
      : context{pages, hub, std::move(make_handlers), settings.limits, uploads}, address(settings.address) {
    context.local = is_loopback(address);
    if (settings.token) {
      context.token = make_token();
    } else if (!context.local) {
      throw Error(fmt::format("{} lets other machines connect, which needs the token: leave out --no-token", address));
    }
    const tcp::endpoint place = endpoint(settings);
    boost::system::error_code error;
    acceptor.open(place.protocol(), error);
    if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(place, error);
    if (!error) acceptor.listen(boost::asio::socket_base::max_listen_connections, error);
    if (error) {
      throw Error(fmt::format("cannot serve at {} port {}: {}; give another with --port, or 0 for any that is free",
                              address, settings.port, error.message()));
    }
    port = acceptor.local_endpoint().port();
    context.cookie = fmt::format("kinema_token_{}", port);
    thread = std::thread([this] { run(); });
  }

  ~State() {
    loop.stop();
    thread.join();
    // sessions are destroyed with the loop, and threads that answer in them must not reach it meanwhile
    const std::lock_guard lock(context.mutex);
    context.closed = true;
  }

  void run() {
    for (;;) {
      try {
        if (accepting.expired()) accept();
        loop.run();
        return;
      } catch (const std::exception&) {
        // what fails for one client, such as a lack of memory, ends only that client's connection
      }
    }
  }

  // Again and again. What its handlers hold is gone where an exception ended that, also one before a handler was called.
  void accept() {
    const auto held = std::make_shared<bool>();
    accepting = held;
    acceptor.async_accept([this, held](boost::system::error_code error, tcp::socket socket) {
      if (!error) welcome(std::move(socket));
      if (error == boost::asio::error::operation_aborted) return;
      if (!error) return accept();
      // such as no file descriptors left: they become free when a client disconnects
      pause.expires_after(std::chrono::milliseconds(100));
      pause.async_wait([this, held](boost::system::error_code stopped) {
        if (!stopped) accept();
      });
    });
  }

  void welcome(tcp::socket socket) {
    const bool full = context.open >= context.limits.connections;
    if (full) ++context.refused;  // this one or another
    if (full && !make_room(context)) {
      boost::system::error_code ignored;
      socket.close(ignored);
    } else {
      serve_http(std::move(socket), context, std::make_shared<ConnectionSlot>(context));
    }
  }

  ServerContext context;
  std::string address;
  std::uint16_t port = 0;
  boost::asio::io_context loop{1};
  // it runs until it is stopped, also where nothing is left to do but to accept again
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{loop.get_executor()};
  tcp::acceptor acceptor{loop};
  boost::asio::steady_timer pause{loop};
  std::weak_ptr<void> accepting;
  std::thread thread;
};

Server::Server(const ServerSettings& settings, std::span<const Page> pages, Hub& hub, MakeHandlers make_handlers,
               Uploads* uploads)
    : state_(std::make_unique<State>(settings, pages, hub, std::move(make_handlers), uploads)) {}

Server::~Server() = default;

bool Server::available() { return true; }

std::uint16_t Server::port() const { return state_->port; }

std::string Server::url() const {
  std::string host = state_->address;
  if (host == "0.0.0.0" || host == "::") {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0') host = name.data();
  }
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  const std::string token = state_->context.token.empty() ? "" : "?token=" + state_->context.token;
  return fmt::format("http://{}:{}/{}", host, state_->port, token);
}

Server::Counts Server::counts() const {
  const ServerContext& context = state_->context;
  return {context.open, context.refused, context.unauthorised};
}

}  // namespace kinema::serve
