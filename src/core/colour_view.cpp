#include "core/colour_view.h"

#include "kinema/error.h"

#include <fmt/format.h>

namespace kinema {

std::size_t row_bytes(const ColourView& frame) {
  switch (frame.format) {
    case PixelFormat::bgr:
    case PixelFormat::rgb:
      return 3 * frame.width;
    case PixelFormat::bgra:
    case PixelFormat::rgba:
      return 4 * frame.width;
    case PixelFormat::yuyv:
      return (frame.width + 1) / 2 * 4;
    case PixelFormat::nv12:
      break;
  }
  return frame.width;
}

void check_pixels(const ColourView& frame) {
  if (frame.width == 0 || frame.height == 0)
    throw Error(fmt::format("frame: {} x {} pixels; there must be at least one", frame.width, frame.height));
  if (frame.data == nullptr) throw Error("frame: a size, but no data");
  if (frame.stride < row_bytes(frame))
    throw Error(fmt::format("frame: a stride of {} bytes, but a row of {} pixels has {}", frame.stride, frame.width,
                            row_bytes(frame)));
}

}  // namespace kinema
