// Frames of a video file, and of a local camera (V4L2), both through OpenCV. Without it the constructors throw.
#pragma once

#include "io/image_file.h"
#include "kinema/picture.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace kinema::io {

class VideoFile {
public:
  enum class Content { colour, depth };

  /// Depth needs an OpenCV backend that returns one channel of 16 bits; otherwise an Error says so.
  VideoFile(const std::filesystem::path& path, Content content);
  ~VideoFile();
  VideoFile(VideoFile&&) noexcept;
  VideoFile& operator=(VideoFile&&) noexcept;

  double fps() const;                       ///< according to the file; 0: unknown
  std::optional<std::size_t> size() const;  ///< frames, according to the file
  int width() const;
  int height() const;

  /// False at the end. Call the one that matches the content.
  bool next(Picture& picture);
  bool next(DepthImage& image);

private:
  struct State;
  std::unique_ptr<State> state_;
};

class CameraCapture {
public:
  /// /dev/video<number>; `fps`: the rate to request, 0: the camera's default. Throws Error if there is no such camera.
  CameraCapture(int number, double fps);
  ~CameraCapture();
  CameraCapture(CameraCapture&&) noexcept;
  CameraCapture& operator=(CameraCapture&&) noexcept;

  std::string name() const;
  double fps() const;  ///< according to the camera; 0: unknown

  /// Waits for the next image; false if the camera returns none.
  bool next(Picture& picture);

  /// Seconds since the last image was taken, according to the driver; 0 if unknown.
  double age() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinema::io
