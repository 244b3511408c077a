#include "body/likelihood/likelihood_backends.h"
#include "core/cuda/device.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kinema::body {
namespace {

bool is_capsule(const float* c) {
  return std::all_of(c, c + capsule_floats, [](float value) { return std::isfinite(value); }) && c[3] > 0;
}

}  // namespace

void check_points(const PointsView& points) {
  if (points.size > 0 && points.xyz == nullptr) throw Error("points: a size, but no data");
  if (!points.background.empty() && points.background.size() != points.size)
    throw Error(
        fmt::format("background: {} marks for {} points; give one a point", points.background.size(), points.size));
  if (!points.deviation.empty() && points.deviation.size() != points.size)
    throw Error(
        fmt::format("deviation: {} numbers for {} points; give one a point", points.deviation.size(), points.size));
  for (const float deviation : points.deviation)
    if (!(deviation >= 0 && std::isfinite(deviation)))
      throw Error(fmt::format("deviation: {} metres; give a number from 0", deviation));
}

void check_sizes(const CapsulesView& capsules, std::span<const double> out) {
  if (capsules.depth != capsule_floats && capsules.rows * capsules.columns > 0)
    throw Error(fmt::format("capsules: {} numbers each; give 7 (ax ay az r bx by bz)", capsules.depth));
  if (capsules.rows * capsules.columns > 0 && capsules.data == nullptr) throw Error("capsules: a size, but no data");
  if (out.size() != capsules.rows)
    throw Error(fmt::format("room for {} results, but {} samples", out.size(), capsules.rows));
}

void check_capsules(const CapsulesView& capsules) {
  for (std::size_t j = 0; j < capsules.rows; ++j)
    for (std::size_t k = 0; k < capsules.columns; ++k)
      if (!is_capsule(capsules.at(j, k))) refuse_capsule(capsules, j, k);
}

void refuse_capsule(const CapsulesView& capsules, std::size_t sample, std::size_t capsule) {
  const float* c = capsules.at(sample, capsule);
  const bool finite = std::all_of(c, c + capsule_floats, [](float value) { return std::isfinite(value); });
  throw Error(finite ? fmt::format("capsules[{}, {}]: the radius is {}; it must be above 0", sample, capsule, c[3])
                     : fmt::format("capsules[{}, {}]: a number is not finite", sample, capsule));
}

void check_settings(const LikelihoodSettings& settings) {
  if (!(settings.tau > 0) || !std::isfinite(settings.tau))
    throw Error(fmt::format("tau is {}; it must be a length above 0, in metres", settings.tau));
  if (!(settings.sigma > 0) || !std::isfinite(settings.sigma))
    throw Error(fmt::format("sigma is {}; it must be a length above 0, in metres", settings.sigma));
  if (!std::isfinite(settings.camera.x) || !std::isfinite(settings.camera.y) || !std::isfinite(settings.camera.z))
    throw Error("camera: a coordinate is not finite");
}

namespace {

std::unique_ptr<Likelihood> make_one(const LikelihoodSettings& settings, const Compute& compute) {
  switch (compute.backend) {
    case Backend::reference:
      return make_reference_likelihood(settings);
    case Backend::cuda:
      return make_cuda_likelihood(settings);
    default:
      return make_cpu_likelihood(settings, compute.threads);
  }
}

}  // namespace

std::unique_ptr<Likelihood> make_likelihood(const LikelihoodSettings& settings, const Compute& compute) {
  check_settings(settings);
  const Compute chosen = choose(compute);
  if (chosen.devices.empty()) return make_one(settings, chosen);
  return make_devices_likelihood(chosen, [settings, chosen](int device) {
    if (chosen.backend == Backend::cuda) cuda::use_device(device);
    return make_one(settings, chosen);
  });
}

}  // namespace kinema::body
