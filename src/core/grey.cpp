#include "kinema/grey.h"

#include "core/colour_view.h"
#include "core/grey_pixel.h"
#include "kinema/error.h"

namespace kinema {
namespace {

template <std::size_t Channels, bool RedFirst>
void grey_row(const std::uint8_t* pixels, std::size_t width, std::uint8_t* out) {
  for (std::size_t x = 0; x < width; ++x) {
    const std::uint8_t* pixel = pixels + Channels * x;
    out[x] = grey_of_colour(pixel[RedFirst ? 0 : 2], pixel[1], pixel[RedFirst ? 2 : 0]);
  }
}

// Luma of video, 16...235, `step` bytes from one pixel to the next.
void video_row(const std::uint8_t* luma, std::size_t step, std::size_t width, std::uint8_t* out) {
  for (std::size_t x = 0; x < width; ++x) out[x] = grey_of_luma(luma[step * x]);
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
