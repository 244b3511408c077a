// Frames of a video file, of a local camera (V4L2) and of the network, all through OpenCV. Without it the constructors throw.
#pragma once

#include "core/hidden.h"
#include "io/pictures/image_file.h"
#include "kinema/picture.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace kinema::io {

/// Assumed where neither the file or camera nor the caller states a rate.
inline constexpr double usual_fps = 30;

class VideoFile {
public:
  enum class Content { colour, depth };

  /// Depth needs an OpenCV backend that returns one channel of 16 bits; otherwise an Error says so.
  VideoFile(const std::filesystem::path& path, Content content);

  double fps() const;                       ///< according to the file; 0: unknown
  std::optional<std::size_t> size() const;  ///< frames, according to the file
  int width() const;
  int height() const;

  /// False at the end. Call the one that matches the content.
  bool next(Picture& picture);
  bool next(DepthImage& image);

private:
  struct State;
  Hidden<State> state_;
};

class CameraCapture {
public:
  /// /dev/video<number>; `fps`: the rate to request, 0: the camera's default. Throws Error if there is no such camera.
  CameraCapture(int number, double fps);

  /// A stream of the network, such as rtsp://host/path. Throws Error if it cannot be opened within some seconds.
  explicit CameraCapture(const std::string& address);

  std::string name() const;
  double fps() const;  ///< according to the camera; 0: unknown
  int width() const;   ///< likewise
  int height() const;

  /// Asks for another size; width() and height() say what came of it.
  void request_size(int width, int height);

  /// Waits for the next image; false if the camera returns none. grab() and retrieve() are its two halves: images that
  /// belong together are all taken before the first is decoded.
  bool next(Picture& picture) { return grab() && retrieve(picture); }
  bool grab();
  bool retrieve(Picture& picture);

  /// Seconds by the clock of a stream; nothing for a local camera.
  std::optional<double> stream_time() const;

  /// Seconds since the last image was taken, according to the driver; 0 if unknown.
  double age() const;

private:
  struct State;
  Hidden<State> state_;
};

// Whether a video file is complete: some truncated containers look like shorter videos.

/// The size of the whole file according to an ASF header (.wmv, .asf). Nothing for other containers, whose length
/// FFmpeg itself knows, and for streams, which have none.
std::optional<std::uintmax_t> declared_video_bytes(const std::filesystem::path& path);

/// The same from the first bytes of a file.
std::optional<std::uintmax_t> declared_asf_bytes(std::string_view beginning);

/// Throws Error if a video of which `read` frames were read is truncated: its header `said` more frames, or a longer
/// file.
void check_video_is_whole(const std::filesystem::path& path, std::optional<std::size_t> said, std::size_t read);

}  // namespace kinema::io
