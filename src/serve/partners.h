// Several partners of one page as one: the first that knows a wish takes it.
#pragma once

#include "serve/conversation.h"

#include <memory>
#include <vector>

namespace kinema::serve {

class Partners final : public Partner {
public:
  void add(std::unique_ptr<Partner> partner);

  std::vector<std::string> offers() const override;
  bool wish(const std::string& what, const nlohmann::json& header) override;
  bool message(const std::string& what, const Message& message) override;

private:
  std::vector<std::unique_ptr<Partner>> partners_;
};

}  // namespace kinema::serve
