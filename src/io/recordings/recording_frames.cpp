// From raw images to the frames of a recording.
#include "io/files/input_file.h"
#include "io/recordings/recording_kinds.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kinema::io {
namespace {

bool distorted(const std::vector<double>& distortion) {
  return std::any_of(distortion.begin(), distortion.end(), [](double k) { return k != 0; });
}

void check_size(int width, int height, const Camera& camera) {
  if (width != camera.width || height != camera.height) {
    throw Error(
        fmt::format("has {} x {} pixels, where the camera has {} x {}", width, height, camera.width, camera.height));
  }
}

}  // namespace

DepthImages::DepthImages(const SourceCamera& source) : camera_(source.file) {
  if (!distorted(camera_.distortion)) {
    camera_.distortion.clear();
    return;
  }
  const Camera& pinhole = camera_.camera;
  map_ = PixelMap({pinhole.fx, pinhole.fy, pinhole.cx, pinhole.cy, camera_.distortion}, no_rotation, pinhole);
  camera_.distortion.clear();
}

std::vector<float> DepthImages::metres(const DepthImage& image) const {
  check_size(image.width, image.height, camera_.camera);
  if (std::all_of(image.units.begin(), image.units.end(), [](std::uint16_t unit) { return unit == 0; })) {
    throw Error("holds no measurement: every pixel is 0");
  }
  return metres_of(map_ ? map_->depth(image) : image, camera_.depth_scale);
}

StereoPairs::StereoPairs(const SourceCamera& source, const RecordingSettings& settings) : camera_(source.file) {
  if (source.calibration) {
    rectification_ = naming(source.name, [&] {
      return rectify(*source.calibration, camera_.camera.width, camera_.camera.height, settings.calibration_unit);
    });
    const double fps = camera_.fps;
    camera_ = rectification_->camera;
    camera_.fps = fps;
  } else if (distorted(camera_.distortion)) {
    throw about(source.name, Error("has a distortion, which rectified pairs do not have: leave it out, or give the "
                                   "calibration of the pair (M1 D1 M2 D2 R T) as the camera's file"));
  }
  camera_.distortion.clear();
  if (!(camera_.baseline > 0)) throw about(source.name, Error("has no baseline, which a stereo pair needs: metres"));
}

void StereoPairs::check(const Picture& picture) const { check_size(picture.width, picture.height, camera_.camera); }

std::pair<Picture, Picture> StereoPairs::rectified(const Picture& left, const Picture& right) const {
  check(left);
  check(right);
  if (!rectification_) return {left, right};
  return {rectification_->left.picture(left), rectification_->right.picture(right)};
}

void StereoPairs::fill(const Picture& left, const Picture& right, Frame& frame) const {
  auto [seen, other] = rectified(left, right);
  frame.pair = {seen.width, seen.height, grey_of(seen).grey, grey_of(other).grey,
                rectification_ ? rectification_->seen : nullptr};
  frame.colour = std::move(seen);
}

Picture fitted(const Picture& picture, const Camera& camera) {
  if (camera.width < 1 || camera.height < 1) return picture;
  if (picture.width == camera.width && picture.height == camera.height) return picture;
  // the same aspect ratio, within a pixel
  const double shape = static_cast<double>(picture.width) * camera.height / picture.height;
  if (std::abs(shape - camera.width) > 1) return {};
  return resized(picture, camera.width, camera.height);
}

}  // namespace kinema::io
