#include "io/sources/read_ahead_source.h"

#include "core/stopwatch.h"

#include <algorithm>
#include <utility>

namespace kinema::io {

ReadAheadSource::ReadAheadSource(Source& source, std::size_t frames)
    : Source(source.kind()), source_(source), most_(std::max<std::size_t>(1, frames)), size_(source.size()) {
  fps_ = source.fps();
  guessed_fps_ = source.guessed_fps();
  thread_ = std::thread([this] { run(); });
}

ReadAheadSource::~ReadAheadSource() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ReadAheadSource::run() {
  for (;;) {
    Frame frame;
    bool more = false;
    std::exception_ptr broken;
    const Stopwatch watch;
    try {
      more = source_.next(frame);
    } catch (...) {
      broken = std::current_exception();
    }
    std::unique_lock lock(mutex_);
    read_ms_ += watch.ms();
    if (!more) {
      ended_ = true;
      broken_ = broken;
      changed_.notify_all();
      return;
    }
    changed_.wait(lock, [&] { return stop_ || frames_.size() < most_; });
    if (stop_) return;
    frames_.push_back(std::move(frame));
    changed_.notify_all();
  }
}

bool ReadAheadSource::ready(std::chrono::milliseconds wait) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, wait, [&] { return ended_ || !frames_.empty(); });
}

bool ReadAheadSource::read(Frame& frame) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ended_ || !frames_.empty(); });
  if (frames_.empty()) {
    if (broken_) std::rethrow_exception(std::exchange(broken_, nullptr));
    return false;
  }
  frame = std::move(frames_.front());
  frames_.pop_front();
  changed_.notify_all();
  return true;
}

const Frame* ReadAheadSource::following() const {
  const std::lock_guard lock(mutex_);
  return frames_.empty() ? nullptr : &frames_.front();
}

double ReadAheadSource::read_ms() const {
  const std::lock_guard lock(mutex_);
  return read_ms_;
}

}  // namespace kinema::io
