// Several handlers of one page as one: the first that knows a request handles it.
#pragma once

#include "serve/page_session.h"

#include <memory>
#include <vector>

namespace kinema::serve {

class RequestHandlers final : public RequestHandler {
public:
  void add(std::unique_ptr<RequestHandler> handler);

  std::vector<std::string> offers() const override;
  bool request(const std::string& what, const nlohmann::json& header) override;
  bool message(const std::string& what, const Message& message) override;
  bool bytes(std::string_view bytes) override;

private:
  std::vector<std::unique_ptr<RequestHandler>> handlers_;
};

}  // namespace kinema::serve
