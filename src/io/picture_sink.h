// Where pictures go, one a frame: a video, or a folder of PNGs. Needs OpenCV.
#pragma once

#include "kinema/picture.h"

#include <cstdint>
#include <filesystem>
#include <memory>

namespace kinema::io {

/// By the name: out.mp4 (.m4v .mov .mkv .avi) is a video, H.264 where it can be encoded, else MPEG-4; dir/%06d.png is a
/// picture a frame, numbered by the frame; a name without an ending is a folder of such pictures. A video appears whole
/// at commit() or not at all; pictures appear one by one, each of them whole.
class PictureSink {
public:
  /// Throws Error where the name says none of these, the place cannot be written, or OpenCV is not built in.
  PictureSink(const std::filesystem::path& path, double fps);
  ~PictureSink();
  PictureSink(PictureSink&&) noexcept;
  PictureSink& operator=(PictureSink&&) noexcept;

  /// All pictures of a video have the size of the first.
  void add(const Picture& picture, std::int64_t frame);
  void commit();

  struct Target;  ///< internal: the video or the folder

private:
  std::unique_ptr<Target> target_;
};

}  // namespace kinema::io
