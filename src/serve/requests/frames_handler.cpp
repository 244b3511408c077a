#include "serve/requests/frames_handler.h"

#include "kinema/error.h"

#include <utility>

namespace kinema::serve {

FrameSender::FrameSender(PageSender& page)
    : inbox(std::make_shared<io::FrameInbox>("frames of another program")), page_(&page) {}

void FrameSender::report(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (page_ != nullptr) page_->reply(error_packet(why));
}

void FrameSender::disconnect() {
  {
    // before it is closed: the thread that tracks must not report the end that was asked for, or what was refused already
    const std::lock_guard lock(mutex_);
    page_ = nullptr;
  }
  inbox->close();
}

FrameSenders::FrameSenders(TrackFrames track) : track_(std::move(track)), thread_([this] { work(); }) {}

FrameSenders::~FrameSenders() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    for (const auto& sender : {next_, current_}) {
      if (sender) sender->disconnect();
    }
  }
  news_.notify_one();
  thread_.join();
}

std::shared_ptr<FrameSender> FrameSenders::begin(PageSender& page) {
  std::shared_ptr<FrameSender> sender;
  {
    const std::lock_guard lock(mutex_);
    // one that has gone away may still be tracked for a frame
    for (const auto& other : {next_, current_}) {
      if (other && !other->inbox->closed()) throw Error("another program sends frames already");
    }
    sender = next_ = std::make_shared<FrameSender>(page);
  }
  news_.notify_one();
  return sender;
}

void FrameSenders::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    news_.wait(lock, [this] { return ending_ || next_; });
    if (ending_) return;
    current_ = std::exchange(next_, nullptr);
    const std::shared_ptr<FrameSender> sender = current_;
    lock.unlock();
    try {
      track_(sender->inbox);
    } catch (const std::exception& error) {
      sender->report(error.what());
    }
    sender->inbox->close();
    lock.lock();
    current_.reset();
  }
}

FramesHandler::~FramesHandler() { end(); }

void FramesHandler::end() {
  if (sender_) sender_->disconnect();
  sender_.reset();
}

bool FramesHandler::request(const std::string& what, const nlohmann::json&) {
  if (what == "frames off") {
    end();
    return true;
  }
  if (what != "frames") return false;
  end();
  sender_ = senders_.begin(page_);
  page_.reply(Packet::text(R"({"say":"frames"})"));
  return true;
}

bool FramesHandler::bytes(std::string_view bytes) {
  if (!sender_) return false;
  try {
    sender_->inbox->add(bytes);
  } catch (const Error&) {
    end();
    throw;
  }
  return true;
}

}  // namespace kinema::serve
