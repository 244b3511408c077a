#include "serve/conversation.h"

#include "kinema/error.h"

#include <fmt/format.h>

#include <utility>

namespace kinema::serve {
namespace {

constexpr std::size_t most_replies = 32, longest_text = std::size_t{1} << 16;

std::string dumped(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Packet state_packet(const Channel& channel, const Channel::State& state) {
  return Packet::text(dumped({{"say", "state"},
                              {"channel", channel.name()},
                              {"begin", state.begin},
                              {"first", state.first},
                              {"end", state.end},
                              {"finished", state.finished}}));
}

}  // namespace

Packet error_packet(std::string_view text) { return Packet::text(dumped({{"say", "error"}, {"text", text}})); }

Conversation::Conversation(Hub& hub, const MakePartner& make_partner, std::function<void()> wake)
    : hub_(hub), wake_(std::move(wake)) {
  nlohmann::ordered_json hello{{"say", "hello"}, {"protocol", 1}, {"channels", nlohmann::ordered_json::array()}};
  for (const Channel* channel : hub_.channels()) hello["channels"].push_back(channel->name());
  if (make_partner) partner_ = make_partner(*this);
  hello["offers"] = partner_ ? partner_->offers() : std::vector<std::string>{};
  replies_.push_front(Packet::text(dumped(hello)));
  hub_.add(*this);
}

Conversation::~Conversation() {
  hub_.remove(*this);
  partner_.reset();
  // what a page that did not read any more has missed until now
  for (const auto& [name, following] : following_) {
    if (following.live) hub_.counts().skipped += following.channel->state().end - following.next;
  }
}

void Conversation::wake() {
  if (!woken_.exchange(true)) wake_();
}

void Conversation::reply(Packet packet) {
  {
    const std::lock_guard lock(mutex_);
    if (replies_.size() >= most_replies) broken_ = stalled_ = true;
    if (!broken_) replies_.push_back(std::move(packet));
  }
  wake();
}

void Conversation::newest(const std::string& kind, std::optional<Packet> packet) {
  {
    const std::lock_guard lock(mutex_);
    const bool waited = newest_.erase(kind) > 0;
    if (packet && waited) ++hub_.counts().skipped;
    if (packet) newest_.emplace(kind, std::move(*packet));
  }
  wake();
}

bool Conversation::broken() const {
  const std::lock_guard lock(mutex_);
  return broken_;
}

bool Conversation::stalled() const {
  const std::lock_guard lock(mutex_);
  return stalled_;
}

void Conversation::refuse(const std::string& why) {
  reply(error_packet(why));
  const std::lock_guard lock(mutex_);
  broken_ = true;
}

template <class Work>
void Conversation::answer_errors(Work work) {
  try {
    work();
  } catch (const Error& error) {
    reply(error_packet(error.what()));
  } catch (const nlohmann::json::exception&) {
    reply(error_packet("a wish with members of the wrong type"));
  }
}

void Conversation::received_text(std::string_view text) {
  if (broken()) return;
  if (text.size() > longest_text) return refuse("a wish longer than any there is");
  const nlohmann::json wish = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  if (!wish.is_object() || !wish.contains("do") || !wish["do"].is_string()) return refuse("a wish is {\"do\": ...}");
  answer_errors([&] { handle(wish["do"].get<std::string>(), wish); });
}

void Conversation::received_message(std::string_view bytes) {
  if (broken()) return;
  Message message;
  try {
    message = decode(bytes);
  } catch (const Error& error) {
    return refuse(error.what());
  }
  if (!message.header.contains("do") || !message.header["do"].is_string()) return refuse("a wish is {\"do\": ...}");
  const auto what = message.header["do"].get<std::string>();
  answer_errors([&] {
    if (!partner_ || !partner_->message(what, message)) throw Error(fmt::format("'{}' is not done here", what));
  });
}

void Conversation::handle(const std::string& what, const nlohmann::json& header) {
  if (what == "follow") {
    follow(header);
  } else if (what == "leave") {
    following_.erase(header.at("channel").get<std::string>());
  } else if (what == "seek") {
    seek(header);
  } else if (!partner_ || !partner_->wish(what, header)) {
    throw Error(fmt::format("'{}' is not done here", what));
  }
  wake();
}

void Conversation::follow(const nlohmann::json& header) {
  const auto name = header.at("channel").get<std::string>();
  Channel* channel = hub_.find(name);
  if (channel == nullptr) throw Error(fmt::format("there is no channel '{}'", name));
  Following& following = following_[name];
  following.channel = channel;
  following.live = header.value("live", true);
  if (!following.live) return;
  following.wanted.reset();
  const std::uint64_t end = channel->state().end;
  following.next = end > 0 ? end - 1 : 0;  // the newest, whatever was before
}

void Conversation::seek(const nlohmann::json& header) {
  const auto place = following_.find(header.at("channel").get<std::string>());
  if (place == following_.end()) throw Error("follow a channel before its frames are asked for");
  place->second.live = false;
  place->second.wanted = header.at("index").get<std::uint64_t>();
}

std::optional<Packet> Conversation::next_of(Following& following) {
  const Channel& channel = *following.channel;
  const Channel::State state = channel.state();
  if (following.opening != state.opening) {
    following.opening = state.opening;
    return channel.opening();
  }
  if (following.wanted) {
    const auto frame = channel.frame(*std::exchange(following.wanted, std::nullopt));
    if (frame) ++hub_.counts().sent;
    return frame ? frame : state_packet(channel, state);
  }
  if (following.live && following.next < state.end) {
    hub_.counts().skipped += state.end - 1 - following.next;
    following.next = state.end;
    ++hub_.counts().sent;
    return channel.frame(state.end - 1);
  }
  // a page that watches learns the end from the frames
  const bool told = following.told_end && (following.live || *following.told_end == state.end);
  if (told && following.told_finished == state.finished) return std::nullopt;
  following.told_end = state.end;
  following.told_finished = state.finished;
  return state_packet(channel, state);
}

std::optional<Packet> Conversation::next() {
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
  // the channels take turns, beginning behind the one that was served last
  auto place = following_.upper_bound(last_served_);
  for (std::size_t i = 0; i < following_.size(); ++i, ++place) {
    if (place == following_.end()) place = following_.begin();
    if (auto packet = next_of(place->second)) {
      last_served_ = place->first;
      return packet;
    }
  }
  return std::nullopt;
}

}  // namespace kinema::serve
