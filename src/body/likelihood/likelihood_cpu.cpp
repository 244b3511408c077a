// The cpu backend: SIMD over rays, threads over samples, and only the capsules that may matter to a tile.
#include "body/likelihood/likelihood_backends.h"
#include "body/likelihood/likelihood_cpu_kernel.h"
#include "core/reduction.h"
#include "core/threads.h"

#include <algorithm>

namespace kinema::body {
namespace {

constexpr std::size_t most_samples = 4;  // per task

class CpuLikelihood final : public Likelihood {
public:
  CpuLikelihood(const LikelihoodSettings& settings, int threads) : settings_(settings), threads_(threads) {}

  PointCount set_points(PointsView points) override {
    check_points(points);
    PointCount count;
    rays_ = make_ray_tiles(points, settings_, threads_, count);
    return count;
  }

  void evaluate(CapsulesView capsules, std::span<double> out) override {
    check_sizes(capsules, out);
    check_capsules(capsules);
    const WeighSettings settings{static_cast<float>(settings_.tau), settings_.association == Association::first_hit,
                                 settings_.culling, settings_.camera};
    const double scale = -1 / (2 * settings_.sigma * settings_.sigma);  // eq. 3

    // A task is one sample where there are many, several where there are very many, since they share the tiles in the
    // cache, else some groups of one sample. The sum is over tiles in any case.
    const std::size_t tiles = rays_.tiles.size(), groups = rays_.groups.size();
    const auto threads = static_cast<std::size_t>(threads_.count());
    const bool many = capsules.rows >= 4 * threads;
    const std::size_t block = std::clamp<std::size_t>(capsules.rows / (16 * threads), 1, most_samples);
    const std::size_t blocks = (capsules.rows + block - 1) / block;
    const std::size_t chunk = many ? std::max<std::size_t>(groups, 1) : 2;
    const std::size_t chunks = std::max<std::size_t>((groups + chunk - 1) / chunk, 1);
    std::vector<double> sums(chunks > 1 ? capsules.rows * tiles : 0);

    threads_.for_each(blocks * chunks, [&](std::size_t task) {
      const std::size_t j = task / chunks * block;
      const std::size_t begin = chunk * (task % chunks);
      std::vector<PreparedSample> samples(std::min(block, capsules.rows - j), PreparedSample(capsules.columns));
      for (std::size_t i = 0; i < samples.size(); ++i) samples[i].prepare(capsules.row(j + i), settings_.camera);
      const std::size_t end = std::min(begin + chunk, groups);
      if (chunks > 1) {
        weigh_groups(rays_, begin, end, samples, settings, sums.data() + j * tiles);
      } else {
        std::vector<double> own(samples.size() * tiles);
        weigh_groups(rays_, begin, end, samples, settings, own.data());
        for (std::size_t i = 0; i < samples.size(); ++i)
          out[j + i] = scale * pairwise_sum(own.data() + i * tiles, tiles);
      }
    });
    if (chunks == 1) return;
    for (std::size_t j = 0; j < capsules.rows; ++j) out[j] = scale * pairwise_sum(sums.data() + j * tiles, tiles);
  }

private:
  LikelihoodSettings settings_;
  Threads threads_;
  RayTiles rays_;
};

}  // namespace

void PreparedSample::prepare(const float* capsules, const Vec3& camera) {
  const Vec3 origin = camera;
  for (std::size_t k = 0; k < count; ++k) {
    exact[k] = load_capsule(capsules + capsule_floats * k);
    exact[k].a = exact[k].a - origin;
    exact[k].b = exact[k].b - origin;
    frames[k] = capsule_frame(exact[k]);
    cull.set(k, cull_capsule(exact[k], frames[k]));
  }
}

std::unique_ptr<Likelihood> make_cpu_likelihood(const LikelihoodSettings& settings, int threads) {
  return std::make_unique<CpuLikelihood>(settings, threads);
}

}  // namespace kinema::body
