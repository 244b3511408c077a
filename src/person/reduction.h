// A frame at a fraction of its size, for the colours of a large head: a quarter of the pixels tells as much of them, in a
// quarter of the time. And whether it has colours at all.
#pragma once

#include "kinema/head_calibration.h"
#include "kinema/image.h"
#include "person/constants.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kinema::person {

/// By how much frames are reduced for a head of this outline: its half width keeps enough pixels.
inline std::size_t reduction_for(const head::Oval& oval, PixelFormat format) {
  if (format == PixelFormat::nv12 || format == PixelFormat::yuyv) return 1;
  return static_cast<std::size_t>(std::clamp(oval.rx / reduced_radius, 1.0, 4.0));
}

/// Pixels count from 0 at the centre of the first.
inline head::Oval reduced(const head::Oval& oval, std::size_t factor) {
  const auto k = static_cast<double>(factor);
  return {(oval.cx + 0.5) / k - 0.5, (oval.cy + 0.5) / k - 0.5, oval.rx / k, oval.ry / k};
}
inline head::Oval enlarged(const head::Oval& oval, std::size_t factor) {
  const auto k = static_cast<double>(factor);
  return {(oval.cx + 0.5) * k - 0.5, (oval.cy + 0.5) * k - 0.5, oval.rx * k, oval.ry * k};
}

/// Means of squares of pixels; rows and columns that fill no square are left out. Not for nv12 and yuyv.
inline ColourView reduced(const ColourView& frame, std::size_t factor, std::vector<std::uint8_t>& pixels) {
  if (factor == 1) return frame;
  const std::size_t width = frame.width / factor, height = frame.height / factor;
  const bool four = frame.format == PixelFormat::bgra || frame.format == PixelFormat::rgba;
  const std::size_t step = four ? 4 : 3;
  pixels.resize(3 * width * height);
  const auto area = static_cast<std::uint32_t>(factor * factor);
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      std::uint32_t sum[3] = {0, 0, 0};
      for (std::size_t row = 0; row < factor; ++row) {
        const std::uint8_t* from = frame.data + (y * factor + row) * frame.stride + x * factor * step;
        for (std::size_t column = 0; column < factor; ++column, from += step) {
          for (std::size_t c = 0; c < 3; ++c) sum[c] += from[c];
        }
      }
      for (std::size_t c = 0; c < 3; ++c) {
        pixels[3 * (y * width + x) + c] = static_cast<std::uint8_t>((sum[c] + area / 2) / area);
      }
    }
  }
  ColourView view;
  view.data = pixels.data();
  view.width = width;
  view.height = height;
  view.stride = 3 * width;
  const bool red_first = frame.format == PixelFormat::rgb || frame.format == PixelFormat::rgba;
  view.format = red_first ? PixelFormat::rgb : PixelFormat::bgr;
  return view;
}

/// Mean difference of the strongest and the weakest channel, in levels; the oval is one that head::calibrate() takes. In a
/// picture of greys brightness takes the place of colours, and it seldom separates a head from a shirt.
inline double colourfulness(const ColourView& frame, const head::Oval& oval) {
  double sum = 0, pixels = 0;
  for (const head::ColourCount& cell : head::count_colours({&frame, 1}, {&oval, 1})) {
    const auto [least, most] = std::minmax({cell.r, cell.g, cell.b});
    sum += (cell.skin + cell.other) * static_cast<double>(most - least);
    pixels += cell.skin + cell.other;
  }
  return pixels > 0 ? sum / pixels : 0;
}

}  // namespace kinema::person
