// Frames of a video file, and of a camera at this machine (V4L2), both through OpenCV. Without it opening one throws.
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

  /// Depth needs a backend of OpenCV that hands on one channel of 16 bits; an Error says where it does not.
  VideoFile(const std::filesystem::path& path, Content content);
  ~VideoFile();
  VideoFile(VideoFile&&) noexcept;
  VideoFile& operator=(VideoFile&&) noexcept;

  double fps() const;                       ///< as the file says; 0: it does not
  std::optional<std::size_t> size() const;  ///< frames, as the file says
  int width() const;
  int height() const;

  /// False at the end. The one that goes with the content.
  bool next(Picture& picture);
  bool next(DepthImage& image);

private:
  struct State;
  std::unique_ptr<State> state_;
};

class CameraCapture {
public:
  /// /dev/video<number>; `fps`: what to ask it for, 0: as it likes. Throws Error where there is no such camera.
  CameraCapture(int number, double fps);
  ~CameraCapture();
  CameraCapture(CameraCapture&&) noexcept;
  CameraCapture& operator=(CameraCapture&&) noexcept;

  std::string name() const;
  double fps() const;  ///< as it says; 0: it does not

  /// Waits for the next picture; false where the camera gives none.
  bool next(Picture& picture);

  /// Seconds since the last picture was taken, as the driver says; 0 where it does not.
  double age() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinema::io
