#include "kinema/stereo.h"

#include "io/cameras/camera_file.h"
#include "io/cameras/disparity.h"
#include "io/files/input_file.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cmath>

namespace kinema::io {

namespace {

GreyImage copy_of(ImageView<const std::uint8_t> view) {
  GreyImage image{static_cast<int>(view.width), static_cast<int>(view.height), {}};
  for (std::size_t y = 0; y < view.height; ++y)
    image.grey.insert(image.grey.end(), &view.at(0, y), &view.at(0, y) + view.width);
  return image;
}

}  // namespace

struct StereoMatcher::State {
  Camera camera;
  StereoSettings settings;
  double depth_times_disparity = 0;  // baseline · fx
  int count = 0;
  cv::Ptr<cv::StereoSGBM> matcher;
};

StereoMatcher::~StereoMatcher() = default;
StereoMatcher::StereoMatcher(StereoMatcher&&) noexcept = default;
StereoMatcher& StereoMatcher::operator=(StereoMatcher&&) noexcept = default;

StereoMatcher::StereoMatcher(const CameraFile& camera_file, const StereoSettings& settings) : state_(new State) {
  const auto& [camera, fps, depth_scale, baseline, distortion] = camera_file;
  check_camera(camera, "the stereo camera: ");
  if (!(baseline > 0)) throw Error("the stereo camera has no baseline");
  if (!(settings.nearest > 0) || !(settings.farthest > settings.nearest)) {
    throw Error(fmt::format("stereo depths from {} to {} m: the nearest must be above 0 and below the farthest",
                            settings.nearest, settings.farthest));
  }
  if (settings.block < 1 || settings.block > 25 || settings.block % 2 == 0) {
    throw Error(fmt::format("a stereo block of {} pixels: it must be odd, from 1 to 25", settings.block));
  }
  State& state = *state_;
  state.camera = camera;
  state.settings = settings;
  state.depth_times_disparity = baseline * camera.fx;

  // Up to the nearest depth, and a little more; down to 0 whatever the farthest is: anything beyond is then recognised
  // and dropped, while otherwise it would be matched to anything (18 of 100 pixels in a trial). OpenCV requires a
  // multiple of 16.
  const double largest = std::ceil(state.depth_times_disparity / settings.nearest) + 2;
  if (largest >= camera.width) {
    throw Error(fmt::format(
        "at {} m, the nearest depth sought, disparities reach {} of the picture's {} pixels: seek "
        "from {:.2f} m on",
        settings.nearest, largest, camera.width, std::ceil(200 * state.depth_times_disparity / camera.width) / 100));
  }
  state.count = (static_cast<int>(largest) + 15) / 16 * 16;

  const int area = settings.block * settings.block;
  state.matcher = cv::StereoSGBM::create(0, state.count, settings.block, 8 * area, 32 * area);
  state.matcher->setMode(settings.full ? cv::StereoSGBM::MODE_HH : cv::StereoSGBM::MODE_SGBM_3WAY);
  state.matcher->setDisp12MaxDiff(1);
  state.matcher->setUniquenessRatio(15);
  state.matcher->setPreFilterCap(31);
  state.matcher->setSpeckleWindowSize(settings.smallest_patch);
  state.matcher->setSpeckleRange(1);
}

int StereoMatcher::disparities() const { return state_->count; }

std::vector<float> StereoMatcher::depth(ImageView<const std::uint8_t> left_view,
                                        ImageView<const std::uint8_t> right_view) const {
  const State& state = *state_;
  const int width = state.camera.width, height = state.camera.height;
  for (const ImageView<const std::uint8_t>& view : {left_view, right_view}) {
    if (view.width != static_cast<std::size_t>(width) || view.height != static_cast<std::size_t>(height)) {
      throw Error(
          fmt::format("the picture has {} x {} pixels and the camera {} x {}", view.width, view.height, width, height));
    }
  }
  const GreyImage left = copy_of(left_view), right = copy_of(right_view);

  // the matcher leaves out the first columns, as many as its largest disparity: padding replaces them
  const int margin = state.count;
  cv::Mat padded[2], disparity;
  const GreyImage* sides[2] = {&left, &right};
  try {
    for (int side = 0; side < 2; ++side) {
      const cv::Mat picture(height, width, CV_8UC1, const_cast<std::uint8_t*>(sides[side]->grey.data()));
      cv::copyMakeBorder(picture, padded[side], 0, 0, margin, 0, cv::BORDER_REPLICATE);
    }
    state.matcher->compute(padded[0], padded[1], disparity);
  } catch (const cv::Exception& error) {
    throw Error(fmt::format("OpenCV cannot match the pictures: {}", one_line(error.err)), Error::Cause::running);
  }

  DisparityImage found{width, height, std::vector<float>(static_cast<std::size_t>(width) * height, 0.0f)};
  for (int y = 0; y < height; ++y) {
    const auto* row = disparity.ptr<std::int16_t>(y) + margin;
    for (int x = 0; x < width; ++x) {
      const float pixels = static_cast<float>(row[x]) / 16;
      // a match in the padding is invalid
      if (pixels > 0 && static_cast<float>(x) - pixels >= 0) {
        found.pixels[static_cast<std::size_t>(y) * width + x] = pixels;
      }
    }
  }

  // the second refinement uses squares without the dropped pixels
  refine_disparities(left, right, found);
  drop_unlike(left, right, found);
  refine_disparities(left, right, found);

  std::vector<float> depth(found.pixels.size(), 0.0f);
  for (std::size_t i = 0; i < depth.size(); ++i) {
    if (found.pixels[i] <= 0) continue;
    const double metres = state.depth_times_disparity / found.pixels[i];
    if (metres >= state.settings.nearest && metres <= state.settings.farthest) depth[i] = static_cast<float>(metres);
  }
  return depth;
}

}  // namespace kinema::io
