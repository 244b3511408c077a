#include "body/particles/particles.h"

#include "body/likelihood/likelihood_backends.h"
#include "core/cuda/device.h"
#include "kinema/error.h"

namespace kinema::body {
PointsView weighed_points(PointsView points, bool free_space, PointCloud& copy) {
  check_points(points);
  if (free_space || points.background.empty()) return points;
  copy = {};
  for (std::size_t i = 0; i < points.size; ++i) {
    if (points.background[i] != 0) continue;
    copy.xyz.insert(copy.xyz.end(), points.xyz + 3 * i, points.xyz + 3 * i + 3);
    copy.background.push_back(0);
    if (!points.deviation.empty()) copy.deviation.push_back(points.deviation[i]);
  }
  return copy.view();
}

namespace {

std::unique_ptr<Particles> make_one(const Skeleton& skeleton, const TrackerSettings& settings, const Compute& compute) {
#ifdef KINEMA_HAVE_CUDA
  if (compute.backend == Backend::cuda) return make_particles_cuda(skeleton, settings);
#else
  if (compute.backend == Backend::cuda) {
    throw Error("the cuda backend is not in this build: build with CUDA, or choose the backend cpu");
  }
#endif
  return make_particles_cpu(skeleton, settings, compute);
}

}  // namespace

std::unique_ptr<Particles> make_particles(const Skeleton& skeleton, const TrackerSettings& settings,
                                          const Compute& compute) {
  if (compute.devices.empty()) return make_one(skeleton, settings, compute);
  if (settings.exchange) {
    throw Error("particles are divided among processes or among devices, not both: give each process one device");
  }
  Compute part = compute;
  part.devices.clear();
  return make_particles_devices(
      skeleton, settings, compute,
      [skeleton, part, devices = compute.devices](int device, const TrackerSettings& part_settings) {
        if (part.backend == Backend::cuda) cuda::use_device(device, devices);
        return make_one(skeleton, part_settings, part);
      });
}

}  // namespace kinema::body
