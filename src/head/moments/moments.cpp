#include "core/colour_view.h"
#include "core/cuda/device.h"
#include "head/moments/moments_backends.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kinema::head {
namespace {

/// A coordinate beyond any frame, small enough to be counted in pixels.
constexpr double far_away = 1e9;

std::size_t pixel_from(double x, std::size_t most) {
  return static_cast<std::size_t>(std::clamp(x, 0.0, static_cast<double>(most)));
}

}  // namespace

void check_frame(const ColourView& frame, bool device_is_fine) {
  check_pixels(frame);
  if (frame.on_device && !device_is_fine)
    throw Error("frame: it lies on the device, and this backend works on the host; give it a frame of the host");
  if (frame.format == PixelFormat::nv12) {
    if (frame.chroma == nullptr) throw Error("frame: nv12 without its plane of chroma");
    const std::size_t bytes = (frame.width + 1) / 2 * 2;
    if (frame.chroma_stride < bytes)
      throw Error(fmt::format("frame: a chroma stride of {} bytes, but a row has {}", frame.chroma_stride, bytes));
  }
}

void check_weighing(const ColourView& frame, const Weighing& weighing) {
  const auto& mask = weighing.mask;
  if (mask.data != nullptr) {
    if (mask.width != frame.width || mask.height != frame.height)
      throw Error(fmt::format("mask: {} x {} pixels for a frame of {} x {}", mask.width, mask.height, frame.width,
                              frame.height));
    if (mask.stride < mask.width)
      throw Error(fmt::format("mask: a stride of {}, but a row has {} pixels", mask.stride, mask.width));
  } else if (mask.width * mask.height > 0) {
    throw Error("mask: a size, but no data");
  }
  if (weighing.window) {
    const Window& window = *weighing.window;
    if (!std::isfinite(window.cx) || !std::isfinite(window.cy) || !std::isfinite(window.rx) ||
        !std::isfinite(window.ry))
      throw Error("window: a number is not finite");
    if (!(window.rx > 0) || !(window.ry > 0))
      throw Error(fmt::format("window: radii of {} and {} pixels; both must be above 0", window.rx, window.ry));
  }
}

void check_frames(std::span<const ColourView> frames, std::span<const Sums> out, bool device_is_fine) {
  if (out.size() != frames.size())
    throw Error(fmt::format("room for {} results, but {} frames", out.size(), frames.size()));
  for (std::size_t i = 0; i < frames.size(); ++i) {
    check_frame(frames[i], device_is_fine);
    if (frames[i].width != frames[0].width || frames[i].height != frames[0].height ||
        frames[i].format != frames[0].format)
      throw Error(fmt::format("frames[{}]: another size or format than the first; measure it on its own", i));
  }
}

Box pixels_that_count(const ColourView& frame, const Weighing& weighing) {
  Box box{0, 0, frame.width, std::min(frame.height, weighing.bottom)};
  if (weighing.window) {
    // the boundary itself has weight 0, so rounding outwards only adds pixels of weight 0
    const Window& window = *weighing.window;
    const auto reach = [](double centre, double radius, std::size_t& begin, std::size_t& end) {
      const double low = std::clamp(std::floor(centre - radius), -far_away, far_away);
      const double high = std::clamp(std::ceil(centre + radius) + 1, -far_away, far_away);
      begin = std::max(begin, pixel_from(low, end));
      end = std::min(end, pixel_from(high, end));
    };
    reach(window.cx, window.rx, box.left, box.right);
    reach(window.cy, window.ry, box.top, box.bottom);
  }
  return box;
}

void Moments::measure(std::span<const ColourView> frames, std::span<Sums> out) {
  check_frames(frames, out, true);
  for (std::size_t i = 0; i < frames.size(); ++i) out[i] = measure(frames[i]);
}

namespace {

std::unique_ptr<Moments> make_one(const MomentsSettings& settings, const Compute& compute) {
  switch (compute.backend) {
    case Backend::reference:
      return make_reference_moments();
    case Backend::cuda:
      return make_cuda_moments(settings, compute.threads);
    default:
      return make_cpu_moments(compute.threads);
  }
}

}  // namespace

std::unique_ptr<Moments> make_moments(const MomentsSettings& settings, const Compute& compute) {
  const Compute chosen = choose(compute);
  if (chosen.devices.empty()) return make_one(settings, chosen);
  return make_devices_moments(chosen, [settings, chosen](int device) {
    if (chosen.backend == Backend::cuda) cuda::use_device(device);
    return make_one(settings, chosen);
  });
}

}  // namespace kinema::head
