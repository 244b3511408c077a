// Recordings in Python.
#pragma once

#include "kinema/recording.h"

#include <memory>
#include <mutex>
#include <utility>

namespace kinema::python {

/// A recording that Python threads may share: without the GIL, two could read it at once.
struct Recording {
  explicit Recording(std::unique_ptr<io::Recording> opened) : frames(std::move(opened)) {}

  std::unique_ptr<io::Recording> frames;
  std::mutex mutex;  ///< guards reading; what is known of the recording as a whole stays as it is
};

}  // namespace kinema::python
