#include "serve/messages/channel.h"

#include <utility>

namespace kinema::serve {

Channel::Channel(std::string name, std::size_t history_bytes, std::function<void()> changed)
    : name_(std::move(name)), usual_bytes_(history_bytes), most_bytes_(history_bytes), changed_(std::move(changed)) {}

void Channel::open(Packet opening) {
  {
    const std::lock_guard lock(mutex_);
    opening_ = std::move(opening);
    ++state_.opening;
  }
  changed_();
}

std::uint64_t Channel::next_index() const { return state().end; }

void Channel::publish(Packet frame) {
  {
    const std::lock_guard lock(mutex_);
    bytes_ += frame.bytes->size();
    frames_.push_back(std::move(frame));
    ++state_.end;
    drop_oldest();
  }
  changed_();
}

void Channel::set_history_bytes(std::size_t most) {
  const std::lock_guard lock(mutex_);
  most_bytes_ = most;
  drop_oldest();
}

// The newest always stays, however large.
void Channel::drop_oldest() {
  while (bytes_ > most_bytes_ && frames_.size() > 1) {
    bytes_ -= frames_.front().bytes->size();
    frames_.pop_front();
    ++state_.first;
  }
}

void Channel::begin() {
  const std::lock_guard lock(mutex_);
  frames_.clear();
  bytes_ = 0;
  most_bytes_ = usual_bytes_;
  state_.begin = state_.first = state_.end;
  state_.finished = false;
}

void Channel::finish() {
  {
    const std::lock_guard lock(mutex_);
    state_.finished = true;
  }
  changed_();
}

Channel::State Channel::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

Packet Channel::opening() const {
  const std::lock_guard lock(mutex_);
  return opening_;
}

std::optional<Packet> Channel::frame(std::uint64_t index) const {
  const std::lock_guard lock(mutex_);
  if (index < state_.first || index >= state_.end) return std::nullopt;
  return frames_[static_cast<std::size_t>(index - state_.first)];
}

Channel& Hub::channel(const std::string& name) {
  const std::lock_guard lock(channels_mutex_);
  const auto [place, made] = channels_.try_emplace(name, name, history_bytes_, [this] { wake_all(); });
  return place->second;
}

Channel* Hub::find(const std::string& name) {
  const std::lock_guard lock(channels_mutex_);
  const auto place = channels_.find(name);
  return place == channels_.end() ? nullptr : &place->second;
}

std::vector<Channel*> Hub::channels() {
  const std::lock_guard lock(channels_mutex_);
  std::vector<Channel*> all;
  for (auto& [name, channel] : channels_) all.push_back(&channel);
  return all;
}

void Hub::add(Subscriber& subscriber) {
  const std::lock_guard lock(subscribers_mutex_);
  subscribers_.insert(&subscriber);
}

void Hub::remove(Subscriber& subscriber) {
  const std::lock_guard lock(subscribers_mutex_);
  subscribers_.erase(&subscriber);
}

void Hub::wake_all() {
  const std::lock_guard lock(subscribers_mutex_);
  for (Subscriber* subscriber : subscribers_) subscriber->wake();
}

}  // namespace kinema::serve
