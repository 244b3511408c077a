#include "body/tracker/sight.h"

#include "body/tracker/constants_people.h"
#include "core/geometry.h"
#include "kinema/body.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kinema::body {
namespace {

// As everywhere, what is not finite was not measured: some cameras say infinite where they see nothing.
bool measured(float depth) { return depth > 0 && std::isfinite(depth); }

}  // namespace

double moved_share(const PointCloud& person, std::span<const float> before, const Camera& camera) {
  using namespace constants::people;
  std::size_t all = 0, moved = 0;
  for (std::size_t i = 0; i < person.size(); ++i) {
    if (person.background[i] != 0) continue;
    const float* p = person.xyz.data() + 3 * i;
    const auto u = static_cast<int>(std::lround(camera.fx * static_cast<double>(p[0] / p[2]) + camera.cx));
    const auto v = static_cast<int>(std::lround(camera.fy * static_cast<double>(p[1] / p[2]) + camera.cy));
    if (u < 1 || v < 1 || u + 1 >= camera.width || v + 1 >= camera.height) continue;
    // edges flicker: a neighbour that was as near will do, or one of which nothing is known
    const float slack = same_depth + same_depth_noise * p[2] * p[2];
    bool same = false;
    for (int y = v - 1; y <= v + 1 && !same; ++y) {
      for (int x = u - 1; x <= u + 1 && !same; ++x) {
        const float z =
            before[static_cast<std::size_t>(y) * static_cast<std::size_t>(camera.width) + static_cast<std::size_t>(x)];
        same = !measured(z) || z < p[2] + slack;
      }
    }
    ++all;
    moved += !same;
  }
  return all > 0 ? static_cast<double>(moved) / static_cast<double>(all) : 0;
}

Sight sight_of(std::span<const float> capsules, ImageView<const float> depth, const Camera& camera) {
  constexpr int along = 5;  // samples of a capsule
  Sight sight{0, 0, 0, 0};
  double all = 0, unknown = 0;
  for (std::size_t k = 0; k + capsule_floats <= capsules.size(); k += capsule_floats) {
    const float* c = capsules.data() + k;
    const Vec3f a{c[0], c[1], c[2]}, axis = Vec3f{c[4], c[5], c[6]} - a;
    const double area = static_cast<double>(c[3]) * static_cast<double>(norm(axis) + c[3]);
    all += area;
    for (int i = 0; i < along; ++i) {
      const Vec3f middle = a + static_cast<float>(i) / (along - 1) * axis;
      const Vec3f p = (1 - c[3] / std::max(norm(middle), 1e-3f)) * middle;
      const double u = camera.fx * static_cast<double>(p.x / p.z) + camera.cx,
                   v = camera.fy * static_cast<double>(p.y / p.z) + camera.cy;
      if (!(p.z > 0) || !(u >= 0 && v >= 0 && u < camera.width - 1 && v < camera.height - 1)) {
        sight.outside += area / along;
        continue;
      }
      const float z = depth.at(static_cast<std::size_t>(u + 0.5), static_cast<std::size_t>(v + 0.5));
      double& share = !measured(z)                              ? unknown
                      : z < p.z - constants::people::skin_depth ? sight.hidden
                      : z > p.z + constants::people::skin_depth ? sight.absent
                                                                : sight.seen;
      share += area / along;
    }
  }
  if (!(all > 0)) return {};
  // pixels without a measurement say nothing: they are as the others
  const double known = sight.seen + sight.hidden + sight.absent, scale = known > 0 ? (known + unknown) / known : 0;
  for (double* share : {&sight.seen, &sight.hidden, &sight.absent}) *share *= scale / all;
  sight.outside /= all;
  return sight;
}

}  // namespace kinema::body
