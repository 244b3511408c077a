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

void check_unweighed(const Weighing& weighing, std::string_view step) {
  if (weighing.window || weighing.mask.data != nullptr || weighing.bottom != SIZE_MAX)
    throw Error(fmt::format("{} is a step of the paper and takes whole frames only; weigh with cpu or cuda", step));
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
#ifdef KINEMA_HAVE_CUDA
    case Backend::cuda:
      return make_cuda_moments(settings, compute.threads);
#endif
    default:
      return make_cpu_moments(compute.threads);
  }
}

}  // namespace

std::unique_ptr<Moments> make_moments(const MomentsSettings& settings, const Compute& compute) {
  if (settings.pieces < 1) throw Error(fmt::format("pieces is {}; give 1 or more", settings.pieces));
  const Compute chosen = choose(compute);
  if (chosen.devices.empty()) return make_one(settings, chosen);
  return make_devices_moments(chosen, [settings, chosen](int device) {
    if (chosen.backend == Backend::cuda) cuda::use_device(device);
    return make_one(settings, chosen);
  });
}

namespace {

constexpr std::string_view cpu_steps[] = {"cpu1", "cpu2", "cpu3"};
constexpr std::string_view gpu_steps[] = {"gpu1", "gpu2", "gpu3", "gpu4", "gpu5", "gpu6", "gpu7", "gpu8"};

int step_of(std::string_view name, std::span<const std::string_view> steps) {
  const auto found = std::find(steps.begin(), steps.end(), name);
  return found == steps.end() ? 0 : static_cast<int>(found - steps.begin()) + 1;
}

bool is_backend(std::string_view name) {
  return name == "auto" || name == "reference" || name == "cpu" || name == "cuda";
}

}  // namespace

bool is_step(std::string_view name) {
  return step_of(name, cpu_steps) != 0 || step_of(name, gpu_steps) != 0 || name == "cpu+gpu" || name == "joint";
}

std::unique_ptr<Moments> make_moments(std::string_view name, const MomentsSettings& settings, Compute compute) {
  compute.backend = is_backend(name) ? parse_backend(name) : Backend::reference;
  std::unique_ptr<Moments> moments = make_moments(settings, compute);  // for steps: checks the settings
  if (is_backend(name)) return moments;
  if (const int step = step_of(name, cpu_steps)) return make_cpu_step(step, settings, compute.threads);
  if (!is_step(name))
    throw Error(fmt::format(
        "there is no backend '{}': use auto, reference, cpu, cuda, joint, cpu1 to cpu3, gpu1 to gpu8 or cpu+gpu",
        name));
  choose(Backend::cuda);  // throws, with the reason, if there is no device
#ifdef KINEMA_HAVE_CUDA
  if (const int gpu_step = step_of(name, gpu_steps)) return make_gpu_step(gpu_step, settings);
  if (name == "cpu+gpu") return make_joint_step(settings, compute.threads);
  return make_joint_moments(settings, compute.threads);
#else
  return nullptr;  // without CUDA choose() does not return
#endif
}

std::vector<std::string_view> moments_names() {
  std::vector<std::string_view> names = {"reference", "cpu"};
  names.insert(names.end(), std::begin(cpu_steps), std::end(cpu_steps));
  if (available(Backend::cuda)) {
    names.insert(names.end(), {"cuda", "joint"});
    names.insert(names.end(), std::begin(gpu_steps), std::end(gpu_steps));
    names.emplace_back("cpu+gpu");
  }
  return names;
}

}  // namespace kinema::head
