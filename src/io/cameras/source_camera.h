// The camera of some frames: the one that --camera-file names, that the source states itself, or that lies beside the
// frames.
#pragma once

#include "io/cameras/calibration_file.h"
#include "io/cameras/camera_file.h"
#include "kinema/recording.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kinema::io {

/// The camera that took the frames: a pinhole camera (with distortion for depth images), or a calibrated pair.
struct SourceCamera {
  CameraFile file;
  std::optional<Calibration> calibration;  ///< of a pair that needs rectification
  std::string name;                        ///< of its file, for messages
};

struct ImageSize {
  int width = 0, height = 0;
};

/// Where to search for the camera, and what is needed of it.
struct CameraSearch {
  CameraUse use = CameraUse::depth;
  std::vector<std::filesystem::path> folders;  ///< that may hold a camera.json
  std::string frames;                          ///< as the caller names them, for messages
  bool timed = true;                           ///< they need frames per second
  bool optional = false;                       ///< there may be none

  /// For calibrations that do not give it.
  std::function<ImageSize()> size_of_frames = nullptr;

  /// The camera according to the source itself.
  std::optional<CameraFile> stated = std::nullopt;
};

/// Throws Error if there is none, or it lacks what is needed.
SourceCamera find_camera(const CameraSearch& search, const RecordingSettings& settings);

/// False: a calibration as OpenCV stores it, which may be JSON too.
bool is_camera_json(const std::filesystem::path& path);

}  // namespace kinema::io
