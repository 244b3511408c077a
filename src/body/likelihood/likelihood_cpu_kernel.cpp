#include "body/likelihood/likelihood_cpu_kernel.h"

#include <algorithm>
#include <numeric>

#ifdef KINEMA_HAVE_HIGHWAY
// Several vectors are stored in an array, which is impossible with SVE's vectors of unknown length; NEON is as fast,
// since the CPUs with SVE split their units to either width.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "body/likelihood/likelihood_cpu_kernel.cpp"
#include <hwy/foreach_target.h>
#endif
// after foreach_target
#include "body/likelihood/likelihood_cpu_cast.h"
#include "body/likelihood/likelihood_cpu_cull.h"
#include "core/simd_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace kinema::body {
namespace HWY_NAMESPACE {

// A capsule that may matter to a tile of the group.
struct Pair {
  std::uint32_t capsule, tile;
};

// A subtile to be cast at a pair's capsule.
struct Cast {
  std::uint32_t pair, subtile;
};

// The work of one group of tiles. All of it is listed before any is done: loops over a whole group are long enough for
// the CPU to run ahead, whereas those over a tile would end, mispredicted, as soon as they began.
class GroupWork {
public:
  explicit GroupWork(std::size_t capsules)
      : candidates_(capsules + bundles),
        pairs_(capsules * group_tiles + bundles),
        subtiles_(capsules * group_tiles + bundles),
        casts_(capsules * group_tiles * tile_subtiles + bundles) {}

  // Lists the pairs and casts of a group.
  void list(const RayTile* tiles, const RayGroup& group, const PreparedSample& sample, bool culling) {
    std::size_t candidates = sample.count;
    if (culling)
      candidates = cull_capsules(sample.cull, group.bounds, 0, candidates_.data());
    else
      std::iota(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(candidates), 0u);

    // all bits are written and those that are set are kept: a branch on each would be unpredictable
    std::size_t near = 0;
    const std::uint32_t tiles_of_group = (1u << group.count) - 1;
    for (std::size_t n = 0; n < candidates; ++n) {
      const std::uint32_t k = candidates_[n];
      const std::uint32_t bits = (culling ? cull_bundles(sample.cull, k, group.tiles) : ~0u) & tiles_of_group;
      for (std::uint32_t t = 0; t < group_tiles; ++t) {
        pairs_[near] = {k, t};
        near += bits >> t & 1;
      }
    }
    std::size_t pairs = 0;
    for (std::size_t n = 0; n < near; ++n) {
      const Pair pair = pairs_[n];
      const std::uint32_t bits = culling ? cull_bundles(sample.cull, pair.capsule, tiles[pair.tile].subtiles) : ~0u;
      pairs_[pairs] = pair;
      subtiles_[pairs] = bits;
      pairs += bits != 0;
    }

    if (constants_.size() < pairs) constants_.resize(pairs);
    casts_count_ = 0;
    for (std::uint32_t n = 0; n < pairs; ++n) {
      const Pair& pair = pairs_[n];
      constants_[n].set(sample.frames[pair.capsule], tiles[pair.tile].bounds);
      for (std::uint32_t s = 0; s < tile_subtiles; ++s) {
        casts_[casts_count_] = {n, s};
        casts_count_ += subtiles_[n] >> s & 1;
      }
    }
  }

  // Performs the listed casts. best: (tiles, tile_rays) distances, replaced by nearer ones.
  template <Kind kind>
  HWY_ATTR void cast_all(const RayTile* tiles, const PreparedSample& sample, const Vec3& camera, float* best) const {
    for (std::size_t n = 0; n < casts_count_; ++n) {
      const Cast& c = casts_[n];
      const Pair& pair = pairs_[c.pair];
      const std::size_t first = c.subtile * subtile_rays;
      cast<kind>(tiles[pair.tile], first, constants_[c.pair], sample.exact[pair.capsule], camera,
                 best + pair.tile * tile_rays + first);
    }
  }

private:
  std::vector<std::uint32_t> candidates_;
  std::vector<Pair> pairs_;
  std::vector<std::uint32_t> subtiles_;   // that each pair may matter to, one bit each
  std::vector<CastConstants> constants_;  // of each pair
  std::vector<Cast> casts_;
  std::size_t casts_count_ = 0;
};

// The sum of a tile's squared distances. Sums are interleaved like rays in a cast.
template <Kind kind>
HWY_INLINE float sum_of_squares(const RayTile& tile, float* best, float most) {
  const RayLanes d;
  constexpr std::size_t lanes = hn::MaxLanes(RayLanes());
  std::fill(best + tile.count, best + tile_rays, 0.0f);
  const Rays tau = hn::Set(d, most), zero = hn::Zero(d);
  Subtile sums = each([&](std::size_t) HWY_ATTR { return zero; });
  for (std::size_t first = 0; first < tile_rays; first += subtile_rays) {
    sums = each([&](std::size_t i) HWY_ATTR {
      const Rays found = hn::Load(d, best + first + i * lanes);
      const Rays cost = kind == Kind::background
                            ? hn::IfThenElseZero(hn::Lt(found, zero), tau)
                            : hn::Min(hn::Mul(hn::Abs(found), hn::Load(d, tile.scale + first + i * lanes)), tau);
      return hn::MulAdd(cost, cost, sums.of[i]);
    });
  }
  Rays sum = sums.of[0];
  for (std::size_t i = 1; i < vectors; ++i) sum = hn::Add(sum, sums.of[i]);
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

template <Kind kind>
void weigh_group(const RayTile* tiles, const RayGroup& group, const PreparedSample& sample, GroupWork& work,
                 const WeighSettings& settings, double* sums) {
  // the nearest distance, or the signed one to the first hit
  alignas(64) float best[group_tiles * tile_rays];
  std::fill_n(best, group.count * tile_rays, never);
  work.list(tiles, group, sample, settings.culling);
  work.cast_all<kind>(tiles, sample, settings.camera, best);
  for (std::size_t t = 0; t < group.count; ++t)
    sums[t] = sum_of_squares<kind>(tiles[t], best + t * tile_rays, settings.tau);
}

void weigh_groups(const RayTiles& rays, std::size_t begin, std::size_t end, std::span<const PreparedSample> samples,
                  const WeighSettings& settings, double* sums) {
  if (samples.empty()) return;
  GroupWork work(samples.front().count);
  for (std::size_t g = begin; g < end; ++g) {
    const RayGroup& group = rays.groups[g];
    const auto weigh = group.background     ? weigh_group<Kind::background>
                       : settings.first_hit ? weigh_group<Kind::first_hit>
                                            : weigh_group<Kind::nearest>;
    for (std::size_t j = 0; j < samples.size(); ++j)
      weigh(rays.tiles.data() + group.first, group, samples[j], work, settings,
            sums + j * rays.tiles.size() + group.first);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kinema::body
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kinema::body {

HWY_EXPORT(weigh_groups);
void weigh_groups(const RayTiles& rays, std::size_t begin, std::size_t end, std::span<const PreparedSample> samples,
                  const WeighSettings& settings, double* sums) {
  HWY_DYNAMIC_DISPATCH(weigh_groups)(rays, begin, end, samples, settings, sums);
}

}  // namespace kinema::body
#endif
