#include "kinema/grey.h"

#include "core/colour_view.h"
#include "kinema/error.h"

#include <algorithm>

namespace kinema {
namespace {

// BT.601 in units of 2^-15, which is how OpenCV rounds them: their sum is exactly 1.
constexpr unsigned bits = 15;
constexpr unsigned red = 9798, green = 19235, blue = 3735;

template <std::size_t Channels, bool RedFirst>
void grey_row(const std::uint8_t* pixels, std::size_t width, std::uint8_t* out) {
  for (std::size_t x = 0; x < width; ++x) {
    const std::uint8_t* pixel = pixels + Channels * x;
    const unsigned sum = red * pixel[RedFirst ? 0 : 2] + green * pixel[1] + blue * pixel[RedFirst ? 2 : 0];
    out[x] = static_cast<std::uint8_t>((sum + (1u << (bits - 1))) >> bits);
  }
}

// Luma of video, 16...235, `step` bytes from one pixel to the next.
void video_row(const std::uint8_t* luma, std::size_t step, std::size_t width, std::uint8_t* out) {
  for (std::size_t x = 0; x < width; ++x) {
    const int spread = (2 * 255 * (luma[step * x] - 16) + 219) / (2 * 219);
    out[x] = static_cast<std::uint8_t>(std::clamp(spread, 0, 255));
  }
}

void grey_row(const ColourView& frame, const std::uint8_t* row, std::uint8_t* out) {
  switch (frame.format) {
    case PixelFormat::bgr:
      return grey_row<3, false>(row, frame.width, out);
    case PixelFormat::rgb:
      return grey_row<3, true>(row, frame.width, out);
    case PixelFormat::bgra:
      return grey_row<4, false>(row, frame.width, out);
    case PixelFormat::rgba:
      return grey_row<4, true>(row, frame.width, out);
    case PixelFormat::nv12:
      return video_row(row, 1, frame.width, out);
    case PixelFormat::yuyv:
      return video_row(row, 2, frame.width, out);
  }
}

}  // namespace

std::vector<std::uint8_t> grey_of(const ColourView& frame) {
  check_pixels(frame);
  if (frame.on_device) throw Error("a frame in device memory cannot be converted to grey: give it in host memory");
  std::vector<std::uint8_t> grey(frame.width * frame.height);
  for (std::size_t y = 0; y < frame.height; ++y)
    grey_row(frame, frame.data + y * frame.stride, grey.data() + y * frame.width);
  return grey;
}

}  // namespace kinema
