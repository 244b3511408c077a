// The rectification of a pair: that of its file where it has one, otherwise one that shows what both cameras see.
#include "io/cameras/rectify.h"

#include "refusal.h"

#include <gtest/gtest.h>
#include <opencv2/calib3d.hpp>

#include <cmath>
#include <random>

namespace kinema::io {
namespace {

constexpr int width = 640, height = 480;

std::array<double, 9> array_of(const cv::Matx33d& matrix) {
  std::array<double, 9> array{};
  std::copy_n(matrix.val, 9, array.begin());
  return array;
}

cv::Matx33d turn(double x, double y, double z) {
  cv::Matx33d matrix;
  cv::Rodrigues(cv::Vec3d(x, y, z), matrix);
  return matrix;
}

// Two like cameras at the ends of a baseline, turned towards each other by `angle` degrees in all, the left one also
// rolled.
struct VirtualPair {
  Lens lens{530, 530, 319.5, 239.5, {}};
  double baseline = 0.6, angle = 0, roll = 0;

  cv::Matx33d left() const { return turn(0, 0, roll * CV_PI / 180) * turn(0, -angle * CV_PI / 360, 0); }
  cv::Matx33d right() const { return turn(0, angle * CV_PI / 360, 0); }

  Calibration calibration() const {
    Calibration result;
    result.left = lens;
    result.right = lens;
    result.rotation = array_of(right() * left().t());
    const cv::Vec3d t = right() * cv::Vec3d(-baseline, 0, 0);
    result.translation = {t[0], t[1], t[2]};
    return result;
  }

  // The pixel at which a camera sees a point of its own frame, if it does.
  std::optional<cv::Point2d> seen(const cv::Vec3d& point) const {
    if (point[2] <= 0) return std::nullopt;
    std::vector<cv::Point2d> pixel;
    cv::projectPoints(std::vector<cv::Point3d>{{point[0], point[1], point[2]}}, cv::Vec3d(), cv::Vec3d(),
                      cv::Matx33d(lens.fx, 0, lens.cx, 0, lens.fy, lens.cy, 0, 0, 1), lens.distortion, pixel);
    if (pixel[0].x < 0 || pixel[0].y < 0 || pixel[0].x > width - 1 || pixel[0].y > height - 1) return std::nullopt;
    return pixel[0];
  }
};

cv::Matx33d matrix_of(const std::array<double, 9>& array) { return cv::Matx33d(array.data()); }

cv::Point2d pixel_of(const Camera& camera, const cv::Vec3d& point) {
  return {camera.fx * point[0] / point[2] + camera.cx, camera.fy * point[1] / point[2] + camera.cy};
}

bool inside(const cv::Point2d& pixel) {
  return pixel.x >= -0.5 && pixel.y >= -0.5 && pixel.x <= width - 0.5 && pixel.y <= height - 0.5;
}

// Camera and baseline as stereoRectify chooses them when no pixel may be black.
Camera without_black_border(const Calibration& calibration) {
  const auto matrix = [](const Lens& lens) { return cv::Matx33d(lens.fx, 0, lens.cx, 0, lens.fy, lens.cy, 0, 0, 1); };
  cv::Mat r1, r2, p1, p2, q;
  cv::stereoRectify(matrix(calibration.left), calibration.left.distortion, matrix(*calibration.right),
                    calibration.right->distortion, {width, height}, matrix_of(calibration.rotation),
                    cv::Vec3d(calibration.translation.data()), r1, r2, p1, p2, q, cv::CALIB_ZERO_DISPARITY, 0);
  return {width, height, p1.at<double>(0, 0), p1.at<double>(1, 1), p1.at<double>(0, 2), p1.at<double>(1, 2)};
}

// The rectification as a file would hold it.
Calibration stored(const Calibration& calibration) {
  const RectifiedPair pair = rectified_pair(calibration, width, height, 1);
  const Camera& camera = pair.camera;
  Calibration result = calibration;
  result.rectified =
      RectifiedViews{{pair.left_rotation, camera.fx, camera.fy, camera.cx, camera.cy, 0},
                     {pair.right_rotation, camera.fx, camera.fy, camera.cx, camera.cy, -camera.fx * pair.baseline}};
  return result;
}

TEST(RectifiedPair, OfAnOrdinaryPairIsThatOfOpenCv) {
  VirtualPair narrow;
  narrow.baseline = 0.1;
  for (const std::vector<double>& distortion : {std::vector<double>{}, {-0.25, 0.08, 0, 0}, {0.1, -0.05, 0, 0}}) {
    narrow.lens.distortion = distortion;
    for (const double angle : {0.0, 1.0, -1.0}) {
      narrow.angle = angle;
      const Camera expected = without_black_border(narrow.calibration());
      const RectifiedPair pair = rectified_pair(narrow.calibration(), width, height, 1);
      EXPECT_DOUBLE_EQ(pair.camera.fx, expected.fx) << angle;
      EXPECT_DOUBLE_EQ(pair.camera.cx, expected.cx);
      EXPECT_DOUBLE_EQ(pair.camera.cy, expected.cy);
      EXPECT_NEAR(pair.baseline, 0.1, 1e-12);
    }
  }
}

TEST(RectifiedPair, ShowsWhatBothCamerasSeeHoweverTheyAreTurned) {
  const struct {
    double angle, roll, baseline;
    std::vector<double> distortion;
  } pairs[] = {{10, 0, 0.3, {}},
               {20, 0, 0.6, {}},
               {30, 0, 0.6, {}},
               {45, 0, 0.6, {}},
               {20, 15, 0.6, {}},
               {-12, 0, 0.2, {}},
               {22, 10, 0.6, {0.18, -0.25, 0.003, 0.002, 0.12}}};
  for (const auto& [angle, roll, baseline, distortion] : pairs) {
    VirtualPair virtual_pair;
    virtual_pair.angle = angle;
    virtual_pair.roll = roll;
    virtual_pair.baseline = baseline;
    virtual_pair.lens.distortion = distortion;
    const RectifiedPair pair = rectified_pair(virtual_pair.calibration(), width, height, 1);
    EXPECT_LE(pair.camera.fx, 1.1 * virtual_pair.lens.fx) << angle;
    EXPECT_GE(pair.camera.fx, 0.5 * virtual_pair.lens.fx) << angle;
    EXPECT_EQ(pair.camera.fx, pair.camera.fy);
    EXPECT_NEAR(pair.baseline, baseline, 1e-12);

    // Points at the distances of people: in both rectified pictures, in the same row, and where their disparity says.
    std::mt19937 random(3);
    std::uniform_real_distribution<double> side(-3, 3), distance(0.8, 4);
    int both = 0, shown = 0;
    for (int i = 0; i < 20000; ++i) {
      const cv::Vec3d point(side(random), side(random), distance(random));
      const cv::Vec3d in_left = virtual_pair.left() * point;
      const cv::Vec3d in_right = virtual_pair.right() * (point - cv::Vec3d(baseline, 0, 0));
      if (!virtual_pair.seen(in_left) || !virtual_pair.seen(in_right)) continue;
      ++both;
      const cv::Vec3d rectified = matrix_of(pair.left_rotation) * in_left;
      const cv::Point2d left = pixel_of(pair.camera, rectified);
      const cv::Point2d right = pixel_of(pair.camera, matrix_of(pair.right_rotation) * in_right);
      ASSERT_NEAR(left.y, right.y, 1e-6);
      ASSERT_NEAR(pair.camera.fx * pair.baseline / (left.x - right.x), rectified[2], 1e-6);
      shown += inside(left) && inside(right) ? 1 : 0;
    }
    ASSERT_GT(both, 500) << angle;
    // at each side 3 % may be cut off, of points that include nearer ones
    EXPECT_GE(shown, both * 96 / 100) << angle << " degrees, roll " << roll << ": f " << pair.camera.fx;
    if (angle >= 20) {
      EXPECT_GT(without_black_border(virtual_pair.calibration()).fx, 1.5 * virtual_pair.lens.fx);
    }
  }
}

TEST(RectifiedPair, OfTheFileIsUsedInItsUnit) {
  VirtualPair virtual_pair;
  virtual_pair.angle = 20;
  Calibration calibration = stored(virtual_pair.calibration());
  calibration.rectified->left.fx = calibration.rectified->left.fy = 400;
  calibration.rectified->right.fx = calibration.rectified->right.fy = 400;
  calibration.rectified->left.cy = calibration.rectified->right.cy = 230;
  for (double& t : calibration.translation) t *= 1000;  // millimetres
  calibration.rectified->right.shift = -400 * 600;
  const RectifiedPair pair = rectified_pair(calibration, width, height, 0.001);
  EXPECT_EQ(pair.camera.fx, 400);
  EXPECT_EQ(pair.camera.cy, 230);
  EXPECT_NEAR(pair.baseline, 0.6, 1e-9);
  EXPECT_EQ(pair.left_rotation, calibration.rectified->left.rotation);
  EXPECT_EQ(pair.right_rotation, calibration.rectified->right.rotation);
}

TEST(RectifiedPair, CentresInDifferentColumnsBecomeOne) {
  VirtualPair virtual_pair;
  virtual_pair.angle = 10;
  Calibration calibration = stored(virtual_pair.calibration());
  calibration.rectified->left.cx = 280;
  calibration.rectified->right.cx = 350;
  EXPECT_EQ(rectified_pair(calibration, width, height, 1).camera.cx, 315);
}

TEST(RectifiedPair, OfTheFileIsRefusedWhereItContradictsTheRest) {
  VirtualPair virtual_pair;
  virtual_pair.angle = 20;
  const Calibration good = stored(virtual_pair.calibration());
  const auto refusal = [&](auto change) {
    Calibration calibration = good;
    change(calibration, *calibration.rectified);
    const std::string message = refusal_of([&] { rectified_pair(calibration, width, height, 1); });
    EXPECT_TRUE(message.empty() || message.find("remove them, and kinema chooses its own") != std::string::npos)
        << message;
    return message;
  };
  EXPECT_EQ(refusal([](Calibration&, RectifiedViews&) {}), "");
  const auto expect = [&](const std::string& says, auto change) {
    const std::string message = refusal(change);
    EXPECT_NE(message.find(says), std::string::npos) << "should say '" << says << "', says: " << message;
  };
  expect("different focal lengths", [](Calibration&, RectifiedViews& views) { views.right.fx *= 1.01; });
  expect("different rows", [](Calibration&, RectifiedViews& views) { views.right.cy += 1; });
  expect("P1 has 5 in its last column", [](Calibration&, RectifiedViews& views) { views.left.shift = 5; });
  // a quarter of a degree
  expect("do not belong to R", [](Calibration&, RectifiedViews& views) {
    views.left.rotation = array_of(turn(0.0044, 0, 0) * matrix_of(views.left.rotation));
  });
  expect("does not belong to T", [](Calibration& calibration, RectifiedViews& views) {
    const cv::Matx33d both = turn(0, 0, 0.0044);
    views.left.rotation = array_of(both * matrix_of(views.left.rotation));
    views.right.rotation = array_of(both * matrix_of(views.right.rotation));
    EXPECT_NE(calibration.translation[0], 0);
  });
  expect("baseline of 600 where T has 0.6", [](Calibration&, RectifiedViews& views) { views.right.shift *= 1000; });
  // for pictures of twice the size
  expect("pictures of another size than 640 x 480", [](Calibration&, RectifiedViews& views) {
    for (RectifiedView* view : {&views.left, &views.right}) {
      for (double* number : {&view->fx, &view->fy, &view->cx, &view->cy, &view->shift}) *number *= 2;
    }
  });
}

TEST(RectifiedPair, CamerasThatSeeNothingInCommonAreRefused) {
  VirtualPair virtual_pair;
  virtual_pair.lens.fx = virtual_pair.lens.fy = 2000;
  virtual_pair.angle = -60;
  const std::string message = refusal_of([&] { rectified_pair(virtual_pair.calibration(), width, height, 1); });
  EXPECT_NE(message.find("see nothing in common"), std::string::npos) << message;
}

TEST(Rectification, KnowsWhereALensSawNothing) {
  VirtualPair virtual_pair;
  virtual_pair.angle = 30;
  virtual_pair.roll = 10;
  const StereoRectification rectification = rectify(virtual_pair.calibration(), width, height, 1);
  const Picture white{width, height, std::vector<std::uint8_t>(width * height * 3, 255)};
  const Picture left = rectification.left.picture(white), right = rectification.right.picture(white);
  const float metres = 2;
  ASSERT_TRUE(rectification.seen);
  const double disparity = rectification.camera.camera.fx * rectification.camera.baseline / metres;
  int kept = 0, black = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      // no black pixel in the square that a matcher compares
      bool seen = true;
      for (const int dy : {-3, 0, 3}) {
        for (const int dx : {-3, 0, 3}) {
          const int row = std::clamp(y + dy, 0, height - 1), column = std::clamp(x + dx, 0, width - 1);
          const int match = static_cast<int>(std::lround(x - disparity)) + dx;
          seen = seen && left.bgr[(static_cast<std::size_t>(row) * width + column) * 3] == 255 && match >= 0 &&
                 right.bgr[(static_cast<std::size_t>(row) * width + match) * 3] == 255;
        }
      }
      const int other = static_cast<int>(std::lround(x - disparity));
      const std::size_t begin = static_cast<std::size_t>(y) * width;
      const bool has_depth = rectification.seen->left[begin + static_cast<std::size_t>(x)] != 0 && other >= 0 &&
                             rectification.seen->right[begin + static_cast<std::size_t>(other)] != 0;
      if (has_depth && x - disparity >= 4) {
        EXPECT_TRUE(seen) << x << " " << y;
      }
      kept += has_depth ? 1 : 0;
      black += seen ? 0 : 1;
    }
  }
  EXPECT_GT(kept, 0.2 * width * height);
  EXPECT_GT(black, 0.05 * width * height);  // otherwise nothing was tried
}

TEST(PixelMap, ShowsNoRayTwice) {
  // beyond a tangent of 1.05 this formula brings rays back into the picture
  const Lens lens{300, 300, 319.5, 239.5, {-0.3, 0, 0, 0}};
  const Camera wide{width, height, 120, 120, 319.5, 239.5};
  const Picture white{width, height, std::vector<std::uint8_t>(width * height * 3, 255)};
  const Picture seen = PixelMap(lens, no_rotation, wide).picture(white);
  for (int x = 0; x < width; ++x) {
    const double tangent = std::abs(x - wide.cx) / wide.fx;
    const int grey = seen.bgr[(static_cast<std::size_t>(240) * width + x) * 3];
    if (tangent < 1.03) {
      EXPECT_EQ(grey, 255) << x;
    }
    if (tangent > 1.06) {
      EXPECT_EQ(grey, 0) << x;
    }
  }
}

}  // namespace
}  // namespace kinema::io
