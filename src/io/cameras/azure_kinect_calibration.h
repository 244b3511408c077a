// The calibration that Azure Kinect and its like (Orbbec Femto) attach to their recordings, a JSON of the sensor's own.
#pragma once

#include "kinema/camera.h"

#include <string_view>

namespace kinema::io {

/// The depth camera for images of this size, which tells the mode: 640 x 576 and 320 x 288 (narrow) are cut from the
/// middle of the sensor, 1024 x 1024 and 512 x 512 (wide) are all of it. Units are millimetres; fps stays 0. Throws
/// Error, without a file's name, if the text is no such calibration.
CameraFile azure_kinect_depth_camera(std::string_view json, int width, int height);

}  // namespace kinema::io
