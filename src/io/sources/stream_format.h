// The framing in which other programs send frames to kinema (docs/stream.md): a line of JSON that describes the camera,
// then for each frame a line of JSON and the pixels as they lie in memory.
//
//   {"kinema":1,"width":640,"height":480,"fx":525,"fy":525,"cx":320,"cy":240,"fps":30,"depth":"uint16","depth_scale":0.001}
//   {"time":0.0}
//   ... 640 * 480 * 2 bytes ...
#pragma once

#include "io/cameras/camera_file.h"
#include "io/sources/raw_source.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace kinema::io {

struct StreamHeader {
  enum class Pixels { none, grey, bgr, rgb };

  RawFormat::Content content = RawFormat::Content::depth;
  CameraFile camera;  ///< its fps may be 0: unknown; of colour only width and height
  bool live = false;
  bool metres = false;  ///< depth is float32 in metres, not uint16
  Pixels pair = Pixels::none, colour = Pixels::none;

  /// Bytes after the line of a frame.
  std::size_t frame_bytes() const;
};

/// Takes bytes in pieces of any size and returns the frames in them. Memory grows with what has arrived, never with
/// what a header announces.
class StreamParser {
public:
  /// Throws Error if the bytes so far cannot be a stream; it says which frame.
  void add(std::string_view bytes);

  /// Nothing until its line is complete.
  const std::optional<StreamHeader>& header() const { return header_; }

  /// The next complete frame; nothing if more bytes are needed, or after the end.
  std::optional<RawFrame> next();

  bool ended() const { return ended_; }           ///< the sender said that there are no more frames
  bool inside_frame() const;                      ///< more bytes must follow
  std::size_t frames() const { return frames_; }  ///< returned so far

private:
  std::optional<std::string_view> line();
  void drop_used();

  std::string bytes_;
  std::size_t used_ = 0, searched_ = 0;  // of bytes_
  std::optional<StreamHeader> header_;
  std::optional<RawFrame> open_;  // its line was read, its pixels were not
  std::size_t frames_ = 0;
  long last_ = -1;  // number of the last frame
  bool ended_ = false;
};

/// What a header says about the frames that follow, as for any other raw source.
/// Throws Error, with the name of the stream, if its frames cannot serve this use or their camera is not known.
RawFormat stream_raw_format(const StreamHeader& header, const std::string& name, const RecordingSettings& settings,
                            SourceUse use);

}  // namespace kinema::io
