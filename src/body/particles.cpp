#include "body/particles.h"

#include "body/likelihood_backends.h"
#include "core/cuda/device.h"
#include "kinema/error.h"

namespace kinema::body {
namespace {

// The block of a joint: the limb whose first joint it is or descends from, 0 for trunk and head.
int block_of(const Skeleton& skeleton, int joint) {
  const char* limbs[] = {"left_clavicle", "right_clavicle", "left_hip", "right_hip"};
  for (int at = joint; at >= 0; at = skeleton.joints[static_cast<std::size_t>(at)].parent) {
    for (int limb = 0; limb < 4; ++limb) {
      if (skeleton.joints[static_cast<std::size_t>(at)].name == limbs[limb]) return 1 + limb;
    }
  }
  return 0;
}

}  // namespace

LimbBlocks limb_blocks(const Skeleton& skeleton) {
  constexpr std::size_t root_tangent = 6;
  LimbBlocks blocks;
  blocks.moves.assign(5, std::vector<std::uint8_t>(root_tangent + skeleton.angle_count(), 0));
  for (std::size_t i = 0; i < root_tangent; ++i) blocks.moves[0][i] = 1;
  std::size_t at = root_tangent;
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    const auto block = static_cast<std::size_t>(block_of(skeleton, static_cast<int>(j)));
    for (std::size_t i = 0; i < skeleton.joints[j].freedoms.size(); ++i) blocks.moves[block][at++] = 1;
  }
  return blocks;
}

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

std::unique_ptr<Particles> make_one(const Skeleton& skeleton, const TrackerSettings& settings, Backend backend) {
#ifdef KINEMA_HAVE_CUDA
  if (backend == Backend::cuda) return make_particles_cuda(skeleton, settings);
#else
  if (backend == Backend::cuda) {
    throw Error("the cuda backend is not in this build: build with CUDA, or choose the backend cpu");
  }
#endif
  return make_particles_cpu(skeleton, settings, backend);
}

}  // namespace

std::unique_ptr<Particles> make_particles(const Skeleton& skeleton, const TrackerSettings& settings, Backend backend) {
  const std::vector<int>& devices = settings.likelihood.devices;
  if (devices.empty()) return make_one(skeleton, settings, backend);
  check_devices(devices, backend);
  if (settings.exchange) {
    throw Error("particles are divided among processes or among devices, not both: give each process one device");
  }
  return make_particles_devices(skeleton, settings,
                                [skeleton, backend, devices](int device, const TrackerSettings& part_settings) {
                                  if (backend == Backend::cuda) cuda::use_device(device, devices);
                                  return make_one(skeleton, part_settings, backend);
                                });
}

}  // namespace kinema::body
