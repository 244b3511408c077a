// A source whose frames are read by a thread of its own while earlier ones are used: the slower of both sets the pace. For
// files; a live source already keeps the newest frame itself.
#pragma once

#include "kinema/source.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

namespace kinema::io {

class ReadAheadSource final : public Source {
public:
  /// Reads at most `frames` ahead. Until this is destroyed, nobody else may use the source.
  explicit ReadAheadSource(Source& source, std::size_t frames = 8);
  ~ReadAheadSource() override;

  bool ready(std::chrono::milliseconds wait) override;
  std::optional<std::size_t> size() const override { return size_; }

  /// The frame that next() will give, if it has been read; its pixels stay where they are then.
  const Frame* following() const;

  /// What reading took so far, in the thread's own time.
  double read_ms() const;

private:
  bool read(Frame& frame) override;
  void run();

  Source& source_;
  std::size_t most_;
  std::optional<std::size_t> size_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Frame> frames_;
  bool stop_ = false, ended_ = false;
  std::exception_ptr broken_;  // after the frames that were read before
  double read_ms_ = 0;
  std::thread thread_;  // the last: it uses all of the above
};

}  // namespace kinema::io
