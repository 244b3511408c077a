// Drawing of overlays by OpenCV; no_opencv.cpp replaces it in builds without OpenCV.
#include "io/overlays/opencv_drawing.h"
#include "io/overlays/overlay.h"
#include "io/overlays/picture_words.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace kinema::io {
namespace {

constexpr double nearest_depth = 0.05;  // anything nearer or behind the camera is not drawn
constexpr double rings = 2;             // standard deviations

// Blue green red: the person's left side is warm and the right side cool, and they differ in lightness too.
constexpr std::array<std::array<double, 3>, 6> limb_colours = {{{150, 190, 80},     // trunk
                                                                {80, 210, 245},     // head
                                                                {45, 140, 250},     // left arm
                                                                {235, 165, 70},     // right arm
                                                                {95, 95, 240},      // left leg
                                                                {220, 115, 130}}};  // right leg

cv::Scalar colour(Limb limb, double white = 0) {
  const auto& bgr = limb_colours[static_cast<std::size_t>(limb)];
  const auto mix = [white](double c) { return c + (255 - c) * white; };
  return {mix(bgr[0]), mix(bgr[1]), mix(bgr[2])};
}

// Small images are enlarged by an integer factor, to about 1280 pixels in width.
int enlargement(const Camera& camera) { return std::clamp(1280 / std::max(camera.width, camera.height), 1, 4); }

// The same camera with pixels of 1/factor; they too count from 0 at the centre of the first.
Camera enlarged(const Camera& camera, int factor) {
  return {camera.width * factor, camera.height * factor,           camera.fx * factor,
          camera.fy * factor,    (camera.cx + 0.5) * factor - 0.5, (camera.cy + 0.5) * factor - 0.5};
}

class BodyCanvas {
public:
  BodyCanvas(cv::Mat image, const Camera& camera)
      : image_(std::move(image)),
        camera_(camera),
        unit_(std::max(1.0, std::max(camera.width, camera.height) / 640.0)) {}

  bool visible(const Vec3& p) const {
    return p.z > nearest_depth && std::abs(p.x) < 8 * p.z && std::abs(p.y) < 8 * p.z;
  }

  cv::Point at(const Vec3& p) const {
    return {static_cast<int>(std::lround(fine * (camera_.fx * p.x / p.z + camera_.cx))),
            static_cast<int>(std::lround(fine * (camera_.fy * p.y / p.z + camera_.cy)))};
  }

  void skin(const SkinPicture& skin);
  void bones(const body::Skeleton& skeleton, const body::Estimate& estimate, const std::vector<Limb>& limb);
  void joints(const body::Estimate& estimate, const std::vector<Limb>& limb);
  void number(const body::Estimate& estimate);

private:
  std::vector<std::size_t> drawn_joints(const body::Estimate& estimate) const;
  void line(const Vec3& a, const Vec3& b, const cv::Scalar& ink, double thickness) {
    cv::line(image_, at(a), at(b), ink, std::max(1, static_cast<int>(std::lround(thickness * unit_))), cv::LINE_AA,
             shift);
  }
  void disc(const Vec3& centre, double radius, const cv::Scalar& ink) {
    cv::circle(image_, at(centre), static_cast<int>(std::lround(fine * radius)), ink, cv::FILLED, cv::LINE_AA, shift);
  }

  cv::Mat image_;  // shares its pixels with the picture
  Camera camera_;
  double unit_;  // lines and dots scale with the image
};

// Each limb is blended into the image with a soft edge: a mask, blurred by a pixel, is both its opacity and (where it
// is half) its outline.
void BodyCanvas::skin(const SkinPicture& skin) {
  constexpr double cover = 0.62, outline = 0.8;
  const cv::Mat limbs(skin.height, skin.width, CV_8U, const_cast<std::uint8_t*>(skin.limb.data()));
  for (std::size_t l = 0; l < limb_colours.size(); ++l) {
    const auto limb = static_cast<Limb>(l);
    const cv::Mat mask = limbs == static_cast<int>(l);
    const cv::Rect found = cv::boundingRect(mask);
    if (found.empty()) continue;
    const int margin = static_cast<int>(std::ceil(3 * unit_));
    const cv::Rect box =
        cv::Rect(found.x - margin, found.y - margin, found.width + 2 * margin, found.height + 2 * margin) &
        cv::Rect(0, 0, skin.width, skin.height);
    cv::Mat soft;
    cv::GaussianBlur(mask(box), soft, {}, 0.55 * unit_);
    const cv::Scalar ink = colour(limb), rim = colour(limb, 0.35);
    for (int y = 0; y < box.height; ++y) {
      for (int x = 0; x < box.width; ++x) {
        const double m = soft.at<std::uint8_t>(y, x) / 255.0;
        if (m == 0) continue;
        const auto pixel = static_cast<std::size_t>(box.y + y) * static_cast<std::size_t>(skin.width) +
                           static_cast<std::size_t>(box.x + x);
        const double light = 0.4 + 0.6 * static_cast<double>(skin.light[pixel]);
        const double fill = cover * m, edge = outline * 4 * m * (1 - m) * (m < 0.5 ? m * 2 : 1);
        auto& bgr = image_.at<cv::Vec3b>(box.y + y, box.x + x);
        for (int c = 0; c < 3; ++c) {
          double value = bgr[c] * (1 - fill) + ink[c] * light * fill;
          value = value * (1 - edge) + rim[c] * edge;
          bgr[c] = cv::saturate_cast<std::uint8_t>(value);
        }
      }
    }
  }
}

void BodyCanvas::bones(const body::Skeleton& skeleton, const body::Estimate& estimate, const std::vector<Limb>& limb) {
  for (const bool halo : {true, false}) {
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
      if (skeleton.joints[j].parent < 0) continue;
      const Vec3 &from = estimate.joints[static_cast<std::size_t>(skeleton.joints[j].parent)], &to = estimate.joints[j];
      if (!visible(from) || !visible(to)) continue;
      if (halo)
        line(from, to, {30, 26, 24}, 2);
      else
        line(from, to, colour(limb[j], 0.85), 1);
    }
  }
}

// Of joints at one position, such as clavicles that start at the neck, only the first is drawn.
std::vector<std::size_t> BodyCanvas::drawn_joints(const body::Estimate& estimate) const {
  std::vector<std::size_t> drawn;
  for (std::size_t j = 0; j < estimate.joints.size(); ++j) {
    const Vec3& p = estimate.joints[j];
    const bool covered = std::any_of(drawn.begin(), drawn.end(), [&](std::size_t other) {
      const Vec3& q = estimate.joints[other];
      return std::hypot(p.x - q.x, p.y - q.y, p.z - q.z) < 1e-4;
    });
    if (visible(p) && !covered) drawn.push_back(j);
  }
  // nearer ones over farther ones
  std::sort(drawn.begin(), drawn.end(),
            [&](std::size_t a, std::size_t b) { return estimate.joints[a].z > estimate.joints[b].z; });
  return drawn;
}

// Over the highest joint.
void BodyCanvas::number(const body::Estimate& estimate) {
  const auto top = std::min_element(estimate.joints.begin(), estimate.joints.end(),
                                    [](const Vec3& a, const Vec3& b) { return a.y < b.y; });
  if (!visible(*top)) return;
  const cv::Point place(at(*top).x >> shift, (at(*top).y >> shift) - static_cast<int>(24 * unit_));
  draw_number(image_, estimate.person, place, 0.7 * unit_, cv::Scalar::all(255));
}

void BodyCanvas::joints(const body::Estimate& estimate, const std::vector<Limb>& limb) {
  const std::vector<std::size_t> drawn = drawn_joints(estimate);
  cv::Mat with_rings = image_.clone();
  for (std::size_t j : drawn) {
    if (j >= estimate.deviation.size() || !std::isfinite(estimate.deviation[j])) continue;
    const Vec3& p = estimate.joints[j];
    const double radius = std::min(rings * estimate.deviation[j] * camera_.fx / p.z, 0.5 * camera_.width);
    cv::circle(with_rings, at(p), static_cast<int>(std::lround(fine * radius)), {255, 255, 255},
               std::max(1, static_cast<int>(0.75 * unit_)), cv::LINE_AA, shift);
  }
  cv::addWeighted(with_rings, 0.6, image_, 0.4, 0, image_);
  for (std::size_t j : drawn) {
    const Vec3& p = estimate.joints[j];
    disc(p, 2.6 * unit_, {30, 26, 24});
    disc(p, 2.1 * unit_, {255, 255, 255});
    disc(p, 1.3 * unit_, colour(limb[j]));
  }
}

}  // namespace

OverlayPainter::OverlayPainter(const Camera& camera) : camera_(camera) {
  constexpr int largest = 16384;
  if (camera.width <= 0 || camera.height <= 0 || camera.width > largest || camera.height > largest) {
    throw Error(fmt::format("an overlay of {} x {} pixels cannot be drawn", camera.width, camera.height));
  }
  if (!(camera.fx > 0 && camera.fy > 0) || !std::isfinite(camera.fx + camera.fy + camera.cx + camera.cy)) {
    throw Error("an overlay needs a camera with finite fx, fy above 0 and finite cx, cy");
  }
}

Picture OverlayPainter::background(const OverlayFrame& frame) {
  if (frame.colour != nullptr && !frame.colour->empty()) {
    if (frame.colour->width != camera_.width || frame.colour->height != camera_.height) {
      throw Error(fmt::format("the colour picture of frame {} has {} x {} pixels where the camera has {} x {}",
                              frame.number, frame.colour->width, frame.colour->height, camera_.width, camera_.height));
    }
    return *frame.colour;
  }
  std::vector<float> seen(frame.depth.begin(), frame.depth.end());
  if (seen.empty()) seen = depth_of_points(frame.points, camera_);
  if (!range_) range_ = depth_range(seen);
  return depth_picture(seen, camera_.width, camera_.height, *range_);
}

Picture OverlayPainter::draw(const OverlayFrame& frame, const body::Skeleton& skeleton, const body::Estimate& estimate,
                             std::string_view why) {
  body::Estimate own = estimate;
  own.skeleton = std::make_shared<const body::Skeleton>(skeleton);
  return draw(frame, std::span(&own, 1), why);
}

Picture OverlayPainter::draw(const OverlayFrame& frame, std::span<const body::Estimate> people, std::string_view why) {
  Picture under = background(frame);
  const Camera camera = enlarged(camera_, enlargement(camera_));
  Picture picture{
      camera.width, camera.height,
      std::vector<std::uint8_t>(3 * static_cast<std::size_t>(camera.width) * static_cast<std::size_t>(camera.height))};
  cv::Mat image(picture.height, picture.width, CV_8UC3, picture.bgr.data());
  cv::resize(cv::Mat(under.height, under.width, CV_8UC3, under.bgr.data()), image, image.size(), 0, 0,
             cv::INTER_LINEAR);

  BodyCanvas canvas(image, camera);
  std::string caption = fmt::format("frame {}   {:.3f} s", frame.number, frame.time);
  std::vector<const body::Estimate*> found;
  for (const body::Estimate& estimate : people)
    if (estimate.found) found.push_back(&estimate);
  if (found.empty()) {
    draw_words(picture, caption, why.empty() ? "nobody" : why);
    return picture;
  }
  // the nearest over the others
  std::stable_sort(found.begin(), found.end(),
                   [](const auto* a, const auto* b) { return a->pose.position.z > b->pose.position.z; });
  for (const body::Estimate* estimate : found) {
    const body::Skeleton& skeleton = *estimate->skeleton;
    if (estimate->joints.size() != skeleton.joints.size()) {
      throw Error(fmt::format("frame {}: the estimate has {} joints where the skeleton has {}", frame.number,
                              estimate->joints.size(), skeleton.joints.size()));
    }
    const std::vector<Limb> limb = limbs(skeleton);
    std::vector<Limb> capsule_limb;
    for (const body::SkinCapsule& capsule : skeleton.capsules) {
      capsule_limb.push_back(limb[static_cast<std::size_t>(capsule.joint)]);
    }
    if (!estimate->hidden)
      canvas.skin(skin_picture(body::pose_capsules(skeleton, estimate->pose), capsule_limb, camera));
    canvas.bones(skeleton, *estimate, limb);
    canvas.joints(*estimate, limb);
    if (estimate->person > 0) canvas.number(*estimate);
  }
  const body::Estimate& one = *found.front();
  caption += people.size() > 1 || one.person > 0 ? fmt::format("   people {}   rings: {:.0f} std", found.size(), rings)
                                                 : fmt::format("   log p {:.1f}   ESS {:.0f}   rings: {:.0f} std",
                                                               one.log_likelihood, one.effective_sample_size, rings);
  draw_words(picture, caption, {});
  return picture;
}

}  // namespace kinema::io
