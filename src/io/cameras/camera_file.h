// The camera of a recording: camera.json, or a camera derived from a calibration file.
//
// A camera.json is {"width", "height", "fx", "fy", "cx", "cy", "fps"}, "depth_scale" for depth images, "baseline" for
// stereo pairs and, for distorted images, "distortion". Every Error is one line that starts with the file's name.
#pragma once

#include "kinema/camera.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::io {

/// The fields that a camera.json must have.
enum class CameraUse {
  depth,   ///< the intrinsics, fps and depth_scale
  stereo,  ///< the intrinsics, fps and baseline
  clouds,  ///< fps; the intrinsics are optional
};

/// Values of fps, depth_scale and baseline in `instead` that are above 0 replace those of the file, which may then omit
/// them.
CameraFile read_camera_json(const std::filesystem::path& path, CameraUse use, const CameraFile& instead = {});

/// Written whole or not at all; optional fields only if they are set.
void write_camera_json(const std::filesystem::path& path, const CameraFile& file);

/// Refuses impossible cameras: sizes outside 1…16384 or of more than most_frame_pixels, focal lengths that are not positive, a centre far outside the
/// image. `where` starts the message.
void check_camera(const Camera& camera, const std::string& where);

/// The depth camera for images of this size, which tells the mode: 640 x 576 and 320 x 288 (narrow) are cut from the
/// middle of the sensor, 1024 x 1024 and 512 x 512 (wide) are all of it. Units are millimetres; fps stays 0. Throws
/// Error, without a file's name, if the text is no such calibration.
CameraFile azure_kinect_depth_camera(std::string_view json, int width, int height);

}  // namespace kinema::io
