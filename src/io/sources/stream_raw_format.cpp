#include "io/sources/stream_raw_format.h"

#include "io/cameras/source_camera.h"
#include "io/pictures/video_capture.h"
#include "kinema/error.h"

#include <fmt/format.h>

namespace kinema::io {
namespace {}  // namespace

RawFormat stream_raw_format(const StreamHeader& header, const std::string& name, const RecordingSettings& settings,
                            SourceUse use) {
  using Content = RawFormat::Content;
  const bool colour = use == SourceUse::colour || (use == SourceUse::any && header.content == Content::colour);
  if (colour && header.colour == StreamHeader::Pixels::none) {
    throw Error(fmt::format("{}: has no \"colour\", which head and face need", name));
  }
  if (!colour && header.content == Content::colour) {
    throw Error(fmt::format("{}: has neither \"depth\" nor a \"pair\", which the body needs", name));
  }
  RawFormat format;
  format.content = colour ? Content::colour : header.content;
  format.pictures = header.colour != StreamHeader::Pixels::none;
  format.live = header.live;
  format.name = name;
  if (colour) {
    format.camera.file.camera = header.camera.camera;
    format.camera.file.fps = settings.fps > 0 ? settings.fps : header.camera.fps;
  } else {
    CameraSearch search;
    search.use = header.content == Content::depth ? CameraUse::depth : CameraUse::stereo;
    search.frames = name;
    search.timed = false;  // frames have their time
    search.size_of_frames = [&]() -> ImageSize { return {header.camera.camera.width, header.camera.camera.height}; };
    search.stated = header.camera;
    format.camera = find_camera(search, settings);
  }
  if (!(format.camera.file.fps > 0)) format.camera.file.fps = usual_fps;
  return format;
}

}  // namespace kinema::io
