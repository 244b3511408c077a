#include "serve/page_session.h"

#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kinema::serve {
namespace {

// Frames of a history, as many as a curve of a page is wide.
constexpr std::uint64_t most_history = 600;

constexpr std::size_t most_replies = 32, longest_text = std::size_t{1} << 16;

Packet state_packet(const Channel& channel, const Channel::State& state) {
  return Packet::text(text_of({{"say", "state"},
                               {"channel", channel.name()},
                               {"begin", state.begin},
                               {"first", state.first},
                               {"end", state.end},
                               {"finished", state.finished}}));
}

}  // namespace

Packet error_packet(std::string_view text) { return Packet::text(text_of({{"say", "error"}, {"text", text}})); }

PageSession::PageSession(Hub& hub, const MakeHandlers& make_handlers, std::function<void()> wake)
    : hub_(hub), wake_(std::move(wake)) {
  nlohmann::ordered_json hello{{"say", "hello"}, {"protocol", 1}, {"channels", nlohmann::ordered_json::array()}};
  for (const Channel* channel : hub_.channels()) hello["channels"].push_back(channel->name());
  if (make_handlers) handlers_ = make_handlers(*this);
  hello["offers"] = nlohmann::ordered_json::array();
  for (const auto& handler : handlers_)
    for (const std::string& offer : handler->offers()) hello["offers"].push_back(offer);
  replies_.push_front(Packet::text(text_of(hello)));
  hub_.add(*this);
}

PageSession::~PageSession() {
  hub_.remove(*this);
  handlers_.clear();
  // what a page that stopped reading has missed
  for (const auto& [name, subscription] : subscriptions_) {
    if (subscription.live) hub_.counts().skipped += subscription.channel->state().end - subscription.next;
  }
}

void PageSession::wake() {
  if (!woken_.exchange(true)) wake_();
}

void PageSession::reply(Packet packet) {
  {
    const std::lock_guard lock(mutex_);
    if (replies_.size() >= most_replies) broken_ = stalled_ = true;
    if (!broken_) replies_.push_back(std::move(packet));
  }
  wake();
}

void PageSession::newest(const std::string& kind, std::optional<Packet> packet) {
  {
    const std::lock_guard lock(mutex_);
    const bool waited = newest_.erase(kind) > 0;
    if (packet && waited) ++hub_.counts().skipped;
    if (packet) newest_.emplace(kind, std::move(*packet));
  }
  wake();
}

bool PageSession::broken() const {
  const std::lock_guard lock(mutex_);
  return broken_;
}

bool PageSession::stalled() const {
  const std::lock_guard lock(mutex_);
  return stalled_;
}

void PageSession::refuse(const std::string& why) {
  reply(error_packet(why));
  const std::lock_guard lock(mutex_);
  broken_ = true;
}

template <class Work>
void PageSession::answer_errors(Work work) {
  try {
    work();
  } catch (const Error& error) {
    reply(error_packet(error.what()));
  } catch (const nlohmann::json::exception&) {
    reply(error_packet("a member of the request has the wrong type"));
  }
}

template <class Handles>
bool PageSession::handled(Handles handles) {
  return std::any_of(handlers_.begin(), handlers_.end(), [&](const auto& handler) { return handles(*handler); });
}

void PageSession::received_text(std::string_view text) {
  if (broken()) return;
  if (text.size() > longest_text) return refuse("the request is too long");
  const nlohmann::json request = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  if (!request.is_object() || !request.contains("do") || !request["do"].is_string())
    return refuse("a request is {\"do\": ...}");
  answer_errors([&] { handle(request["do"].get<std::string>(), request); });
}

void PageSession::received_message(std::string_view bytes) {
  if (broken()) return;
  bool taken = true;
  answer_errors([&] { taken = handled([&](RequestHandler& handler) { return handler.bytes(bytes); }); });
  if (taken) return;
  Message message;
  try {
    message = decode(bytes);
  } catch (const Error& error) {
    return refuse(error.what());
  }
  if (!message.header.contains("do") || !message.header["do"].is_string()) return refuse("a request is {\"do\": ...}");
  const auto what = message.header["do"].get<std::string>();
  answer_errors([&] {
    if (!handled([&](RequestHandler& handler) { return handler.message(what, message); }))
      throw Error(fmt::format("'{}' is not a request that is handled here", what));
  });
}

void PageSession::handle(const std::string& what, const nlohmann::json& header) {
  if (what == "follow") {
    follow(header);
  } else if (what == "leave") {
    subscriptions_.erase(header.at("channel").get<std::string>());
  } else if (what == "seek") {
    seek(header);
  } else if (what == "history") {
    tell_history(header);
  } else if (!handled([&](RequestHandler& handler) { return handler.request(what, header); })) {
    throw Error(fmt::format("'{}' is not a request that is handled here", what));
  }
  wake();
}

void PageSession::follow(const nlohmann::json& header) {
  const auto name = header.at("channel").get<std::string>();
  Channel* channel = hub_.find(name);
  if (channel == nullptr) throw Error(fmt::format("there is no channel '{}'", name));
  Subscription& subscription = subscriptions_[name];
  subscription.channel = channel;
  subscription.live = header.value("live", true);
  if (!subscription.live) return;
  subscription.wanted.reset();
  const std::uint64_t end = channel->state().end;
  subscription.next = end > 0 ? end - 1 : 0;  // the newest, whatever was before
}

void PageSession::seek(const nlohmann::json& header) {
  const auto place = subscriptions_.find(header.at("channel").get<std::string>());
  if (place == subscriptions_.end()) throw Error("follow a channel before seeking in it");
  place->second.live = false;
  place->second.wanted = whole_number(header, "index");
}

// What the frames of this run said, without their arrays: for the curves of a page that was opened late.
void PageSession::tell_history(const nlohmann::json& header) {
  const auto name = header.at("channel").get<std::string>();
  const Channel* channel = hub_.find(name);
  if (channel == nullptr) throw Error(fmt::format("there is no channel '{}'", name));
  const Channel::State state = channel->state();
  const std::uint64_t first = std::max(state.first, state.begin);
  const std::uint64_t step = (state.end - std::min(first, state.end)) / most_history + 1;
  nlohmann::ordered_json frames = nlohmann::ordered_json::array();
  for (std::uint64_t index = first; index < state.end; index += step) {
    const std::optional<Packet> frame = channel->frame(index);
    if (!frame || !frame->binary) continue;
    nlohmann::ordered_json said = decode(*frame->bytes).header;
    said.erase("arrays");
    frames.push_back(std::move(said));
  }
  reply(Packet::text(text_of({{"say", "history"}, {"channel", name}, {"frames", std::move(frames)}})));
}

std::optional<Packet> PageSession::next_of(Subscription& subscription) {
  const Channel& channel = *subscription.channel;
  const Channel::State state = channel.state();
  if (subscription.opening != state.opening) {
    subscription.opening = state.opening;
    return channel.opening();
  }
  if (subscription.wanted) {
    const auto frame = channel.frame(*std::exchange(subscription.wanted, std::nullopt));
    if (frame) ++hub_.counts().sent;
    return frame ? frame : state_packet(channel, state);
  }
  if (subscription.live && subscription.next < state.end) {
    hub_.counts().skipped += state.end - 1 - subscription.next;
    subscription.next = state.end;
    ++hub_.counts().sent;
    return channel.frame(state.end - 1);
  }
  // a page that follows live learns the end from the frames
  const bool sent = subscription.sent_end && (subscription.live || *subscription.sent_end == state.end);
  if (sent && subscription.sent_finished == state.finished) return std::nullopt;
  subscription.sent_end = state.end;
  subscription.sent_finished = state.finished;
  return state_packet(channel, state);
}

std::optional<Packet> PageSession::next() {
  woken_ = false;
  {
    const std::lock_guard lock(mutex_);
    if (!replies_.empty()) {
      Packet packet = std::move(replies_.front());
      replies_.pop_front();
      return packet;
    }
    if (!newest_.empty()) return std::move(newest_.extract(newest_.begin()).mapped());
  }
  // the channels take turns, beginning after the one that was served last
  auto place = subscriptions_.upper_bound(last_served_);
  for (std::size_t i = 0; i < subscriptions_.size(); ++i, ++place) {
    if (place == subscriptions_.end()) place = subscriptions_.begin();
    if (auto packet = next_of(place->second)) {
      last_served_ = place->first;
      return packet;
    }
  }
  return std::nullopt;
}

}  // namespace kinema::serve
