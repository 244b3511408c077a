// Recordings in Python.
#pragma once

#include "kinema/recording.h"
#include "source.h"

#include <pybind11/pybind11.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kinema::python {

/// The frames of a recording that are read: all, or every `step`-th from `first` to below `last`, counted from 0.
struct Part {
  std::size_t first = 0, last = std::numeric_limits<std::size_t>::max(), step = 1;
};

/// A recording, or a part of one.
class Recording : public SharedSource<io::Recording> {
public:
  Recording(std::vector<std::string> input, const io::RecordingSettings& settings, const Part& part = {});

  /// Raises StopIteration at the end.
  Frame next();

  /// The frames of this part, whether they have been read or not; nothing where that is not known.
  std::optional<std::size_t> size() const;

  /// The same recording, opened again: frames are counted within this part. Throws Error for a live source.
  std::unique_ptr<Recording> slice(const pybind11::slice& slice) const;

  /// The frame at a place, counted from the end where it is negative. Reads those before it.
  Frame at(pybind11::ssize_t place) const;

  std::string text() const;

private:
  void require_files() const;

  io::RecordingSettings settings_;
  Part part_;
  std::size_t read_ = 0;  // frames of the whole recording, up to and with the last one
};

}  // namespace kinema::python
