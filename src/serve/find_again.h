// The request of a page to search for the person again: a tracker that follows a chair does not know it.
#pragma once

#include "serve/page_session.h"

#include <atomic>

namespace kinema::serve {

/// Set by any page, taken by the run.
class FindAgain {
public:
  void ask() { asked_ = true; }
  bool take() { return asked_.exchange(false); }

private:
  std::atomic<bool> asked_ = false;
};

/// {"do":"find again"}
class FindAgainHandler final : public RequestHandler {
public:
  explicit FindAgainHandler(FindAgain& shared) : shared_(shared) {}

  std::vector<std::string> offers() const override { return {"find again"}; }
  bool request(const std::string& what, const nlohmann::json&) override {
    if (what != "find again") return false;
    shared_.ask();
    return true;
  }
  bool message(const std::string&, const Message&) override { return false; }

private:
  FindAgain& shared_;
};

}  // namespace kinema::serve
