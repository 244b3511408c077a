#include "bench/head/head_frames.h"

#include "core/random.h"

#include <algorithm>
#include <cmath>

namespace kinema::bench {
namespace {

struct Colour {
  double r, g, b;
};

std::uint8_t byte(double value) { return static_cast<std::uint8_t>(std::clamp(value + 0.5, 0.0, 255.0)); }

// A wall lit from one side, and an oval of skin lit from the other.
Colour shade(double u, double v) {
  const double dx = (u - 0.55) / 0.14, dy = (v - 0.5) / 0.33, r2 = dx * dx + dy * dy;
  if (r2 > 1) {
    const double light = 0.55 + 0.35 * u + 0.05 * std::sin(9 * u + 4 * v);
    return {96 * light, 112 * light, 128 * light};
  }
  const double light = 0.45 + 0.5 * std::sqrt(1 - r2) - 0.12 * dx;
  return {228 * light, 172 * light, 142 * light};
}

// Two bytes of noise per pixel: cheap, and reproducible for a seed.
class Noise {
public:
  explicit Noise(std::uint64_t seed) : seed_(seed) {}
  std::uint32_t operator()() {
    if (left_ == 0) {
      block_ = philox(seed_, counter_++, 0, 0, 0);
      left_ = 4;
    }
    return block_.word[--left_];
  }
  // approximately normal: the sum of four bytes
  double gauss() {
    const std::uint32_t w = (*this)();
    const double sum = (w & 255) + (w >> 8 & 255) + (w >> 16 & 255) + (w >> 24);
    return (sum - 510) / 147.8;
  }

private:
  std::uint64_t seed_;
  std::uint32_t counter_ = 0;
  Philox block_{};
  int left_ = 0;
};

constexpr double sensor_noise = 3;  // levels

struct Ycc {
  double y, cb, cr;
};

// BT.601, video range
Ycc video(const Colour& c) {
  return {16 + 0.256788 * c.r + 0.504129 * c.g + 0.097906 * c.b, 128 - 0.148223 * c.r - 0.290993 * c.g + 0.439216 * c.b,
          128 + 0.439216 * c.r - 0.367788 * c.g - 0.071427 * c.b};
}

}  // namespace

std::string_view name(Picture picture) { return picture == Picture::camera ? "camera" : "noise"; }

std::string_view name(PixelFormat format) {
  switch (format) {
    case PixelFormat::bgr:
      return "bgr";
    case PixelFormat::rgb:
      return "rgb";
    case PixelFormat::bgra:
      return "bgra";
    case PixelFormat::rgba:
      return "rgba";
    case PixelFormat::nv12:
      return "nv12";
    case PixelFormat::yuyv:
      break;
  }
  return "yuyv";
}

ColourView moved(const HeadFrame& frame, const std::uint8_t* bytes) {
  ColourView view = frame.view;
  view.data = bytes;
  if (view.chroma != nullptr) view.chroma = bytes + (frame.view.chroma - frame.view.data);
  return view;
}

HeadFrame make_head_frame(Picture picture, PixelFormat format, std::size_t width, std::size_t height,
                          std::uint64_t seed) {
  HeadFrame frame;
  ColourView& view = frame.view;
  view.width = width;
  view.height = height;
  view.format = format;
  const bool four = format == PixelFormat::bgra || format == PixelFormat::rgba;
  const std::size_t even = (width + 1) / 2 * 2;
  view.stride = format == PixelFormat::nv12 ? width : format == PixelFormat::yuyv ? 2 * even : width * (four ? 4 : 3);
  std::size_t size = view.stride * height;
  if (format == PixelFormat::nv12) {
    view.chroma_stride = even;
    size += even * ((height + 1) / 2);
  }
  frame.bytes.resize(size);
  view.data = frame.bytes.data();
  if (format == PixelFormat::nv12) view.chroma = frame.bytes.data() + view.stride * height;

  Noise noise(seed);
  if (picture == Picture::noise) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < size; ++i)
      frame.bytes[i] = static_cast<std::uint8_t>((word = i % 4 ? word >> 8 : noise()));
    return frame;
  }
  const bool red_first = format == PixelFormat::rgb || format == PixelFormat::rgba;
  for (std::size_t y = 0; y < height; ++y) {
    std::uint8_t* row = frame.bytes.data() + y * view.stride;
    std::uint8_t* chroma = format == PixelFormat::nv12
                               ? frame.bytes.data() + (height * view.stride + y / 2 * view.chroma_stride)
                               : nullptr;
    for (std::size_t x = 0; x < width; ++x) {
      Colour c = shade(static_cast<double>(x) / static_cast<double>(width),
                       static_cast<double>(y) / static_cast<double>(height));
      for (double* channel : {&c.r, &c.g, &c.b}) *channel += sensor_noise * noise.gauss();
      if (format == PixelFormat::nv12 || format == PixelFormat::yuyv) {
        const Ycc v = video(c);
        std::uint8_t* const luma = chroma != nullptr ? row + x : row + 2 * x;
        std::uint8_t* const pair = chroma != nullptr ? chroma + x / 2 * 2 : row + x / 2 * 4;
        *luma = byte(v.y);
        pair[chroma != nullptr ? 0 : 1] = byte(v.cb);
        pair[chroma != nullptr ? 1 : 3] = byte(v.cr);
      } else {
        std::uint8_t* const pixel = row + x * (four ? 4 : 3);
        pixel[red_first ? 0 : 2] = byte(c.r);
        pixel[1] = byte(c.g);
        pixel[red_first ? 2 : 0] = byte(c.b);
        if (four) pixel[3] = 255;
      }
    }
  }
  return frame;
}

}  // namespace kinema::bench
