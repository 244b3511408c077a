// Where trackers get their frames: files, videos and cameras, behind one interface.
//
// open_colour gives colour frames (for head and face), open_recording in recording.h depth or points (for the body).
// A frame that cannot be read is a gap with a reason, and later frames still follow. A source that breaks off throws
// from next(); frames returned before remain valid.
#pragma once

#include "kinema/image.h"
#include "kinema/picture.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kinema::io {

/// The two grey pictures of a stereo camera, of the same size, row by row.
struct GreyPair {
  int width = 0, height = 0;
  std::vector<std::uint8_t> left, right;

  /// Where the lenses saw anything, 1 for each pixel, and not near the border of it; null: everywhere.
  struct Seen {
    std::vector<std::uint8_t> left, right;
  };
  std::shared_ptr<const Seen> seen;

  bool empty() const { return left.empty(); }
  ImageView<const std::uint8_t> view(const std::vector<std::uint8_t>& side) const {
    const auto columns = static_cast<std::size_t>(width);
    return {side.data(), columns, static_cast<std::size_t>(height), columns};
  }
};

/// One frame of a camera. The source determines which of depth, pair, points and colour are filled.
struct Frame {
  long index = 0;         ///< the number in the file's name, or counted from 0
  double time = 0;        ///< seconds: index / fps; since the first frame for cameras and time stamps in names
  std::string name = {};  ///< of its file or camera

  Picture colour = {};             ///< empty if there is none
  std::vector<float> depth = {};   ///< metres, height x width of the recording's camera, 0: no measurement
  GreyPair pair = {};              ///< rectified, each picture as large as the recording's camera
  std::vector<float> points = {};  ///< (n, 3), metres
  std::size_t dropped = 0;         ///< points of the file that were not finite, or 0 0 0

  /// Not empty: why this frame cannot be used; colour, depth, pair and points are then empty, except that a gap in the depth
  /// may still have its colour.
  std::string gap = {};

  /// Seconds since 1970: when a camera took it, or when it was read from a file.
  double taken = 0;
  std::size_t late = 0;  ///< frames of a live source that this one replaced, see Source::late()

  ColourView view() const {
    const auto width = static_cast<std::size_t>(colour.width);
    return {colour.bgr.data(), width, static_cast<std::size_t>(colour.height), 3 * width, PixelFormat::bgr};
  }
};

enum class SourceKind {
  pictures,  ///< unrelated files
  sequence,  ///< files that are the frames of one camera
  video,
  camera,
};

class Source {
public:
  virtual ~Source() = default;

  /// The next frame, including unusable ones (see gap); false at the end. Throws Error if the source breaks off: a
  /// truncated video, an unplugged camera.
  bool next(Frame& frame);

  /// Whether next() would return at once; waits for up to `wait`. Always true for files. Throws as next() does.
  virtual bool ready(std::chrono::milliseconds /*wait*/) { return true; }

  /// Frames of a live source that were replaced by newer ones before next() was called.
  virtual std::size_t late() const { return 0; }

  /// How often a live source disappeared and came back.
  virtual std::size_t reopened() const { return 0; }

  /// Total number of frames, gaps included, if known.
  virtual std::optional<std::size_t> size() const = 0;

  SourceKind kind() const { return kind_; }

  /// Frames arrive as a camera takes them, without end.
  bool live() const { return kind_ == SourceKind::camera; }

  /// Frames follow one another in time.
  bool consecutive() const { return kind_ != SourceKind::pictures; }

  /// Frames per second; 0 only for a recording of one frame, or with time stamps as file names.
  double fps() const { return fps_; }

  /// Neither the source nor its settings gave the frame rate, so 30 was assumed.
  bool guessed_fps() const { return guessed_fps_; }

protected:
  explicit Source(SourceKind kind) : kind_(kind) {}

  /// Fills an empty frame, as next(). If `taken` stays 0, next() sets it to the current time.
  virtual bool read(Frame& frame) = 0;

  SourceKind kind_;
  double fps_ = 30;
  bool guessed_fps_ = false;
};

/// What a source asks and tells that is waited for, such as a program that has not connected yet.
struct SourceWait {
  std::function<bool()> stopped = nullptr;                 ///< true: it is not waited for any longer
  std::function<void(const std::string&)> note = nullptr;  ///< called with a line on whoever came and was not taken
};

struct ColourSettings {
  /// Above 0: in place of the video's own. Pictures have none: see guessed_fps().
  double fps = 0;

  /// Pictures are the frames of one camera: ordered by the numbers in their names, where a missing number is a gap and
  /// so is a picture of another size. False: they are unrelated, of any size, in alphabetical order and counted from 0.
  bool sequence = true;

  /// Scale 16-bit pictures to 8 bits by their brightest pixel, and replace transparency by middle grey (see
  /// read_face_picture). False: as OpenCV converts them to colour.
  bool full_range = false;

  /// Seconds to wait for a live source that disappears to come back; 0: it ends there.
  double reconnect = 60;

  SourceWait wait = {};
};

/// A folder, a printf pattern, a video, one or several pictures, or a source of colour that `kinema cameras` lists, as
/// "camera:0" (or /dev/video0, or 0). Throws Error if there are no frames or none of them can be read. Needs OpenCV.
std::unique_ptr<Source> open_colour(const std::vector<std::string>& input, const ColourSettings& settings = {});

}  // namespace kinema::io
