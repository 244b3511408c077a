// Stands in for the server in a build without Boost.
#include "kinema/error.h"
#include "serve/server.h"

namespace kinema::serve {

struct Server::State {};

Server::Server(const ServerSettings&, std::span<const Page>, Hub&, MakeHandlers, Uploads*) {
  throw Error("this kinema was built without Boost, whose Beast serves pages: install libboost-dev and build it again");
}
Server::~Server() = default;
bool Server::available() { return false; }
std::uint16_t Server::port() const { return 0; }
std::string Server::url() const { return {}; }
Server::Counts Server::counts() const { return {}; }

}  // namespace kinema::serve
