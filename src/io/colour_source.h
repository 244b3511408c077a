// Colour frames in their order: from pictures, a folder of them, a printf pattern, a video or a camera. Needs OpenCV.
#pragma once

#include "io/picture.h"
#include "kinema/image.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kinema::io {

struct ColourFrame {
  long index = 0;         ///< the number in the file's name, or counted from 0
  double time = 0;        ///< seconds: index / fps; of stamped names and cameras, since the first frame
  std::string name = {};  ///< of the file
  Picture picture = {};

  /// Not empty: this frame could not be read, and why; the picture is then empty.
  std::string gap = {};

  /// Seconds since 1970: when the camera took it, or when it was read from a file.
  double taken = 0;

  ColourView view() const {
    const auto width = static_cast<std::size_t>(picture.width);
    return {picture.bgr.data(), width, static_cast<std::size_t>(picture.height), 3 * width, PixelFormat::bgr};
  }
};

struct ColourSettings {
  /// Above 0: instead of what the video says. Pictures say none: see guessed_fps().
  double fps = 0;
};

class ColourSource {
public:
  virtual ~ColourSource() = default;

  /// The next frame, also one that could not be read (see gap); false at the end. Throws Error, with what could be read
  /// handed on before, where a video breaks off or a frame has another size than those before.
  virtual bool next(ColourFrame& frame) = 0;

  /// Frames in all, where known.
  virtual std::optional<std::size_t> size() const = 0;

  double fps() const { return fps_; }

  /// Nothing said how many frames a second there are, so 30 was taken.
  bool guessed_fps() const { return guessed_; }

  /// Frames come as they are taken, for as long as one asks.
  bool live() const { return live_; }

protected:
  double fps_ = 30;
  bool guessed_ = false, live_ = false;
};

/// A folder, a printf pattern, a video, one or several pictures; "camera:0" (or /dev/video0, or 0) is a camera. Throws
/// Error where there are no frames or none of them can be read.
std::unique_ptr<ColourSource> open_colour(const std::vector<std::string>& input, const ColourSettings& settings = {});

}  // namespace kinema::io
