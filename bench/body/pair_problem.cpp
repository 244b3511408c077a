#include "bench/body/pair_problem.h"

#include "core/random.h"
#include "core/threads.h"

#include <algorithm>
#include <cmath>

namespace kinema::bench {
namespace {

// Random grey levels at the corners of cubes, and smooth in between.
double texture(Vec3 point, double cube, std::uint64_t seed) {
  const double at[3] = {point.x / cube, point.y / cube, point.z / cube};
  std::int64_t corner[3];
  double part[3];
  for (int i = 0; i < 3; ++i) {
    const double whole = std::floor(at[i]);
    corner[i] = static_cast<std::int64_t>(whole);
    part[i] = at[i] - whole;
  }
  double sum = 0;
  for (int n = 0; n < 8; ++n) {
    double weight = 1;
    std::uint64_t hash = seed;
    for (int i = 0; i < 3; ++i) {
      const int up = n >> i & 1;
      weight *= up != 0 ? part[i] : 1 - part[i];
      hash = (hash ^ static_cast<std::uint64_t>(corner[i] + up)) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 29;
    }
    sum += weight * static_cast<double>(hash >> 40) / (1 << 24);
  }
  return sum;
}

std::vector<std::uint8_t> photograph(const DepthImage& depth, const Camera& camera, double eye, std::uint64_t seed) {
  std::vector<std::uint8_t> picture(depth.size());
  const auto width = static_cast<std::size_t>(camera.width);
  Threads().for_each(static_cast<std::size_t>(camera.height), [&](std::size_t v) {
    for (std::size_t u = 0; u < width; ++u) {
      const std::size_t at = v * width + u;
      const double z = depth[at];
      const Vec3 point{(static_cast<double>(u) - camera.cx) / camera.fx * z + eye,
                       (static_cast<double>(v) - camera.cy) / camera.fy * z, z};
      const double grey = 40 + 110 * texture(point, 0.06, seed) + 60 * texture(point, 0.012, seed + 1);
      const Random random{seed, eye > 0 ? 1u : 0u, static_cast<std::uint32_t>(at)};
      picture[at] = static_cast<std::uint8_t>(std::clamp(grey + 2 * random.normal(1), 0.0, 255.0));
    }
  });
  return picture;
}

}  // namespace

PairImages see_pair(const body::Skeleton& skeleton, const body::Pose& pose, const Camera& camera, std::uint64_t seed) {
  const DepthImage left = see_room(skeleton, pose, camera, 0, seed);
  body::Pose moved = pose;  // as the right camera has it
  moved.position.x -= pair_baseline;
  PairImages pair{photograph(left, camera, 0, seed),
                  photograph(see_room(skeleton, moved, camera, 0, seed), camera, pair_baseline, seed), left};
  for (float& number : pair.disparity) number = static_cast<float>(camera.fx * pair_baseline) / number;
  return pair;
}

double walk_phase(std::size_t frame) {
  return 2 * 3.14159265358979323846 * frame_seconds * static_cast<double>(frame) / step_seconds;
}

std::vector<PairImages> see_walk(const body::Skeleton& skeleton, const Camera& camera, std::size_t frames,
                                 std::uint64_t seed) {
  std::vector<PairImages> pairs;
  for (std::size_t f = 0; f < std::min(frames, walk_frames); ++f)
    pairs.push_back(see_pair(skeleton, walking_pose(skeleton, walk_phase(f)), camera, seed + f));
  return pairs;
}

}  // namespace kinema::bench
