// The camera of a recording: camera.json, and what follows from a calibration file.
//
// A camera.json is {"width", "height", "fx", "fy", "cx", "cy", "fps"}, "depth_scale" for depth images, "baseline" for
// stereo pairs and, where the pictures are not free of it, "distortion". Every refusal is an Error of one line that
// starts with the file's name.
#pragma once

#include "kinema/camera.h"

#include <filesystem>
#include <string>
#include <vector>

namespace kinema::io {

/// Which fields a camera.json must have.
enum class CameraUse {
  depth,   ///< the intrinsics, fps and depth_scale
  stereo,  ///< the intrinsics, fps and baseline
  clouds,  ///< fps; the intrinsics are taken where they are there
};

/// The fps, depth_scale and baseline of `instead` that are above 0 stand for those of the file, which then need not say
/// them.
CameraFile read_camera_json(const std::filesystem::path& path, CameraUse use, const CameraFile& instead = {});

/// Written whole or not at all; of the optional fields only those that are said.
void write_camera_json(const std::filesystem::path& path, const CameraFile& camera);

/// Refuses what no camera has: sizes outside 1…16384, focal lengths that are not positive, a centre far outside the
/// picture. `where` starts the line.
void check_camera(const Camera& camera, const std::string& where);

}  // namespace kinema::io
