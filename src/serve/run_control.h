// What pages ask of the run of a body tracker on a live source: to stop and start, to record, and to search for the
// person again, since a tracker that follows a chair does not know it.
#pragma once

#include "kinema/error.h"
#include "serve/page_session.h"

#include <atomic>
#include <optional>

namespace kinema::serve {

/// A request of any page, taken by the run, which knows its own state.
class PageRequest {
public:
  void ask(bool on) { asked_ = on ? 1 : 0; }

  /// What was asked last; nothing since then.
  std::optional<bool> take() {
    const int asked = asked_.exchange(-1);
    return asked < 0 ? std::nullopt : std::optional(asked == 1);
  }

private:
  std::atomic<int> asked_ = -1;
};

struct RunControl {
  PageRequest find_again, track, record;
};

/// {"do":"find again"}, {"do":"track live","on":false}, {"do":"record","on":true}
class RunHandler final : public RequestHandler {
public:
  explicit RunHandler(RunControl& control) : control_(control) {}

  std::vector<std::string> offers() const override { return {"find again", "track live", "record"}; }
  bool request(const std::string& what, const nlohmann::json& header) override {
    if (what == "find again") {
      control_.find_again.ask(true);
    } else if (what == "track live") {
      control_.track.ask(on(header));
    } else if (what == "record") {
      control_.record.ask(on(header));
    } else {
      return false;
    }
    return true;
  }

private:
  static bool on(const nlohmann::json& header) {
    if (!header.contains("on") || !header["on"].is_boolean()) throw Error("\"on\" is true or false");
    return header["on"].get<bool>();
  }

  RunControl& control_;
};

}  // namespace kinema::serve
