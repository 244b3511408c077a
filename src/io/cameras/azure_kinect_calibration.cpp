
#include "io/cameras/camera_file.h"
#include "io/files/json_place.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <optional>
#include <vector>

namespace kinema::io {
namespace {

// A mode of the depth sensor: the side of the whole image, and where the image begins in it.
struct Mode {
  int width, height;
  int side, left, top;
};

constexpr std::array modes = {Mode{640, 576, 1024, 192, 180}, Mode{320, 288, 512, 96, 90}, Mode{512, 512, 512, 0, 0},
                              Mode{1024, 1024, 1024, 0, 0}};

const Mode& mode_of(int width, int height) {
  for (const Mode& mode : modes) {
    if (mode.width == width && mode.height == height) return mode;
  }
  throw Error(fmt::format("has depth of {} x {} pixels, which is not a mode of an Azure Kinect", width, height));
}

std::vector<double> depth_parameters(const JsonPlace& calibration) {
  for (const JsonPlace& camera : calibration.member("CalibrationInformation").member("Cameras").elements(64)) {
    if (camera.member("Location").text() != "CALIBRATION_CameraLocationD0") continue;
    const JsonPlace intrinsics = camera.member("Intrinsics");
    if (intrinsics.member("ModelType").text() != "CALIBRATION_LensDistortionModelBrownConrady") {
      intrinsics.fail("has a lens of another model than Brown and Conrady's");
    }
    std::vector<double> numbers;
    for (const JsonPlace& number : intrinsics.member("ModelParameters").elements(64))
      numbers.push_back(number.number());
    if (numbers.size() < 14) intrinsics.fail("has fewer than 14 parameters of its lens");
    return numbers;
  }
  throw Error("has no camera at CALIBRATION_CameraLocationD0, the depth camera");
}

}  // namespace

CameraFile azure_kinect_depth_camera(std::string_view json, int width, int height) {
  const Mode& mode = mode_of(width, height);
  while (!json.empty() && json.back() == '\0') json.remove_suffix(1);  // some are stored as C strings
  const nlohmann::json parsed = parse_json(json);
  // cx cy fx fy in parts of the whole image, k1 ... k6, the centre of distortion, p2 p1
  const std::vector<double> p = depth_parameters(JsonPlace(parsed, ""));
  CameraFile file;
  file.camera = {width,
                 height,
                 p[2] * mode.side,
                 p[3] * mode.side,
                 p[0] * mode.side - mode.left - 0.5,
                 p[1] * mode.side - mode.top - 0.5};
  check_camera(file.camera, "");
  file.depth_scale = 0.001;
  file.distortion = {p[4], p[5], p[13], p[12], p[6], p[7], p[8], p[9]};
  return file;
}

}  // namespace kinema::io
