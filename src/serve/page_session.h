// The session of one page, independent of its transport: requests of the page are handled, and what to send next is chosen
// when the connection is ready. A slow page gets the newest of everything rather than a queue, so that it costs memory for
// a few replies and delays nobody. See docs/protocol.md.
#pragma once

#include "serve/messages/channel.h"
#include "serve/messages/message.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::serve {

/// Sends to a page, from any thread.
class PageSender {
public:
  virtual ~PageSender() = default;

  /// Sent in order. A page that leaves too many unread is disconnected.
  virtual void reply(Packet packet) = 0;

  /// Sent unless a newer one of the same kind comes first; nothing: one that waits is dropped.
  virtual void newest(const std::string& kind, std::optional<Packet> packet) = 0;
};

/// Handles the requests of one page that do not concern channels. Called by one thread at a time. An Error is reported to
/// the page.
class RequestHandler {
public:
  virtual ~RequestHandler() = default;

  /// What pages may request, so that they know what to show: "files", "frames".
  virtual std::vector<std::string> offers() const { return {}; }

  /// False: this request ("do") is not handled here.
  virtual bool request(const std::string& what, const nlohmann::json& header) = 0;

  /// The same for a message with arrays, which is valid only during the call.
  virtual bool message(const std::string& /*what*/, const Message& /*message*/) { return false; }

  /// A binary message as it is; false: it is a message with arrays.
  virtual bool bytes(std::string_view /*bytes*/) { return false; }
};

/// Of a page: the first that knows a request handles it.
using RequestHandlers = std::vector<std::unique_ptr<RequestHandler>>;
using MakeHandlers = std::function<RequestHandlers(PageSender&)>;

class PageSession final : public PageSender, private Hub::Subscriber {
public:
  /// `wake` is called by any thread when next() may have something new, and not again before next() was called.
  PageSession(Hub& hub, const MakeHandlers& make_handlers, std::function<void()> wake);
  ~PageSession() override;

  void received_text(std::string_view text);
  void received_message(std::string_view bytes);

  /// What to send now; nothing where there is nothing to send.
  std::optional<Packet> next();

  /// The page broke the protocol: close the connection once it was told.
  bool broken() const;

  /// It does not read its replies: close the connection at once.
  bool stalled() const;

  void reply(Packet packet) override;
  void newest(const std::string& kind, std::optional<Packet> packet) override;

private:
  struct Subscription {
    Channel* channel = nullptr;
    bool live = true;
    std::uint64_t opening = 0;              // last sent, see Channel::State
    std::optional<std::uint64_t> sent_end;  // of the state last sent
    bool sent_finished = false;
    std::uint64_t next = 0;               // live: the first index that is new to the page
    std::optional<std::uint64_t> wanted;  // asked for by index
  };

  void wake() override;
  void handle(const std::string& what, const nlohmann::json& header);
  void follow(const nlohmann::json& header);
  void seek(const nlohmann::json& header);
  void tell_history(const nlohmann::json& header);
  void refuse(const std::string& why);
  std::optional<Packet> next_of(Subscription& subscription);
  template <class Handles>
  bool handled(Handles handles);
  template <class Work>
  void answer_errors(Work work);

  Hub& hub_;
  std::function<void()> wake_;
  std::map<std::string, Subscription> subscriptions_;
  std::string last_served_;  // of subscriptions_, which take turns

  mutable std::mutex mutex_;
  std::deque<Packet> replies_;
  std::map<std::string, Packet> newest_;  // by kind
  bool broken_ = false, stalled_ = false;
  std::atomic<bool> woken_ = false;

  RequestHandlers handlers_;  // last, so that they are destroyed first: their threads reply here
};

/// {"say":"error","text":...}
Packet error_packet(std::string_view text);

}  // namespace kinema::serve
