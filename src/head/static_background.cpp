#include "head/still_scene.h"

#include "head/pixels.h"

#include <algorithm>
#include <cstdlib>

namespace kinema::head {
namespace {

// Sums of the differences of three channels, in levels: below it is noise, above it is something else.
constexpr int still = 24, moved = 72;

// A difference halves in about 350 frames, or ten seconds.
constexpr int slowness = 9;

}  // namespace

void StillScene::set(const ColourView& frame) {
  width_ = frame.width;
  height_ = frame.height;
  mean_.resize(3 * width_ * height_);
  std::uint16_t* mean = mean_.data();
  for (std::size_t y = 0; y < height_; ++y) {
    for (std::size_t x = 0; x < width_; ++x, mean += 3) {
      const Rgb colour = pixel_at(frame, x, y);
      mean[0] = static_cast<std::uint16_t>(colour.r << 8);
      mean[1] = static_cast<std::uint16_t>(colour.g << 8);
      mean[2] = static_cast<std::uint16_t>(colour.b << 8);
    }
  }
}

ImageView<const std::uint8_t> StillScene::mask(const ColourView& frame) {
  mask_.assign(frame.width * frame.height, 255);
  if (known()) {
    const std::uint16_t* mean = mean_.data();
    std::uint8_t* out = mask_.data();
    for (std::size_t y = 0; y < height_; ++y) {
      for (std::size_t x = 0; x < width_; ++x, mean += 3, ++out) {
        const Rgb colour = pixel_at(frame, x, y);
        const int difference = std::abs(colour.r - (mean[0] >> 8)) + std::abs(colour.g - (mean[1] >> 8)) +
                               std::abs(colour.b - (mean[2] >> 8));
        *out = static_cast<std::uint8_t>(std::clamp(255 * (difference - still) / (moved - still), 0, 255));
      }
    }
  }
  return {mask_.data(), frame.width, frame.height, frame.width};
}

void StillScene::learn(const ColourView& frame, const std::optional<Oval>& head) {
  // before anything is known all is taken to stand still but the head, whose place stays open
  const bool first = !known();
  if (first) set(frame);
  constexpr double margin = 1.6;  // radii about the head that are not learned: hair, and what the head covers next
  const auto mix = [](std::uint16_t& mean, std::uint8_t value) {
    const int difference = (value << 8) - mean;
    // one unit at least, so that the last levels are reached too
    const int step = difference / (1 << slowness) + (difference > 0) - (difference < 0);
    mean = static_cast<std::uint16_t>(mean + step);
  };
  std::uint16_t* mean = mean_.data();
  for (std::size_t y = 0; y < height_; ++y) {
    const double v = head ? (static_cast<double>(y) - head->cy) / (margin * head->ry) : 0;
    for (std::size_t x = 0; x < width_; ++x, mean += 3) {
      if (head) {
        const double h = (static_cast<double>(x) - head->cx) / (margin * head->rx);
        if (h * h + v * v < 1) {
          // a colour that no skin has
          if (first) mean[0] = 0, mean[1] = 0xff00, mean[2] = 0;
          continue;
        }
      }
      const Rgb colour = pixel_at(frame, x, y);
      mix(mean[0], colour.r);
      mix(mean[1], colour.g);
      mix(mean[2], colour.b);
    }
  }
}

}  // namespace kinema::head
