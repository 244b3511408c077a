// The cpu backend: SIMD over rays, threads over samples, and only those capsules that can matter to a tile.
#include "body/likelihood_backends.h"
#include "body/likelihood_cpu_kernel.h"
#include "core/reduction.h"
#include "core/threads.h"

#include <algorithm>

namespace kinema::body {
namespace {

class CpuLikelihood final : public Likelihood {
public:
  explicit CpuLikelihood(const LikelihoodSettings& settings) : settings_(settings), threads_(settings.threads) {}

  PointCount set_points(PointsView points) override {
    check_points(points);
    PointCount count;
    tiles_ = make_ray_tiles(points, settings_, threads_, count);
    return count;
  }

  void evaluate(CapsulesView capsules, std::span<double> out) override {
    check_sizes(capsules, out);
    check_capsules(capsules);
    const WeighSettings settings{static_cast<float>(settings_.tau), settings_.association == Association::first_hit,
                                 settings_.culling, settings_.camera};
    const double scale = -1 / (2 * settings_.sigma * settings_.sigma);  // eq. 3

    // a task is a sample where there are many, else some tiles of one; the sum is over tiles in either case
    const bool many = capsules.rows >= 4 * static_cast<std::size_t>(threads_.count());
    const std::size_t chunk = many ? std::max<std::size_t>(tiles_.size(), 1) : 16;
    const std::size_t chunks = std::max<std::size_t>((tiles_.size() + chunk - 1) / chunk, 1);
    std::vector<double> sums(many ? 0 : capsules.rows * tiles_.size());

    threads_.for_each(capsules.rows * chunks, [&](std::size_t task) {
      const std::size_t j = task / chunks;
      const std::size_t begin = chunk * (task % chunks);
      const std::size_t end = std::min(begin + chunk, tiles_.size());
      PreparedSample sample(capsules.columns);
      sample.prepare(capsules.row(j), settings_.camera);
      if (many) {
        std::vector<double> own(tiles_.size());
        weigh_tiles(tiles_.data(), begin, end, sample, settings, own.data());
        out[j] = scale * pairwise_sum(own.data(), own.size());
      } else {
        weigh_tiles(tiles_.data(), begin, end, sample, settings, sums.data() + j * tiles_.size());
      }
    });
    if (many) return;
    for (std::size_t j = 0; j < capsules.rows; ++j)
      out[j] = scale * pairwise_sum(sums.data() + j * tiles_.size(), tiles_.size());
  }

private:
  LikelihoodSettings settings_;
  Threads threads_;
  std::vector<RayTile> tiles_;
};

}  // namespace

void PreparedSample::prepare(const float* capsules, const Vec3& camera) {
  const Vector3d origin{camera.x, camera.y, camera.z};
  for (std::size_t k = 0; k < count; ++k) {
    exact[k] = load_capsule(capsules + capsule_floats * k);
    exact[k].a = exact[k].a - origin;
    exact[k].b = exact[k].b - origin;
    frames[k] = capsule_frame(exact[k]);
    cull[k] = cull_capsule(exact[k], frames[k]);
  }
}

std::unique_ptr<Likelihood> make_cpu_likelihood(const LikelihoodSettings& settings) {
  return std::make_unique<CpuLikelihood>(settings);
}

}  // namespace kinema::body
