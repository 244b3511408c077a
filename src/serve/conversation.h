// What is said between the program and one page, whatever carries it: the page's wishes are read, and what it is to be
// sent is chosen when the way is free. A page that reads slowly gets the newest of everything and never a queue, so its
// slowness costs memory for a few replies and nobody's time. See docs/protocol.md.
#pragma once

#include "serve/channel.h"
#include "serve/message.h"
#include "serve/packet.h"

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

/// The way to a page, from any thread.
class Answers {
public:
  virtual ~Answers() = default;

  /// Sent in order. A page that lets too many pile up is hung up on.
  virtual void reply(Packet packet) = 0;

  /// Sent unless a newer one of the same kind comes first; nothing: what waits is not sent any more.
  virtual void newest(const std::string& kind, std::optional<Packet> packet) = 0;
};

/// What a program does for one page beside showing its channels. Called by one thread at a time. An Error is told to the
/// page.
class Partner {
public:
  virtual ~Partner() = default;

  /// What pages may ask for here, for them to know what to show: "files".
  virtual std::vector<std::string> offers() const { return {}; }

  /// False: this wish ("do") is not known here.
  virtual bool wish(const std::string& what, const nlohmann::json& header) = 0;

  /// A message with arrays; it is valid during the call only.
  virtual bool message(const std::string& what, const Message& message) = 0;
};
using MakePartner = std::function<std::unique_ptr<Partner>(Answers&)>;

class Conversation final : public Answers, private Hub::Sleeper {
public:
  /// `wake` is called by any thread when next() may have something new; not again before next() was called.
  Conversation(Hub& hub, const MakePartner& make_partner, std::function<void()> wake);
  ~Conversation() override;

  void received_text(std::string_view text);
  void received_message(std::string_view bytes);

  /// What to send now; nothing where there is nothing to say.
  std::optional<Packet> next();

  /// The page broke the rules: hang up once it was told.
  bool broken() const;

  /// It does not read its answers: hang up at once.
  bool stalled() const;

  void reply(Packet packet) override;
  void newest(const std::string& kind, std::optional<Packet> packet) override;

private:
  struct Following {
    Channel* channel = nullptr;
    bool live = true;
    std::uint64_t opening = 0;              // last told, see Channel::State
    std::optional<std::uint64_t> told_end;  // of the state last told
    bool told_finished = false;
    std::uint64_t next = 0;               // live: the first index that is new to the page
    std::optional<std::uint64_t> wanted;  // asked for by index
  };

  void wake() override;
  void handle(const std::string& what, const nlohmann::json& header);
  void follow(const nlohmann::json& header);
  void seek(const nlohmann::json& header);
  void refuse(const std::string& why);
  std::optional<Packet> next_of(Following& following);
  template <class Work>
  void answer_errors(Work work);

  Hub& hub_;
  std::function<void()> wake_;
  std::map<std::string, Following> following_;
  std::string last_served_;  // of following_, which take turns

  mutable std::mutex mutex_;
  std::deque<Packet> replies_;
  std::map<std::string, Packet> newest_;  // by kind
  bool broken_ = false, stalled_ = false;
  std::atomic<bool> woken_ = false;

  std::unique_ptr<Partner> partner_;  // last, so that it goes first: its threads answer here
};

/// {"say":"error","text":...}
Packet error_packet(std::string_view text);

}  // namespace kinema::serve
