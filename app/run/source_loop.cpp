#include "app/run/source_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

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
