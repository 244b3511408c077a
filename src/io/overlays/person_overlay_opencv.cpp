// Drawing of the person's overlays by OpenCV; no_opencv.cpp replaces it in builds without OpenCV.
#include "core/geometry.h"
#include "io/overlays/face_overlay.h"
#include "io/overlays/head_overlay.h"
#include "io/overlays/opencv_drawing.h"
#include "io/overlays/picture_words.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace kinema::io {
namespace {

const cv::Scalar outline_ink{90, 220, 60};

cv::Point place(double x, double y, int factor) {
  const auto at = [&](double v) {
    return static_cast<int>(std::lround(fine * std::clamp((v + 0.5) * factor - 0.5, -1e5, 1e5)));
  };
  return {at(x), at(y)};
}

int line_width(const Picture& picture, double thickness) {
  return std::max(1, static_cast<int>(std::lround(thickness * std::max(picture.width, picture.height) / 640.0)));
}

}  // namespace

void draw_head_axes(Picture& picture, const face::HeadPose& pose, const Camera& camera, int factor, double length) {
  cv::Mat image = as_mat(picture);
  const auto seen = [&](const Vec3& p) {
    const double z = std::max(1e-3, p.z);
    return place(camera.fx * p.x / z + camera.cx, camera.fy * p.y / z + camera.cy, factor);
  };
  struct Axis {
    Vec3 end;
    cv::Scalar ink;
  };
  const Axis axes[] = {{rotate(pose.rotation, Vec3{length, 0, 0}), {60, 60, 240}},
                       {rotate(pose.rotation, Vec3{0, length, 0}), {70, 220, 70}},
                       {rotate(pose.rotation, Vec3{0, 0, length}), {250, 130, 40}}};
  for (const bool halo : {true, false}) {
    for (const Axis& axis : axes) {
      cv::arrowedLine(image, seen(pose.position), seen(pose.position + axis.end), halo ? halo_ink : axis.ink,
                      line_width(picture, halo ? 4.5 : 2.2), cv::LINE_AA, shift, 0.15);
    }
  }
}

Picture person_overlay(const Picture& frame, std::int64_t number, double time, const person::Estimate& estimate,
                       const face::Layout& layout, const Camera& camera) {
  const int factor = overlay_enlargement(frame.width, frame.height);
  Picture picture = enlarged_for_overlay(frame, factor);
  std::string caption = fmt::format("{:.2f} s  frame {}", time, number);
  if (!estimate.found) {
    draw_words(picture, caption, estimate.why);
    return picture;
  }
  cv::Mat image = as_mat(picture);
  const head::Oval& oval = estimate.oval;
  const cv::Size radii(static_cast<int>(std::lround(fine * factor * oval.rx)),
                       static_cast<int>(std::lround(fine * factor * oval.ry)));
  for (const bool halo : {true, false}) {
    cv::ellipse(image, place(oval.cx, oval.cy, factor), radii, 0, 0, 360, halo ? halo_ink : outline_ink,
                line_width(picture, halo ? 2.5 : 1.2), cv::LINE_AA, shift);
  }
  if (!estimate.landmarks.empty()) {
    FaceDrawing drawing;
    drawing.mesh = false;
    drawing.confidence = estimate.landmark_confidence;
    draw_landmarks(picture, enlarged_landmarks(estimate.landmarks, factor), layout, {}, drawing);
  }
  if (estimate.pose) {
    const face::HeadPose& pose = *estimate.pose;
    draw_head_axes(picture, pose, camera, factor);
    caption += fmt::format("  yaw {:+.0f} pitch {:+.0f} roll {:+.0f}  {:.2f} m", pose.yaw, pose.pitch, pose.roll,
                           norm(pose.position));
  }
  draw_words(picture, caption, estimate.face ? std::string_view{} : std::string_view("colours only"));
  return picture;
}

}  // namespace kinema::io
