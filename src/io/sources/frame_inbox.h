// Frames that arrive as pieces of a stream (io/sources/stream_format.h) on one thread and are tracked on another. They are live
// whatever the stream says: the thread that delivers them never waits.
#pragma once

#include "io/sources/raw_source.h"
#include "io/sources/stream_format.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace kinema::io {

class FrameInbox {
public:
  /// `name` is what messages call the sender.
  explicit FrameInbox(std::string name) : name_(std::move(name)) {}

  /// The next bytes of the stream, in pieces of any size. Throws Error if they cannot be a stream: close it then.
  void add(std::string_view bytes);

  /// No more follow.
  void close();

  bool closed() const;

  /// Opens once the header is complete. Throws Error if the stream was closed before.
  static RawOpener opener(std::shared_ptr<FrameInbox> inbox, const RecordingSettings& settings);

private:
  class Reader;
  static constexpr std::size_t most_waiting = 2;

  const std::string name_;
  StreamParser parser_;  // of the thread that adds
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<StreamHeader> header_;
  std::deque<RawFrame> waiting_;  // the newest
  bool closed_ = false;
};

}  // namespace kinema::io
