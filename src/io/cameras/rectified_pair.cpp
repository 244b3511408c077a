#include "io/cameras/rectified_pair.h"

#include "io/cameras/camera_file.h"
#include "io/cameras/common_view.h"
#include "io/cameras/opencv_lens.h"
#include "io/files/input_file.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <opencv2/calib3d.hpp>

#include <algorithm>
#include <cmath>

namespace kinema::io {
namespace {

// OpenCV's own choice is kept if it magnifies the lenses' pictures by at most this much and shows at least this share
// of what both cameras see. Ordinary pairs have 0.86 to 1.04 and 0.81 to 0.99 (the samples of OpenCV, and five
// simulated pairs less than 3 degrees apart); one that is 22 degrees apart has 3.6 and 0.04.
constexpr double largest_magnification = 1.1, usual_share = 0.75;

// A file's rectification that shows less than this is for pictures of another size, or useless.
constexpr double smallest_share = 0.2;

// Within the precision of printed digits. A turn of 0.001 radians is half a pixel between rows.
constexpr double largest_turn = 1e-3, largest_ratio = 1e-3, largest_row_offset = 0.05;

double longer_focal_length(const Calibration& calibration) {
  const Lens &left = calibration.left, &right = *calibration.right;
  return std::max((left.fx + left.fy) / 2, (right.fx + right.fy) / 2);
}

void check_pose(const Calibration& calibration, double unit) {
  if (!calibration.right) throw Error("is the calibration of one camera; stereo needs M1 D1 M2 D2 R T");
  const auto& t = calibration.translation;
  const double baseline = std::hypot(t[0], t[1], t[2]) * unit;
  if (!(baseline > 1e-4)) throw Error("has a baseline of 0: T is the place of the left camera seen from the right one");
  if (baseline > 10) {
    throw Error(
        fmt::format("has a baseline of {:.4g} m: T is probably in millimetres; say so with a unit of 0.001", baseline));
  }
  if (std::abs(t[0]) < std::hypot(t[1], t[2]))
    throw Error("T does not point sideways: kinema matches pairs side by side");
  if (t[0] > 0) throw Error("T has a positive x: the right camera stands to the left; swap the two");
}

RectifiedPair chosen_pair(const Calibration& calibration, int width, int height, double unit) {
  const auto& t = calibration.translation;
  cv::Mat r1, r2, p1, p2, q;
  try {
    const cv::Vec3d translation(t[0] * unit, t[1] * unit, t[2] * unit);
    // alpha 0: the largest image in which both lenses saw all pixels
    cv::stereoRectify(camera_matrix(calibration.left), distortion_of(calibration.left),
                      camera_matrix(*calibration.right), distortion_of(*calibration.right), cv::Size(width, height),
                      rotation_matrix(calibration.rotation), translation, r1, r2, p1, p2, q, cv::CALIB_ZERO_DISPARITY,
                      0);
    RectifiedPair pair{rotation_array(r1), rotation_array(r2), {}, std::hypot(t[0], t[1], t[2]) * unit};
    const Camera filled{
        width, height, p1.at<double>(0, 0), p1.at<double>(1, 1), p1.at<double>(0, 2), p1.at<double>(1, 2)};
    const CommonView view(calibration, pair.left_rotation, pair.right_rotation, width, height, pair.baseline);
    if (!view.any()) throw Error("R and T are those of two cameras that see nothing in common");
    // Where the axes are not parallel, a picture without a black border may be a small part of what both see, enlarged.
    const bool usual = filled.fx > 0 && filled.fx <= largest_magnification * longer_focal_length(calibration) &&
                       view.share_in(filled) >= usual_share;
    pair.camera = usual ? filled : view.camera();
    return pair;
  } catch (const cv::Exception& error) {
    throw Error(fmt::format("OpenCV cannot rectify with this calibration: {}", one_line(error.err)));
  }
}

// What is wrong with R1 R2 P1 P2 beside R and T; empty: nothing.
std::string contradiction(const Calibration& calibration) {
  const auto& [left, right] = *calibration.rectified;
  if (std::abs(left.fx - right.fx) > largest_ratio * left.fx || std::abs(left.fy - right.fy) > largest_ratio * left.fy)
    return fmt::format("P1 and P2 have different focal lengths, {:.6g} and {:.6g}", left.fx, right.fx);
  if (std::abs(left.cy - right.cy) > largest_row_offset)
    return fmt::format("P1 and P2 have centres in different rows, {:.6g} and {:.6g}", left.cy, right.cy);
  if (std::abs(left.shift) > 1e-6 * left.fx)
    return fmt::format("P1 has {:.4g} in its last column, where the left camera has 0", left.shift);
  const cv::Matx33d r1 = rotation_matrix(left.rotation), r2 = rotation_matrix(right.rotation);
  const cv::Matx33d rest = r2 * rotation_matrix(calibration.rotation) * r1.t() - cv::Matx33d::eye();
  if (cv::norm(rest, cv::NORM_INF) > largest_turn) {
    return fmt::format("R1 and R2 do not belong to R: R2 R R1' differs from 1 by {:.2g}", cv::norm(rest, cv::NORM_INF));
  }
  const auto& t = calibration.translation;
  const cv::Vec3d translation(t[0], t[1], t[2]), along = r2 * translation;
  const double length = cv::norm(translation);
  if (std::hypot(along[1], along[2]) > largest_turn * length)
    return fmt::format("R2 does not belong to T: R2 T is off the x axis by {:.2g} of its length",
                       std::hypot(along[1], along[2]) / length);
  if (std::abs(-right.shift / right.fx - length) > largest_ratio * length) {
    return fmt::format("P2 has a baseline of {:.6g} where T has {:.6g}: one is in another unit, or of another pair",
                       -right.shift / right.fx, length);
  }
  return "";
}

RectifiedPair stored_pair(const Calibration& calibration, int width, int height, double unit) {
  const auto refuse = [](const std::string& what) {
    throw Error(fmt::format(
        "{}; write R1 R2 P1 P2 as stereoRectify gives them, or remove them, and kinema chooses its own", what));
  };
  if (const std::string wrong = contradiction(calibration); !wrong.empty()) refuse(wrong);
  const auto& [left, right] = *calibration.rectified;
  RectifiedPair pair{left.rotation, right.rotation, {}, -right.shift / right.fx * unit};
  // One centre, so that infinity has no disparity: where they differ the one that CALIB_ZERO_DISPARITY gives, their mean.
  pair.camera = {width, height, left.fx, left.fy, (left.cx + right.cx) / 2, left.cy};
  const CommonView view(calibration, pair.left_rotation, pair.right_rotation, width, height, pair.baseline);
  const double share = view.share_in(pair.camera);
  if (share < smallest_share) {
    refuse(
        fmt::format("P1 and P2 show only {:.0f} % of what both cameras see: probably they are for pictures of another "
                    "size than {} x {}",
                    100 * share, width, height));
  }
  return pair;
}

}  // namespace

RectifiedPair rectified_pair(const Calibration& calibration, int width, int height, double unit) {
  check_pose(calibration, unit);
  const RectifiedPair pair = calibration.rectified ? stored_pair(calibration, width, height, unit)
                                                   : chosen_pair(calibration, width, height, unit);
  check_camera(pair.camera, "after rectification ");
  return pair;
}

}  // namespace kinema::io
