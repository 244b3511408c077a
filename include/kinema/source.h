// Where trackers get their frames: files, videos and cameras, behind one interface.
//
// open_colour gives colour frames (for head and face), open_recording in io/recording.h depth or points (for the body).
// A frame that cannot be read is a gap with a reason, and the frames after it still come. A source that breaks off in the
// middle throws from next(): what was handed on before is good.
#pragma once

#include "kinema/image.h"
#include "kinema/picture.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kinema::io {

/// What a camera gave at one moment. Which of depth, points and colour are filled depends on the source.
struct Frame {
  long index = 0;         ///< the number in the file's name, or counted from 0
  double time = 0;        ///< seconds: index / fps; of time stamps in names and of cameras, since the first frame
  std::string name = {};  ///< of its file or camera

  Picture colour = {};             ///< empty where there is none
  std::vector<float> depth = {};   ///< metres, height x width of the recording's camera, 0: nothing measured
  std::vector<float> points = {};  ///< (n, 3), metres
  std::size_t dropped = 0;         ///< points of the file that were not finite, or 0 0 0

  /// Not empty: why this frame cannot be used; colour, depth and points are then empty, except that a gap in the depth
  /// may still have its colour.
  std::string gap = {};

  /// Seconds since 1970: when a camera took it, or when it was read from a file.
  double taken = 0;

  ColourView view() const {
    const auto width = static_cast<std::size_t>(colour.width);
    return {colour.bgr.data(), width, static_cast<std::size_t>(colour.height), 3 * width, PixelFormat::bgr};
  }
};

enum class SourceKind {
  pictures,  ///< files that have nothing to do with one another
  sequence,  ///< files that are the frames of one camera
  video,
  camera,
};

class Source {
public:
  virtual ~Source() = default;

  /// The next frame, also one that cannot be used (see gap); false at the end. Throws Error where the source breaks off:
  /// a video that is cut short, a camera that is unplugged.
  bool next(Frame& frame);

  /// Frames in all, gaps included, where known.
  virtual std::optional<std::size_t> size() const = 0;

  SourceKind kind() const { return kind_; }

  /// Frames arrive as a camera takes them, for as long as they are asked for.
  bool live() const { return kind_ == SourceKind::camera; }

  /// Frames follow one another in time.
  bool consecutive() const { return kind_ != SourceKind::pictures; }

  /// Frames per second; 0 only for a recording of a single frame, or whose file names are time stamps.
  double fps() const { return fps_; }

  /// Neither the source nor its settings gave the frame rate, so 30 was assumed.
  bool guessed_fps() const { return guessed_fps_; }

protected:
  explicit Source(SourceKind kind) : kind_(kind) {}

  /// Fills an empty frame, as next(). Where `taken` stays 0, next() takes the present.
  virtual bool read(Frame& frame) = 0;

  SourceKind kind_;
  double fps_ = 30;
  bool guessed_fps_ = false;
};

struct ColourSettings {
  /// Above 0: instead of what the video says. Pictures give none: see guessed_fps().
  double fps = 0;

  /// Pictures are the frames of one camera: ordered by the numbers in their names, where a missing number is a gap and
  /// so is a picture of another size. False: they are unrelated, of any size, in alphabetical order and counted from 0.
  bool sequence = true;

  /// Bring pictures of 16 bits to 8 by their brightest pixel, and show a middle grey where they are transparent (see
  /// read_face_picture). False: as OpenCV converts them to colour.
  bool full_range = false;
};

/// A folder, a printf pattern, a video, one or several pictures; "camera:0" (or /dev/video0, or 0) is a camera. Throws
/// Error where there are no frames or none of them can be read. Needs OpenCV.
std::unique_ptr<Source> open_colour(const std::vector<std::string>& input, const ColourSettings& settings = {});

}  // namespace kinema::io
