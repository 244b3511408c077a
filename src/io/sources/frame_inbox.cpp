#include "io/sources/frame_inbox.h"

#include "io/sources/stream_format.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace kinema::io {

class FrameInbox::Reader final : public RawSource {
public:
  Reader(std::shared_ptr<FrameInbox> inbox, RawFormat format)
      : RawSource(std::move(format)), inbox_(std::move(inbox)) {}

  Got read(RawFrame& frame, std::chrono::milliseconds wait) override {
    std::unique_lock lock(inbox_->mutex_);
    const auto news = [this] { return !inbox_->waiting_.empty() || inbox_->closed_; };
    if (!inbox_->changed_.wait_for(lock, wait, news)) return Got::nothing;
    if (inbox_->waiting_.empty()) return Got::end;
    frame = std::move(inbox_->waiting_.front());
    inbox_->waiting_.pop_front();
    return Got::frame;
  }

private:
  std::shared_ptr<FrameInbox> inbox_;
};

void FrameInbox::add(std::string_view bytes) {
  try {
    parser_.add(bytes);
    bool news = false;
    const std::lock_guard lock(mutex_);
    if (parser_.header() && !header_) {
      header_ = parser_.header();
      news = true;
    }
    while (std::optional<RawFrame> frame = parser_.next()) {
      waiting_.push_back(std::move(*frame));
      if (waiting_.size() > most_waiting) waiting_.pop_front();
      news = true;
    }
    if (parser_.ended()) closed_ = news = true;
    if (news) changed_.notify_all();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name_, error.what()));
  }
}

void FrameInbox::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

bool FrameInbox::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

RawOpener FrameInbox::opener(std::shared_ptr<FrameInbox> inbox, const RecordingSettings& settings) {
  return [inbox = std::move(inbox), settings]() -> std::unique_ptr<RawSource> {
    std::unique_lock lock(inbox->mutex_);
    const auto known = [&] { return inbox->header_ || inbox->closed_; };
    if (!inbox->changed_.wait_for(lock, std::chrono::milliseconds(200), known)) return nullptr;
    if (!inbox->header_) throw Error(fmt::format("{}: ended before a header came", inbox->name_));
    RawFormat format = stream_raw_format(*inbox->header_, inbox->name_, settings, SourceUse::body);
    format.live = true;
    return std::make_unique<Reader>(inbox, std::move(format));
  };
}

}  // namespace kinema::io
