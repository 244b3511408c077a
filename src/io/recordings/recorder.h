// Writes the frames of a source into a recording's folder while they arrive. The folder is a whole recording at any
// moment: camera.json comes first, every image appears complete or not at all, and its name is its time.
#pragma once

#include "io/recordings/raw_recording.h"
#include "io/sources/raw_source.h"
#include "kinema/error.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace kinema::io {

class Recorder {
public:
  /// Throws Error if the folder holds a recording already or cannot be written. `threads` compress images side by
  /// side; 0: one per core.
  Recorder(const std::filesystem::path& folder, const RawFormat& format, const RecordingSettings& settings,
           int threads = 0);

  /// Waits for frames that are being written.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Takes a frame; its time is that since the first one. If all threads are busy and as many frames wait as fit in
  /// memory, a frame of a live source is dropped; otherwise this waits. False after a frame could not be written.
  bool add(RawFrame raw);

  /// Waits until all frames are written. Throws the Error that ended it, such as a full disk.
  void finish();

  std::size_t written() const;
  std::size_t dropped() const;
  std::size_t bytes() const;
  std::string failed() const;  ///< why frames are not written any more; "" while they are

private:
  void run();
  std::size_t write(const RawFrame& raw) const;
  std::size_t write_file(const std::string& kind, const std::string& name, const std::string& bytes) const;

  std::filesystem::path folder_;
  RawFormat format_;
  FrameConverter converter_;
  CameraFile camera_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<RawFrame> waiting_;
  std::size_t busy_ = 0, written_ = 0, dropped_ = 0, bytes_ = 0;
  bool ending_ = false;
  std::optional<Error> failed_;
  std::vector<std::thread> threads_;  // last: they use the rest
};

/// The name of a frame's file, without its ending: its time in seconds, which reads back bit for bit.
std::string stamp_name(double time);

}  // namespace kinema::io
