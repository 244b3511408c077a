// A page that waits for the replies of a handler.
#pragma once

#include "serve/page_session.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace kinema::serve {

class Listener final : public PageSender {
public:
  void reply(Packet packet) override { take(std::move(packet)); }
  void newest(const std::string&, std::optional<Packet> packet) override {
    if (packet) take(std::move(*packet));
  }

  // The next answer; null where none comes in a time that is long for any.
  nlohmann::json next() {
    std::unique_lock lock(mutex_);
    if (!news_.wait_for(lock, std::chrono::seconds(60), [this] { return !packets_.empty(); })) return nullptr;
    const Packet packet = packets_.front();
    packets_.pop_front();
    return packet.binary ? decode(*packet.bytes).header : nlohmann::json::parse(*packet.bytes);
  }

private:
  void take(Packet packet) {
    const std::lock_guard lock(mutex_);
    packets_.push_back(std::move(packet));
    news_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<Packet> packets_;
};

}  // namespace kinema::serve
