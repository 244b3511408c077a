// Drawing of the head's overlays by OpenCV; no_opencv.cpp replaces it in builds without OpenCV.
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
#include <unordered_map>

namespace kinema::io {
namespace {

const cv::Scalar light{250, 250, 250}, accent{90, 220, 60};

int enlargement(const Picture& frame) { return std::clamp(960 / std::max(frame.width, frame.height), 1, 6); }

// The image in grey where there is no skin, blended with a bright colour where there is.
cv::Mat tinted(const Picture& frame, const HeadPainter::Degree& degree) {
  constexpr double tint[3] = {60, 190, 255}, strength = 0.55;
  cv::Mat image(frame.height, frame.width, CV_8UC3);
  std::unordered_map<std::uint32_t, float> known;  // a frame has far fewer colours than pixels
  const std::uint8_t* from = frame.bgr.data();
  std::uint8_t* to = image.data;
  for (std::size_t i = 0; i < frame.bgr.size(); i += 3, from += 3, to += 3) {
    const std::uint32_t key = (std::uint32_t{from[2]} << 16) | (std::uint32_t{from[1]} << 8) | from[0];
    const auto [entry, fresh] = known.try_emplace(key, 0.0f);
    if (fresh) entry->second = static_cast<float>(degree(from[2], from[1], from[0]));
    const double weight = static_cast<double>(entry->second);
    const double grey = 0.114 * from[0] + 0.587 * from[1] + 0.299 * from[2];
    for (int c = 0; c < 3; ++c) {
      const double plain = 0.45 * from[c] + 0.4 * grey, skin = (1 - strength) * from[c] + strength * tint[c];
      to[c] = cv::saturate_cast<std::uint8_t>(plain + weight * (skin - plain));
    }
  }
  return image;
}

class HeadCanvas {
public:
  HeadCanvas(cv::Mat image, int factor)
      : image_(std::move(image)), factor_(factor), unit_(std::max(1.0, std::max(image_.cols, image_.rows) / 640.0)) {}

  cv::Point at(double x, double y) const {
    const auto place = [&](double v) { return static_cast<int>(std::lround(fine * ((v + 0.5) * factor_ - 0.5))); };
    return {place(x), place(y)};
  }

  void oval(const head::Oval& oval, const cv::Scalar& ink, double thickness) {
    const cv::Size radii(static_cast<int>(std::lround(fine * factor_ * oval.rx)),
                         static_cast<int>(std::lround(fine * factor_ * oval.ry)));
    cv::ellipse(image_, at(oval.cx, oval.cy), radii, 0, 0, 360, ink, line_width(thickness), cv::LINE_AA, shift);
  }

  void line(const std::pair<double, double>& a, const std::pair<double, double>& b, const cv::Scalar& ink,
            double thickness) {
    cv::line(image_, at(a.first, a.second), at(b.first, b.second), ink, line_width(thickness), cv::LINE_AA, shift);
  }

  void cross(double x, double y) {
    for (const bool halo : {true, false}) {
      const double reach = (halo ? 7.5 : 7) * unit_ / factor_;
      const cv::Scalar& ink = halo ? halo_ink : light;
      line({x - reach, y}, {x + reach, y}, ink, halo ? 3 : 1.2);
      line({x, y - reach}, {x, y + reach}, ink, halo ? 3 : 1.2);
    }
    const int radius = static_cast<int>(std::lround(fine * 3 * unit_));
    cv::circle(image_, at(x, y), radius, accent, line_width(1.5), cv::LINE_AA, shift);
  }

private:
  int line_width(double thickness) const { return std::max(1, static_cast<int>(std::lround(thickness * unit_))); }

  cv::Mat image_;  // shares its pixels with the picture
  int factor_;
  double unit_;
};

}  // namespace

Picture HeadPainter::draw(const Picture& frame, std::int64_t number, double time, const head::Estimate& estimate,
                          const Degree& degree) {
  constexpr std::size_t longest_trail = 30;
  const auto pixels = static_cast<std::size_t>(frame.width) * static_cast<std::size_t>(frame.height);
  if (frame.width < 1 || frame.height < 1 || frame.bgr.size() != 3 * pixels) {
    throw Error(fmt::format("an overlay of {} x {} pixels cannot be drawn", frame.width, frame.height));
  }
  const int factor = enlargement(frame);
  Picture picture{frame.width * factor, frame.height * factor, {}};
  picture.bgr.resize(frame.bgr.size() * static_cast<std::size_t>(factor) * static_cast<std::size_t>(factor));
  cv::Mat image(picture.height, picture.width, CV_8UC3, picture.bgr.data());
  cv::resize(tinted(frame, degree), image, image.size(), 0, 0, cv::INTER_LINEAR);

  HeadCanvas canvas(image, factor);
  const std::string caption = fmt::format("frame {}   {:.3f} s", number, time);
  if (!estimate.found) {
    trail_.clear();
    draw_words(picture, caption, "no head: " + estimate.why);
    return picture;
  }
  trail_.emplace_back(estimate.x, estimate.y);
  if (trail_.size() > longest_trail) trail_.pop_front();
  for (std::size_t i = 1; i < trail_.size(); ++i) canvas.line(trail_[i - 1], trail_[i], accent, 1);
  if (estimate.oval) {
    canvas.oval(*estimate.oval, halo_ink, 3.5);
    canvas.oval(*estimate.oval, accent, 1.6);
  }
  canvas.cross(estimate.x, estimate.y);
  std::string place = fmt::format("   x {:.1f}  y {:.1f}   area {:.2f} %   score {:.2f}", estimate.x, estimate.y,
                                  100 * estimate.area, estimate.confidence);
  if (estimate.distance) place += fmt::format("   {:.2f} m", *estimate.distance);
  draw_words(picture, caption + place, {});
  return picture;
}

namespace {

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
    cv::ellipse(image, place(oval.cx, oval.cy, factor), radii, 0, 0, 360, halo ? halo_ink : accent,
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
