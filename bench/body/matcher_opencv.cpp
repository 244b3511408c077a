#include "bench/body/matcher_opencv.h"

#ifdef KINEMA_HAVE_OPENCV
#include <opencv2/calib3d.hpp>
#else
#include "kinema/error.h"
#endif

namespace kinema::bench {

#ifdef KINEMA_HAVE_OPENCV

bool opencv_matches() { return true; }

void match_by_opencv(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right, int disparities,
                     int paths, std::vector<float>& out) {
  const auto wrap = [](ImageView<const std::uint8_t> picture) {
    return cv::Mat(static_cast<int>(picture.height), static_cast<int>(picture.width), CV_8U,
                   const_cast<std::uint8_t*>(picture.data), picture.stride);
  };
  // the penalties of its documentation for squares of five pixels
  const auto matcher = cv::StereoSGBM::create(0, disparities, 5, 8 * 25, 32 * 25, 1, 31, 10, 100, 2,
                                              paths == 8 ? cv::StereoSGBM::MODE_HH : cv::StereoSGBM::MODE_SGBM);
  cv::Mat found;
  matcher->compute(wrap(left), wrap(right), found);
  out.resize(left.width * left.height);
  for (int y = 0; y < found.rows; ++y)
    for (int x = 0; x < found.cols; ++x) {
      const auto sixteenths = found.at<std::int16_t>(y, x);
      out[static_cast<std::size_t>(y) * left.width + static_cast<std::size_t>(x)] =
          sixteenths > 0 ? static_cast<float>(sixteenths) / 16 : 0;
    }
}

#else

bool opencv_matches() { return false; }

void match_by_opencv(ImageView<const std::uint8_t>, ImageView<const std::uint8_t>, int, int, std::vector<float>&) {
  throw Error("OpenCV is not built in");
}

#endif

}  // namespace kinema::bench
