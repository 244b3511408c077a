#include "io/overlays/overlay.h"

#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kinema::io {
namespace {

bool measured(float depth) { return std::isfinite(depth) && depth > 0; }

}  // namespace

DepthRange depth_range(std::span<const float> depth) {
  std::vector<float> found;
  std::copy_if(depth.begin(), depth.end(), std::back_inserter(found), measured);
  if (found.empty()) return {0.5, 5};
  const auto quantile = [&](double share) {
    const auto at = found.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(found.size() - 1));
    std::nth_element(found.begin(), at, found.end());
    return static_cast<double>(*at);
  };
  const double near = quantile(0.005), far = quantile(0.98);
  // a flat scene still has a range
  return {near * 0.97, std::max(far * 1.03, near * 1.2)};
}

Picture depth_picture(std::span<const float> depth, int width, int height, const DepthRange& range) {
  if (width <= 0 || height <= 0 || depth.size() != static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {
    throw Error(fmt::format("a depth image of {} pixels is no {} x {}", depth.size(), width, height));
  }
  if (!(range.near > 0) || !(range.far > range.near)) throw Error("a depth range goes from above 0 to further off");
  constexpr double darkest = 58, brightest = 205;  // room on both sides for what is drawn over it
  Picture picture{width, height, std::vector<std::uint8_t>(depth.size() * 3)};
  for (std::size_t i = 0; i < depth.size(); ++i) {
    std::uint8_t* pixel = &picture.bgr[3 * i];
    if (!measured(depth[i])) {
      pixel[0] = 34, pixel[1] = 29, pixel[2] = 27;
      continue;
    }
    // linear in 1/z, as measured by a stereo camera: near objects keep their relief
    const double nearness = (1 / depth[i] - 1 / range.far) / (1 / range.near - 1 / range.far);
    const double grey = darkest + (brightest - darkest) * std::clamp(nearness, 0.0, 1.0);
    pixel[0] = static_cast<std::uint8_t>(std::min(255.0, grey * 1.03));  // a little cool
    pixel[1] = pixel[2] = static_cast<std::uint8_t>(grey);
  }
  return picture;
}

std::vector<float> depth_of_points(const PointsView& points, const Camera& camera) {
  if (camera.width <= 0 || camera.height <= 0) throw Error("a camera without pixels sees no points");
  std::vector<float> depth(static_cast<std::size_t>(camera.width) * static_cast<std::size_t>(camera.height));
  const int reach = std::max(0, camera.width / 640);
  for (std::size_t i = 0; i < points.size; ++i) {
    const float* p = points.xyz + 3 * i;
    if (!measured(p[2])) continue;
    const double u = camera.fx * p[0] / p[2] + camera.cx, v = camera.fy * p[1] / p[2] + camera.cy;
    if (!(u > -1 && v > -1 && u < camera.width && v < camera.height)) continue;
    const int column = static_cast<int>(std::lround(u)), row = static_cast<int>(std::lround(v));
    for (int y = std::max(0, row - reach); y <= std::min(camera.height - 1, row + reach); ++y) {
      for (int x = std::max(0, column - reach); x <= std::min(camera.width - 1, column + reach); ++x) {
        float& pixel =
            depth[static_cast<std::size_t>(y) * static_cast<std::size_t>(camera.width) + static_cast<std::size_t>(x)];
        if (pixel == 0 || p[2] < pixel) pixel = p[2];
      }
    }
  }
  return depth;
}

}  // namespace kinema::io
