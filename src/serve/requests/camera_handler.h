// The camera of a page before one tracker: a thread tracks its frames from the first one until the camera is switched off.
#pragma once

#include "serve/requests/camera_thread.h"

#include <functional>
#include <memory>

namespace kinema::serve {

/// Tracks the frames of one camera and answers each, on the camera's thread.
class CameraTracker {
public:
  virtual ~CameraTracker() = default;
  virtual void track(const CameraFrame& frame, std::uint64_t skipped) = 0;
};

/// Messages {"do":"camera",...} with the array "picture", and requests {"do":"camera off"}, for the tracker of this name.
class CameraHandler : public RequestHandler {
public:
  bool request(const std::string& what, const nlohmann::json& header) override;
  bool message(const std::string& what, const Message& message) override;

protected:
  using Make = std::function<std::unique_ptr<CameraTracker>()>;

  CameraHandler(const char* name, PageSender& sender, CameraSlots& slots, Make make);

  /// Nothing while the camera is off.
  CameraThread* thread() const { return thread_.get(); }

private:
  const char* name_;
  PageSender& sender_;
  CameraSlots& slots_;
  Make make_;
  std::unique_ptr<CameraTracker> tracker_;
  std::unique_ptr<CameraThread> thread_;  // last, so that it ends before what it uses
};

}  // namespace kinema::serve
