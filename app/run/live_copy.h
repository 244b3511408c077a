// Records a live source while it is tracked, when a page asks for it.
#pragma once

#include "kinema/recording.h"

#include <filesystem>
#include <optional>

namespace kinema::app {

class LiveCopy {
public:
  /// Recordings become folders in `place`, named by date and time.
  LiveCopy(io::Recording& recording, std::filesystem::path place) : recording_(recording), place_(std::move(place)) {}
  ~LiveCopy();
  LiveCopy(const LiveCopy&) = delete;
  LiveCopy& operator=(const LiveCopy&) = delete;

  /// Never throws: what fails is in status(), and tracking goes on.
  void start();
  void end();

  /// Of the current or else the last one; ends one that failed.
  const std::optional<io::CopyStatus>& status();
  bool on() const { return on_; }

private:
  io::Recording& recording_;
  std::filesystem::path place_;
  bool on_ = false;
  std::optional<io::CopyStatus> status_;
};

}  // namespace kinema::app
