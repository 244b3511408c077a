// A raw source that is opened again where it disappears, with times that continue.
#pragma once

#include "io/sources/raw_source.h"
#include "kinema/error.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace kinema::io {

/// How often a source that disappeared is tried again.
inline constexpr std::chrono::milliseconds reopen_interval{250};

/// The time of frames since the first one. It always increases, and continues where a source comes back with another
/// clock.
class FrameClock {
public:
  double time_of(const RawFrame& raw);

  /// The source was opened again: the time that passed meanwhile is taken from this machine's clock.
  void restart() { started_ = false; }

private:
  bool started_ = false, ever_ = false;
  double first_ = 0, offset_ = 0, last_ = 0;
  std::chrono::steady_clock::time_point first_arrival_;
};

class ReopeningSource final : public RawSource {
public:
  /// Opens the source; blocks until it is there, or throws Error once `stopped` is true. `patience`: seconds to wait for
  /// one that disappears.
  ReopeningSource(RawOpener open, double patience, const std::function<bool()>& stopped = nullptr);

  /// The time of a frame is that since the first one. `nothing` while the source is away; throws Error if it does not
  /// come back, or not as it was.
  Got read(RawFrame& frame, std::chrono::milliseconds wait) override;

  std::size_t reopened() const { return reopened_; }

private:
  void lose(const Error& why);
  void try_again(std::chrono::milliseconds wait);

  RawOpener open_;
  double patience_;
  std::unique_ptr<RawSource> source_;  // none while it is away
  std::optional<Error> why_;           // it is away
  std::chrono::steady_clock::time_point gone_;
  FrameClock clock_;
  std::atomic<std::size_t> reopened_ = 0;
};

}  // namespace kinema::io
