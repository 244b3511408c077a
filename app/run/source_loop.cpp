#include "app/run/source_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace kinema::app {
namespace {

std::size_t total_of(const io::Source& source, FrameRange range) {
  const std::size_t size = source.size().value_or(0);
  if (range.frames == 0) return size;
  return source.live() ? range.frames : std::min(size, range.frames);
}

}  // namespace

std::string LiveCounts::words() const {
  std::string text;
  if (late > 0) text += fmt::format("; {} frame{} too late", late, late == 1 ? "" : "s");
  if (reopened > 0) text += fmt::format("; the source came back {} time{}", reopened, reopened == 1 ? "" : "s");
  return text;
}

SourceLoop::SourceLoop(io::Source& source, FrameRange range, const std::string& what)
    : source_(source), range_(range), total_(total_of(source, range)), progress_(what, total_, true) {}

bool SourceLoop::next(io::Frame& frame) {
  progress_.show(frames_);
  if (!read(frame)) return false;
  if (own_speed_ && !wait_for(frame)) return false;
  ++frames_;
  return true;
}

bool SourceLoop::read(io::Frame& frame) {
  if (broken_ || (range_.frames > 0 && frames_ >= range_.frames)) return false;
  do {
    try {
      do {
        if (stopped()) return false;
      } while (!source_.ready(std::chrono::milliseconds(100)));
      if (!source_.next(frame)) return false;
    } catch (const Error& error) {
      broken_ = error;
      return false;
    }
  } while (frame.index < range_.start);
  return true;
}

// A frame that comes late makes no other late: films that are too large for this machine play slowly.
bool SourceLoop::wait_for(io::Frame& frame) {
  using Clock = std::chrono::steady_clock;
  const auto due = [&] {
    return began_ +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(frame.time - first_time_));
  };
  const Clock::time_point now = Clock::now();
  if (frames_ == 0 || due() < now) {
    began_ = now;
    first_time_ = frame.time;
  }
  while (Clock::now() < due()) {
    if (stopped()) return false;
    std::this_thread::sleep_for(std::min<Clock::duration>(due() - Clock::now(), std::chrono::milliseconds(100)));
  }
  frame.taken = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  return true;
}

void SourceLoop::check_range() const {
  if (frames_ > 0 || stopped() || broken_) return;
  throw Error(fmt::format("the input has no frame from --start {} on", range_.start));
}

void SourceLoop::throw_broken() const {
  if (!kept_) throw *broken_;
  throw Error(fmt::format("{}; what was done until then, {} frame{}, is kept", broken_->what(), frames_,
                          frames_ == 1 ? "" : "s"),
              broken_->cause());
}

}  // namespace kinema::app
