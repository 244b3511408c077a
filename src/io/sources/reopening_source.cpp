#include "io/sources/reopening_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace kinema::io {
namespace {

using Clock = std::chrono::steady_clock;

bool same_camera(const RawFormat& a, const RawFormat& b) {
  const Camera &one = a.camera.file.camera, &other = b.camera.file.camera;
  return a.content == b.content && one.width == other.width && one.height == other.height && one.fx == other.fx &&
         one.fy == other.fy && one.cx == other.cx && one.cy == other.cy &&
         a.camera.file.depth_scale == b.camera.file.depth_scale && a.camera.file.baseline == b.camera.file.baseline;
}

}  // namespace

double FrameClock::time_of(const RawFrame& raw) {
  const auto now = Clock::now();
  if (!started_) {
    if (!ever_) first_arrival_ = now;
    offset_ = ever_ ? std::chrono::duration<double>(now - first_arrival_).count() : 0;
    first_ = raw.time;
    started_ = true;
  }
  double time = raw.time - first_ + offset_;
  // the clock of a source may be set back, but the time of frames must increase
  if (ever_) time = std::max(time, last_ + 1e-6);
  ever_ = true;
  return last_ = time;
}

ReopeningSource::ReopeningSource(RawOpener open, double patience, const std::function<bool()>& stopped)
    : open_(std::move(open)) {
  while (!source_) {
    if (stopped && stopped()) throw Error("stopped while waiting for the source", Error::Cause::running);
    source_ = open_();
  }
  format_ = source_->format();
  patience_ = format_.live && format_.reopens ? patience : 0;
}

RawSource::Got ReopeningSource::read(RawFrame& frame, std::chrono::milliseconds wait) {
  if (!source_) {
    try_again(wait);
    return Got::nothing;
  }
  try {
    const Got got = source_->read(frame, wait);
    if (got == Got::frame) frame.time = clock_.time_of(frame);
    return got;
  } catch (const Error& error) {
    lose(error);
    return Got::nothing;
  }
}

void ReopeningSource::lose(const Error& why) {
  if (!(patience_ > 0) || why.cause() == Error::Cause::input) throw why;
  why_ = why;
  gone_ = Clock::now();
  source_.reset();  // a device cannot be opened twice
}

void ReopeningSource::try_again(std::chrono::milliseconds wait) {
  if (Clock::now() - gone_ > std::chrono::duration<double>(patience_)) {
    throw Error(fmt::format("{}; it did not come back within {} s", why_->what(), patience_), Error::Cause::running);
  }
  std::unique_ptr<RawSource> again;
  try {
    again = open_();
  } catch (const Error&) {
    // still away: the first reason is the one to report
  }
  if (!again) {
    std::this_thread::sleep_for(std::min(wait, reopen_interval));
    return;
  }
  if (!same_camera(format_, again->format())) {
    throw Error(fmt::format("{}: came back with another size or other intrinsics than before", format_.name),
                Error::Cause::running);
  }
  source_ = std::move(again);
  clock_.restart();
  ++reopened_;
}

}  // namespace kinema::io
