#include "io/cameras/source_camera.h"

#include "io/files/input_file.h"
#include "kinema/error.h"

#include <fmt/format.h>

namespace kinema::io {
namespace fs = std::filesystem;
namespace {

SourceCamera from_calibration(const CameraSearch& search, const RecordingSettings& settings) {
  const fs::path& path = settings.camera_files.front();
  SourceCamera source;
  source.name = path.string();
  const Calibration calibration = read_calibration(settings.camera_files);
  ImageSize size{calibration.width, calibration.height};
  if (size.width == 0 || size.height == 0) size = search.size_of_frames ? search.size_of_frames() : ImageSize{};
  if (size.width == 0) throw about(path, Error("does not say image_width and image_height, and no frame does"));
  const Lens& lens = calibration.left;
  source.file.camera = {size.width, size.height, lens.fx, lens.fy, lens.cx, lens.cy};
  check_camera(source.file.camera, path.string() + ": ");
  source.file.distortion = lens.distortion;
  source.file.fps = settings.fps;
  source.file.depth_scale = settings.depth_scale;
  if (search.timed && !(settings.fps > 0)) {
    throw about(path, Error("does not say the frames per second: give them with --fps"));
  }
  if (search.use == CameraUse::stereo) {
    if (calibration.right) {
      source.calibration = calibration;
    } else if (settings.baseline > 0) {
      source.file.baseline = settings.baseline;
    } else {
      throw about(path, Error("is the calibration of one camera; a stereo pair needs M1 D1 M2 D2 R T"));
    }
  } else if (calibration.right) {
    throw about(path, Error("is the calibration of a stereo pair; depth images need that of one camera"));
  } else if (search.use == CameraUse::depth && !(settings.depth_scale > 0)) {
    throw about(path, Error("does not say the metres per unit of depth: give them with --depth-scale (0.001 for "
                            "millimetres)"));
  }
  return source;
}

// The source's own camera, with what the caller says instead.
SourceCamera stated_camera(const CameraSearch& search, const CameraFile& said) {
  SourceCamera source{*search.stated, std::nullopt, search.frames};
  CameraFile& file = source.file;
  check_camera(file.camera, search.frames + ": ");
  if (said.fps > 0) file.fps = said.fps;
  if (said.depth_scale > 0) file.depth_scale = said.depth_scale;
  if (said.baseline > 0) file.baseline = said.baseline;
  if (search.use == CameraUse::depth && !(file.depth_scale > 0)) {
    throw Error(
        fmt::format("{}: does not say the metres per unit of depth: give them with --depth-scale (0.001 for "
                    "millimetres)",
                    search.frames));
  }
  if (search.use == CameraUse::stereo && !(file.baseline > 0)) {
    throw Error(fmt::format("{}: does not say the metres between the cameras of its pairs: give them with --baseline",
                            search.frames));
  }
  return source;
}

}  // namespace

// OpenCV writes JSON too, with a type for each matrix.
bool is_camera_json(const fs::path& path) {
  if (extension_of(path) != ".json") return false;
  return naming(path, [&] { return read_bytes(path).find("opencv-matrix") == std::string::npos; });
}

SourceCamera find_camera(const CameraSearch& search, const RecordingSettings& settings) {
  CameraFile said;
  said.fps = settings.fps;
  said.depth_scale = settings.depth_scale;
  said.baseline = settings.baseline;
  if (settings.camera_files.size() == 1 && is_camera_json(settings.camera_files.front())) {
    const fs::path& path = settings.camera_files.front();
    return {read_camera_json(path, search.use, said), std::nullopt, path.string()};
  }
  if (!settings.camera_files.empty()) return from_calibration(search, settings);
  if (search.stated) return stated_camera(search, said);
  for (const fs::path& folder : search.folders) {
    const fs::path path = folder / "camera.json";
    if (is_there(path)) return {read_camera_json(path, search.use, said), std::nullopt, path.string()};
  }
  if (!search.optional) {
    const char* fields = search.use == CameraUse::stereo ? "baseline" : "depth_scale";
    throw Error(fmt::format(
        "{}: has no camera.json: write one with width, height, fx, fy, cx, cy, fps{}{}, or name the "
        "camera's file with --camera-file",
        search.frames, search.use == CameraUse::clouds ? "" : ", ", search.use == CameraUse::clouds ? "" : fields));
  }
  if (search.timed && !(said.fps > 0)) {
    throw Error(fmt::format(
        "{}: neither it nor a camera.json beside it says the frames per second: give them with --fps", search.frames));
  }
  return {said, std::nullopt, search.frames};
}

}  // namespace kinema::io
