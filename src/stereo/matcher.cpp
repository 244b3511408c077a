#include "stereo/constants.h"
#include "stereo/matcher_backends.h"

#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kinema::stereo {
namespace {

Plan plan_of(const Camera& camera, double baseline, const Settings& settings, int threads) {
  if (camera.width < 16 || camera.height < 16 || !(camera.fx > 0) || !std::isfinite(camera.fx))
    throw Error(fmt::format("a stereo camera of {} x {} pixels with a focal length of {}: give at least 16 x 16 pixels",
                            camera.width, camera.height, camera.fx));
  if (!(baseline > 0) || !std::isfinite(baseline)) throw Error("the stereo camera has no baseline");
  if (!(settings.nearest > 0) || !(settings.farthest > settings.nearest))
    throw Error(fmt::format("stereo depths from {} to {} m: the nearest must be above 0 and below the farthest",
                            settings.nearest, settings.farthest));

  Plan plan;
  plan.width = camera.width;
  plan.height = camera.height;
  plan.threads = threads;
  const double product = baseline * camera.fx;
  plan.nearest = static_cast<float>(product / settings.nearest);
  plan.farthest = static_cast<float>(product / settings.farthest);
  // Up to the nearest depth, and a little more; down to 0 whatever the farthest is: anything beyond is then recognised
  // and dropped, while otherwise it would be matched to anything.
  const double largest = std::ceil(product / settings.nearest) + 2;
  if (largest >= camera.width)
    throw Error(
        fmt::format("at {} m, the nearest depth sought, disparities reach {} of the picture's {} pixels: seek "
                    "from {:.2f} m on",
                    settings.nearest, largest, camera.width, std::ceil(200 * product / camera.width) / 100));
  plan.disparities = (static_cast<int>(largest) + disparity_step) / disparity_step * disparity_step;
  for (std::size_t i = 0; i < plan.large_step.size(); ++i)
    plan.large_step[i] = static_cast<std::uint8_t>(std::max<double>(
        constants::edge_step, constants::large_step / (1 + static_cast<double>(i) / constants::edge_contrast)));
  return plan;
}

}  // namespace

void check_pair(const Plan& plan, ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right,
                const Window& window) {
  for (const ImageView<const std::uint8_t>& view : {left, right}) {
    if (view.width != static_cast<std::size_t>(plan.width) || view.height != static_cast<std::size_t>(plan.height) ||
        view.stride < view.width || view.data == nullptr)
      throw Error(fmt::format("the picture has {} x {} pixels and the camera {} x {}", view.width, view.height,
                              plan.width, plan.height));
  }
  if (window.left < 0 || window.top < 0 || window.right > plan.width || window.bottom > plan.height ||
      window.left >= window.right || window.top >= window.bottom || window.disparities < 2 || window.first < 0 ||
      window.first % disparity_step != 0 || window.disparities > plan.disparities - window.first)
    throw Error(
        fmt::format("a window of columns {} to {}, rows {} to {} and {} disparities from {} on in pictures of "
                    "{} x {} and {} disparities; they begin at a multiple of {}",
                    window.left, window.right, window.top, window.bottom, window.disparities, window.first, plan.width,
                    plan.height, plan.disparities, disparity_step));
}

std::unique_ptr<Matcher> make_matcher(const Camera& camera, double baseline, const Settings& settings,
                                      const Compute& compute) {
  const Compute chosen = choose(compute);
  const Plan plan = plan_of(camera, baseline, settings, chosen.threads);
  const Window whole{0, 0, plan.width, plan.height, plan.disparities};
  const double product = baseline * camera.fx;
  switch (chosen.backend) {
    case Backend::reference:
      return make_reference_matcher(plan, whole, product);
    case Backend::cuda:
      return make_cuda_matcher(plan, whole, product);
    default:
      return make_cpu_matcher(plan, whole, product);
  }
}

}  // namespace kinema::stereo
