// Frames of a video file, one after the other. Without OpenCV opening one throws.
#pragma once

#include "io/image_file.h"
#include "kinema/picture.h"

#include <filesystem>
#include <memory>
#include <optional>

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

}  // namespace kinema::io
