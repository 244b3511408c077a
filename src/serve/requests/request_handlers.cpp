#include "serve/requests/request_handlers.h"

#include <algorithm>
#include <utility>

namespace kinema::serve {

void RequestHandlers::add(std::unique_ptr<RequestHandler> handler) { handlers_.push_back(std::move(handler)); }

std::vector<std::string> RequestHandlers::offers() const {
  std::vector<std::string> all;
  for (const auto& handler : handlers_) {
    for (std::string& offer : handler->offers()) all.push_back(std::move(offer));
  }
  return all;
}

bool RequestHandlers::request(const std::string& what, const nlohmann::json& header) {
  return std::any_of(handlers_.begin(), handlers_.end(), [&](auto& handler) { return handler->request(what, header); });
}

bool RequestHandlers::message(const std::string& what, const Message& message) {
  return std::any_of(handlers_.begin(), handlers_.end(),
                     [&](auto& handler) { return handler->message(what, message); });
}

bool RequestHandlers::bytes(std::string_view bytes) {
  return std::any_of(handlers_.begin(), handlers_.end(), [&](auto& handler) { return handler->bytes(bytes); });
}

}  // namespace kinema::serve
