#include "head/static_background.h"

#include "head/constants.h"
#include "head/moments/pixel_reader.h"

#include <algorithm>
#include <cstdlib>

namespace kinema::head {

void StaticBackground::set(const ColourView& frame) {
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

ImageView<const std::uint8_t> StaticBackground::mask(const ColourView& frame) {
  mask_.assign(frame.width * frame.height, 255);
  if (known()) {
    const std::uint16_t* mean = mean_.data();
    std::uint8_t* out = mask_.data();
    for (std::size_t y = 0; y < height_; ++y) {
      for (std::size_t x = 0; x < width_; ++x, mean += 3, ++out) {
        const Rgb colour = pixel_at(frame, x, y);
        const int difference = std::abs(colour.r - (mean[0] >> 8)) + std::abs(colour.g - (mean[1] >> 8)) +
                               std::abs(colour.b - (mean[2] >> 8));
        *out = static_cast<std::uint8_t>(
            std::clamp(255 * (difference - still_difference) / (moved_difference - still_difference), 0, 255));
      }
    }
  }
  return {mask_.data(), frame.width, frame.height, frame.width};
}

void StaticBackground::learn(const ColourView& frame, const std::optional<Oval>& head) {
  // initially everything but the head is taken for background; the area of the head stays open
  const bool first = !known();
  if (first) set(frame);
  const auto mix = [](std::uint16_t& mean, std::uint8_t value) {
    const int difference = (value << 8) - mean;
    // at least one unit, so that the last levels are reached too
    const int step = difference / (1 << background_slowness) + (difference > 0) - (difference < 0);
    mean = static_cast<std::uint16_t>(mean + step);
  };
  std::uint16_t* mean = mean_.data();
  for (std::size_t y = 0; y < height_; ++y) {
    const double v = head ? (static_cast<double>(y) - head->cy) / (background_gap * head->ry) : 0;
    for (std::size_t x = 0; x < width_; ++x, mean += 3) {
      if (head) {
        const double h = (static_cast<double>(x) - head->cx) / (background_gap * head->rx);
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
