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

std::unique_ptr<Particles> make_particles(const Skeleton& skeleton, const TrackerSettings& settings,
                                          const Compute& compute) {
  if (compute.backend == Backend::cuda) {
    if (compute.devices.empty()) return make_particles_cuda(skeleton, settings);
    if (settings.share_weighing)
      throw Error(
          "particles are weighed by several processes or several devices, not both: give each process one device");
    return make_particles_devices(skeleton, compute, [skeleton, settings](const std::vector<int>& devices) {
      cuda::use_device(devices.front(), devices);
      return make_particles_cuda(skeleton, settings, {devices.begin() + 1, devices.end()});
    });
  }
  return make_particles_cpu(skeleton, settings, compute);
}

}  // namespace kinema::body
