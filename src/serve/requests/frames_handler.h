// Frames of depth or pairs that another program sends over the page's WebSocket, in the framing of docs/stream.md, so
// that pages show the body in them. One program sends at a time; what it sends is tracked on a thread of its own.
#pragma once

#include "io/sources/frame_inbox.h"
#include "serve/page_session.h"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace kinema::serve {

/// Tracks the frames of an inbox until it is closed.
using TrackFrames = std::function<void(const std::shared_ptr<io::FrameInbox>&)>;

/// A program that sends frames. What goes wrong while they are tracked is reported to it while it is connected.
class FrameSender {
public:
  explicit FrameSender(PageSender& page);

  const std::shared_ptr<io::FrameInbox> inbox;

  void report(const std::string& why);
  void disconnect();  ///< its inbox is closed, and nothing is reported any more

private:
  std::mutex mutex_;
  PageSender* page_;  // null once it is gone
};

/// The programs of all connections.
class FrameSenders {
public:
  explicit FrameSenders(TrackFrames track);
  ~FrameSenders();
  FrameSenders(const FrameSenders&) = delete;
  FrameSenders& operator=(const FrameSenders&) = delete;

  /// Throws Error while another program sends.
  std::shared_ptr<FrameSender> begin(PageSender& page);

private:
  void work();

  TrackFrames track_;
  std::mutex mutex_;
  std::condition_variable news_;
  std::shared_ptr<FrameSender> next_, current_;
  bool ending_ = false;
  std::thread thread_;
};

/// Requests: {"do":"frames"}, answered by {"say":"frames"}: binary messages are then pieces of a stream. {"do":"frames
/// off"} ends it, and so does the connection's end.
class FramesHandler final : public RequestHandler {
public:
  FramesHandler(PageSender& page, FrameSenders& senders) : page_(page), senders_(senders) {}
  ~FramesHandler() override;

  std::vector<std::string> offers() const override { return {"frames"}; }
  bool request(const std::string& what, const nlohmann::json& header) override;
  bool bytes(std::string_view bytes) override;

private:
  void end();

  PageSender& page_;
  FrameSenders& senders_;
  std::shared_ptr<FrameSender> sender_;  // while it sends
};

}  // namespace kinema::serve
