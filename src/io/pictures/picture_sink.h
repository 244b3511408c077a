// Writes images, one per frame: to a video, or to a folder of PNGs. Needs OpenCV.
#pragma once

#include "core/hidden.h"
#include "kinema/picture.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace kinema::io {

/// By name: out.mp4 (.m4v .mov .mkv .avi) is a video, H.264 if that can be encoded, otherwise MPEG-4; dir/%06d.png is
/// one image per frame, numbered by frame; a name without an extension is a folder of such images, or of images with names
/// of their own. A video appears
/// whole at commit() or not at all; images appear one by one, each of them whole.
class PictureSink {
public:
  /// Throws Error if the name is none of these, the target cannot be written, or OpenCV is not built in.
  PictureSink(const std::filesystem::path& path, double fps);

  /// All pictures of a video have the size of the first. `name`: of the picture in a folder, without its ending; "": its
  /// number. Two of one name are told apart by their numbers.
  void add(const Picture& picture, std::int64_t frame, const std::string& name = {});
  void commit();

  struct Target;  ///< internal: the video or the folder

private:
  Hidden<Target> target_;
};

}  // namespace kinema::io
