// The lines of face_overlay.h by OpenCV.
#include "io/overlays/face_overlay.h"
#include "io/overlays/opencv_drawing.h"
#include "io/overlays/picture_words.h"
#include "kinema/error.h"

#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace kinema::io {
namespace {

const cv::Scalar found_ink{120, 255, 90}, truth_ink{255, 170, 60}, doubt_ink{60, 170, 250};

cv::Point at(std::span<const float> landmarks, std::size_t i) {
  const auto place = [](float value) {
    // clamped: positions far outside are equivalent
    return static_cast<int>(std::lround(fine * std::clamp(static_cast<double>(value), -1e5, 1e5)));
  };
  return {place(landmarks[2 * i]), place(landmarks[2 * i + 1])};
}

double unit_of(const Picture& picture) { return std::max(1.0, std::max(picture.width, picture.height) / 640.0); }

}  // namespace

int overlay_enlargement(int width, int height) { return std::clamp(900 / std::max({1, width, height}), 1, 4); }

Picture enlarged_for_overlay(const Picture& picture, int factor) {
  return factor == 1 ? picture : resized(picture, picture.width * factor, picture.height * factor);
}

void draw_landmarks(Picture& picture, std::span<const float> landmarks, const face::Layout& layout,
                    std::span<const std::array<std::uint16_t, 3>> triangles, const FaceDrawing& drawing) {
  cv::Mat image = as_mat(picture);
  const double unit = unit_of(picture);
  const cv::Scalar ink = drawing.truth ? truth_ink : found_ink;
  const std::size_t count = landmarks.size() / 2;
  const auto line = [&](const cv::Mat& to, std::size_t a, std::size_t b, const cv::Scalar& colour, double thickness) {
    if (a >= count || b >= count) return;
    cv::Mat target = to;
    cv::line(target, at(landmarks, a), at(landmarks, b), colour,
             std::max(1, static_cast<int>(std::lround(thickness * unit))), cv::LINE_AA, shift);
  };
  if (drawing.mesh && !triangles.empty()) {
    cv::Mat net = image.clone();
    for (const auto& triangle : triangles) {
      for (std::size_t i = 0; i < 3; ++i) line(net, triangle[i], triangle[(i + 1) % 3], ink, 0.5);
    }
    cv::addWeighted(net, 0.35, image, 0.65, 0, image);
  }
  for (const face::Layout::Group& group : layout.groups) {
    for (std::size_t i = 0; i + 1 < group.points.size() + (group.closed ? 1 : 0); ++i) {
      line(image, static_cast<std::size_t>(group.points[i]),
           static_cast<std::size_t>(group.points[(i + 1) % group.points.size()]), ink, 1);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    const bool doubt = i < drawing.confidence.size() && drawing.confidence[i] < 0.5f;
    const auto disc = [&](double radius, const cv::Scalar& colour) {
      cv::circle(image, at(landmarks, i), static_cast<int>(std::lround(fine * radius * unit)), colour, cv::FILLED,
                 cv::LINE_AA, shift);
    };
    disc(2.1, halo_ink);
    disc(1.5, doubt ? doubt_ink : ink);
  }
  if (drawing.person > 0 && count > 0)
    draw_number(image, drawing.person, {at(landmarks, 0).x >> shift, at(landmarks, 0).y >> shift}, 0.9 * unit, ink);
  draw_words(picture, drawing.caption, drawing.alarm);
}

}  // namespace kinema::io
