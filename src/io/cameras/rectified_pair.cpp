#include "io/cameras/rectify.h"

#include "io/cameras/camera_file.h"
#include "io/cameras/opencv_lens.h"
#include "io/files/input_file.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <opencv2/calib3d.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

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

// The grid of rays, by their tangents in the rectified frame: up to 68 degrees from its axis.
constexpr int half_grid = 160, grid_side = 2 * half_grid + 1;
constexpr double grid_step = 1.0 / 64;

// Points nearer than this matter to nobody: stereo::Settings seeks from here on, and a body that is nearer than the
// cameras are to each other looks too different from both.
constexpr double nearest_point = 0.6;
constexpr int most_disparities = 16;

// Cut off at each side of the picture, as a share of the points: corners and the nearest points at the sides, which
// would cost more pixels than they are worth. Of a real pair 22 degrees apart and eight simulated ones (5 to 45 degrees,
// baselines of 0.1 to 1.5 m), 93 to 100 % of the points remain, and of those between 0.8 and 4 m, evenly spread in
// space, 97 to 100 %; with 0.02 the focal length is 4 % shorter, with 0.04 it is 4 % longer.
constexpr double cut_off = 0.03;
constexpr double smallest_scale = 0.5;

double tangent(int index) { return (index - half_grid) * grid_step; }

std::vector<std::uint8_t> seen_rays(const Lens& lens, const std::array<double, 9>& rotation, int width, int height) {
  const cv::Matx33d to_lens = rotation_matrix(rotation).t();
  const double widest = widest_ray(lens);
  std::vector<cv::Point3d> rays;
  std::vector<std::size_t> cells;
  for (int row = 0; row < grid_side; ++row) {
    for (int column = 0; column < grid_side; ++column) {
      const cv::Vec3d ray = to_lens * cv::Vec3d(tangent(column), tangent(row), 1);
      if (!(ray[2] > 0) || std::hypot(ray[0], ray[1]) > widest * ray[2]) continue;
      rays.emplace_back(ray[0] / ray[2], ray[1] / ray[2], 1);
      cells.push_back(static_cast<std::size_t>(row) * grid_side + column);
    }
  }
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(grid_side) * grid_side);
  if (rays.empty()) return seen;
  std::vector<cv::Point2d> pixels;
  cv::projectPoints(rays, cv::Vec3d(), cv::Vec3d(), camera_matrix(lens), distortion_of(lens), pixels);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const auto [x, y] = pixels[i];
    seen[cells[i]] = x >= 0 && y >= 0 && x <= width - 1 && y <= height - 1 ? 1 : 0;
  }
  return seen;
}

// The tangent below which lies that share of a weight in the cells of the grid.
double quantile(std::span<const double> weights, double share) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  double below = 0;
  for (int i = 0; i < grid_side; ++i) {
    const double weight = weights[static_cast<std::size_t>(i)];
    if (below + weight >= share * sum && weight > 0)
      return tangent(i) + ((share * sum - below) / weight - 0.5) * grid_step;
    below += weight;
  }
  return tangent(grid_side - 1);
}

// The points that both lenses see, from the nearest distance to infinity, in the frame of the rectified left camera:
// directions weighted by their solid angle, distances evenly by their disparity.
class CommonView {
public:
  /// The rotations are from each lens's frame to the rectified one; `calibration` is of a pair with pictures of
  /// width x height, `baseline` in metres.
  CommonView(const Calibration& calibration, const std::array<double, 9>& left_rotation,
             const std::array<double, 9>& right_rotation, int width, int height, double baseline);

  /// Whether there are such points.
  bool any() const { return weight_ > 0; }

  /// The share of them that lie in both pictures of a rectified pair.
  double share_in(const Camera& camera) const;

  /// For both pictures, of width x height: shows nearly all of them, magnifies no lens's picture, and reduces none to
  /// less than half.
  Camera camera() const;

private:
  template <class Call>
  void for_each(Call call) const;

  int width_, height_;
  double lens_focal_;                       // the longer of the two, pixels
  std::vector<std::uint8_t> left_, right_;  // of a grid of rays: whether the lens sees it
  std::vector<int> disparities_;            // steps of the grid
  double weight_ = 0;
  std::vector<double> left_columns_, right_columns_, rows_;  // weight of the points in each column and row of the grid
};

// Calls with the columns of a point in the left and the right picture, its row, and its weight.
template <class Call>
void CommonView::for_each(Call call) const {
  for (int row = 0; row < grid_side; ++row) {
    const std::uint8_t* left = &left_[static_cast<std::size_t>(row) * grid_side];
    const std::uint8_t* right = &right_[static_cast<std::size_t>(row) * grid_side];
    for (int column = 0; column < grid_side; ++column) {
      if (left[column] == 0) continue;
      const double x = tangent(column), y = tangent(row);
      const double solid_angle = 1 / std::pow(1 + x * x + y * y, 1.5);
      for (const int disparity : disparities_) {
        if (disparity <= column && right[column - disparity] != 0) call(column, column - disparity, row, solid_angle);
      }
    }
  }
}

CommonView::CommonView(const Calibration& calibration, const std::array<double, 9>& left_rotation,
                       const std::array<double, 9>& right_rotation, int width, int height, double baseline)
    : width_(width),
      height_(height),
      left_(seen_rays(calibration.left, left_rotation, width, height)),
      right_(seen_rays(*calibration.right, right_rotation, width, height)),
      left_columns_(grid_side),
      right_columns_(grid_side),
      rows_(grid_side) {
  lens_focal_ = std::max((calibration.left.fx + calibration.left.fy) / 2,  //
                         (calibration.right->fx + calibration.right->fy) / 2);
  const double largest = baseline / std::max(nearest_point, baseline) / grid_step;
  const int count = std::clamp(static_cast<int>(std::ceil(largest)), 1, most_disparities);
  for (int i = 0; i <= count; ++i) disparities_.push_back(static_cast<int>(std::lround(largest * i / count)));
  for_each([&](int left, int right, int row, double weight) {
    weight_ += weight;
    left_columns_[static_cast<std::size_t>(left)] += weight;
    right_columns_[static_cast<std::size_t>(right)] += weight;
    rows_[static_cast<std::size_t>(row)] += weight;
  });
}

double CommonView::share_in(const Camera& camera) const {
  const auto inside = [](double at, int side) { return at >= -0.5 && at <= side - 0.5; };
  std::vector<std::uint8_t> column(grid_side), line(grid_side);
  for (int i = 0; i < grid_side; ++i) {
    column[static_cast<std::size_t>(i)] = inside(camera.fx * tangent(i) + camera.cx, camera.width) ? 1 : 0;
    line[static_cast<std::size_t>(i)] = inside(camera.fy * tangent(i) + camera.cy, camera.height) ? 1 : 0;
  }
  double shown = 0;
  for_each([&](int left, int right, int row, double weight) {
    if (column[static_cast<std::size_t>(left)] != 0 && column[static_cast<std::size_t>(right)] != 0 &&
        line[static_cast<std::size_t>(row)] != 0) {
      shown += weight;
    }
  });
  return weight_ > 0 ? shown / weight_ : 0;
}

Camera CommonView::camera() const {
  // a point is farther left in the right picture
  const double first = quantile(right_columns_, cut_off), last = quantile(left_columns_, 1 - cut_off);
  const double top = quantile(rows_, cut_off), bottom = quantile(rows_, 1 - cut_off);
  const double filling = std::min(width_ / (last - first), height_ / (bottom - top));
  const double focal = std::clamp(filling, smallest_scale * lens_focal_, lens_focal_);
  return {width_,
          height_,
          focal,
          focal,
          (width_ - 1) / 2.0 - focal * (first + last) / 2,
          (height_ - 1) / 2.0 - focal * (top + bottom) / 2};
}

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
