
#include "app/options/head_options.h"
#include "io/cameras/camera_file.h"
#include "kinema/error.h"

namespace kinema::app {

void add_pose_options(Verb verb, PoseOptions& options) {
  verb = verb.under("The pose of the head");
  verb.option("--fov", options.field_of_view, "DEG", "Horizontal field of view of the camera, degrees [60]");
  verb.option("--camera", options.camera, "camera.json", "The camera's intrinsics in place of its field of view");
  verb.length("--eye-distance", options.eye_distance,
              "Distance between the outer corners of the person's eyes, in metres or with a unit [90mm]", seen_lengths);
}

void add_neutral_option(Verb verb, face::ExpressionSettings& settings) {
  verb.under("The pose of the head")
      .option("--neutral", settings.neutral_at, "S",
              "The person shows the neutral face, with open eyes, from this second on for one second; without it the "
              "first seconds tell");
}

face::HeadPoseSettings pose_settings(const PoseOptions& options) {
  face::HeadPoseSettings settings;
  if (options.field_of_view && !options.camera.empty()) throw Error("--fov and --camera exclude each other");
  if (options.field_of_view) settings.field_of_view = parse_field_of_view(*options.field_of_view);
  if (!options.camera.empty()) {
    io::CameraFile defaults;
    defaults.fps = 30;
    const io::CameraFile file = io::read_camera_json(options.camera, io::CameraUse::clouds, defaults);
    if (file.camera.width == 0) {
      throw Error(fmt::format("{}: has no intrinsics: width, height, fx, fy, cx and cy", options.camera));
    }
    if (!file.distortion.empty()) {
      throw Error(fmt::format("{}: has lens distortion: rectify the pictures, and leave it out", options.camera));
    }
    settings.camera = file.camera;
  }
  if (options.eye_distance) settings.eye_distance = *options.eye_distance;
  const face::HeadPoseSolver impossible_is_refused(settings);  // before anything is read
  return settings;
}

}  // namespace kinema::app
