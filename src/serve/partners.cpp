#include "serve/partners.h"

#include <algorithm>
#include <utility>

namespace kinema::serve {

void Partners::add(std::unique_ptr<Partner> partner) { partners_.push_back(std::move(partner)); }

std::vector<std::string> Partners::offers() const {
  std::vector<std::string> all;
  for (const auto& partner : partners_) {
    for (std::string& offer : partner->offers()) all.push_back(std::move(offer));
  }
  return all;
}

bool Partners::wish(const std::string& what, const nlohmann::json& header) {
  return std::any_of(partners_.begin(), partners_.end(), [&](auto& partner) { return partner->wish(what, header); });
}

bool Partners::message(const std::string& what, const Message& message) {
  return std::any_of(partners_.begin(), partners_.end(),
                     [&](auto& partner) { return partner->message(what, message); });
}

}  // namespace kinema::serve
