#include "body/likelihood_cpu_kernel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#ifdef KINEMA_HAVE_HIGHWAY
// Several vectors stand abreast in an array, which SVE's vectors of unknown length cannot; NEON does as well, since the
// CPUs with SVE split their units to either width.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "body/likelihood_cpu_kernel.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>
#else
#include "core/simd_scalar.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace kinema::body {
namespace HWY_NAMESPACE {

#ifdef KINEMA_HAVE_HIGHWAY
namespace hn = hwy::HWY_NAMESPACE;
#else
namespace hn = kinema::one_lane;
#endif

using RayLanes = hn::CappedTag<float, subtile_rays>;
using SubtileLanes = hn::CappedTag<float, tile_subtiles>;
using Rays = hn::Vec<RayLanes>;
using RayMask = hn::Mask<RayLanes>;

constexpr float never = std::numeric_limits<float>::infinity();

// May a hit on the capsule matter to any ray of the bundle? A hit at depth t of a ray v is r from the axis, and t v is
// within t spread of t V: so the piece [nearest, furthest] of the line t V must come within r + furthest spread of the
// axis. The distance of two segments: the axis' point nearest to the line, the line's nearest to that within its piece,
// the axis' nearest to that.
template <class D, class V = hn::Vec<D>>
inline hn::Mask<D> may_matter(D d, V cx, V cy, V cz, V length, V ax, V ay, V az, V r, V vx, V vy, V vz, V spread,
                              V nearest, V furthest) {
  const V zero = hn::Zero(d);
  const V b = hn::MulAdd(vx, cx, hn::MulAdd(vy, cy, hn::Mul(vz, cz)));
  const V va = hn::MulAdd(vx, ax, hn::MulAdd(vy, ay, hn::Mul(vz, az)));
  const V ac = hn::MulAdd(cx, ax, hn::MulAdd(cy, ay, hn::Mul(cz, az)));
  const V A = hn::Max(hn::NegMulAdd(b, b, hn::Set(d, 1.0f)), hn::Set(d, 1e-6f));
  const V s0 = hn::Min(hn::Max(hn::Div(hn::Sub(hn::Mul(b, va), ac), A), zero), length);
  const V t = hn::Min(hn::Max(hn::MulAdd(s0, b, va), nearest), furthest);
  const V s = hn::Min(hn::Max(hn::Sub(hn::Mul(t, b), ac), zero), length);
  const V dx = hn::Sub(hn::NegMulAdd(s, cx, hn::Mul(t, vx)), ax);
  const V dy = hn::Sub(hn::NegMulAdd(s, cy, hn::Mul(t, vy)), ay);
  const V dz = hn::Sub(hn::NegMulAdd(s, cz, hn::Mul(t, vz)), az);
  const V distance2 = hn::MulAdd(dx, dx, hn::MulAdd(dy, dy, hn::Mul(dz, dz)));
  const V reach = hn::MulAdd(furthest, spread, r);
  return hn::Le(distance2, hn::Mul(reach, reach));
}

template <class D>
inline std::uint32_t mask_bits(D d, hn::Mask<D> mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  return bytes[0] | std::uint32_t{bytes[1]} << 8;
}

// t - Delta of the pair, in double precision; `never` for a miss
inline float exact_distance(const RayTile& tile, std::size_t ray, const CapsuleExact& capsule, const Vec3& camera) {
  const Vector3d x{tile.x[ray] - camera.x, tile.y[ray] - camera.y, tile.z[ray] - camera.z};
  const double delta = norm(x);
  const double t = ray_capsule((1 / delta) * x, capsule);
  return t > 0 ? static_cast<float>(t - delta) : never;
}

enum class Kind { nearest, first_hit, background };

// What one pass over a tile's capsules needs.
struct Pass {
  const RayTile& tile;
  const PreparedSample& sample;
  const WeighSettings& settings;
};

// The rays of a subtile, abreast: a ray's arithmetic is one long chain, and only several of them keep the CPU busy.
constexpr std::size_t vectors = subtile_rays / hn::MaxLanes(RayLanes());
struct Subtile {
  HWY_ATTR Subtile() {}  // an implicit one would be compiled for the wrong target
  Rays of[vectors];
};

template <class F>
HWY_INLINE Subtile each(F f) {
  Subtile out;
  for (std::size_t i = 0; i < vectors; ++i) out.of[i] = f(i);
  return out;
}

// t - Delta of a subtile's rays along one capsule (see capsule_frame.h); `never`, or no number, where there is no hit.
// There is no branch on what the rays do: a mispredicted one would cost more than what it could skip.
template <Kind kind>
HWY_INLINE Subtile distances(const Pass& pass, std::size_t first, const PairConstants& k, const CapsuleExact& capsule) {
  const RayLanes d;
  constexpr std::size_t lanes = hn::MaxLanes(RayLanes());
  const RayTile& tile = pass.tile;
  const float D = tile.bounds.depth;
  const auto set = [d](float x) HWY_ATTR { return hn::Set(d, x); };
  const auto load = [&](const float* array) HWY_ATTR {
    return each([&](std::size_t i) HWY_ATTR { return hn::Load(d, array + first + i * lanes); });
  };
#define EACH(expression) each([&](std::size_t i) HWY_ATTR { return expression; })
  const Subtile wx = load(tile.wx), wy = load(tile.wy), wz = load(tile.wz);
  const auto along = [&](float x, float y, float z) HWY_ATTR {
    return EACH(hn::MulAdd(set(x), wx.of[i], hn::MulAdd(set(y), wy.of[i], hn::Mul(set(z), wz.of[i]))));
  };

  // the infinite cylinder: does the ray meet it, and where along the axis?
  const Subtile qm = along(k.mx, k.my, k.mz), qc = along(k.cx, k.cy, k.cz), q = along(k.px, k.py, k.pz);
  const Subtile vm = EACH(hn::Add(qm.of[i], set(k.Vm)));
  const Subtile vm2 = EACH(hn::Mul(vm.of[i], vm.of[i]));
  const Subtile vc = EACH(hn::MulAdd(qc.of[i], set(k.foot_scale), set(k.Vc)));
  const Subtile A = EACH(hn::NegMulAdd(vc.of[i], vc.of[i], set(1.0f)));
  const Subtile disc = EACH(hn::Sub(A.of[i], vm2.of[i]));
  const Subtile t_cylinder = EACH(hn::Div(hn::Sub(hn::Add(q.of[i], set(k.RVp)), hn::Sqrt(disc.of[i])), A.of[i]));
  const Subtile foot = EACH(hn::Sub(hn::Mul(t_cylinder.of[i], vc.of[i]), set(k.foot)));

  // the sphere about the foot
  const Subtile o = EACH(hn::Min(hn::Max(foot.of[i], set(k.low)), set(k.high)));
  const Subtile oc = EACH(hn::MulAdd(o.of[i], set(k.foot_scale), set(k.foot_offset)));
  const Subtile across =
      EACH(hn::Sub(hn::MulAdd(q.of[i], oc.of[i], hn::MulAdd(set(k.Vp), o.of[i], set(k.E))), qc.of[i]));
  const Subtile o2 = EACH(hn::MulAdd(oc.of[i], oc.of[i], set(1.0f)));
  const Subtile h = EACH(hn::NegMulAdd(across.of[i], across.of[i], hn::NegMulAdd(vm2.of[i], o2.of[i], set(1.0f))));
  const Subtile middle =
      EACH(hn::Add(q.of[i], hn::MulAdd(qc.of[i], oc.of[i], hn::MulAdd(set(k.Vc), o.of[i], set(k.K)))));
  const Subtile least = EACH(hn::Min(hn::Abs(disc.of[i]), hn::Abs(h.of[i])));  // the discriminant nearest to 0
  const Subtile e = load(tile.e);
  Subtile distance = EACH(hn::MulSub(set(k.r), hn::Sub(middle.of[i], hn::Sqrt(h.of[i])), e.of[i]));

  // rays that miss have the root of a negative number in them, and are no number: a comparison passes over those
  const auto zero = hn::Zero(d);
  if constexpr (kind != Kind::nearest)  // a hit behind the camera is none
    distance = EACH(
        hn::IfThenElse(hn::Gt(hn::Add(distance.of[i], hn::Add(set(D), e.of[i])), zero), distance.of[i], set(never)));

  // too close to call?
  Rays margin = least.of[0];
  for (std::size_t i = 1; i < vectors; ++i) margin = hn::Min(margin, least.of[i]);
  bool close = k.band == never || !hn::AllFalse(d, hn::Lt(margin, set(k.band)));
  if constexpr (kind == Kind::background) {
    for (std::size_t i = 0; i < vectors; ++i)
      close |= !hn::AllFalse(d, hn::Lt(hn::Abs(distance.of[i]), set(D * 2e-6f)));
  }
  if (!close) return distance;

  const auto undecided = [&](std::size_t i) HWY_ATTR {
    auto mask = hn::Not(hn::Ge(least.of[i], set(k.band)));
    if constexpr (kind == Kind::background) mask = hn::Or(mask, hn::Lt(hn::Abs(distance.of[i]), set(D * 2e-6f)));
    return mask;
  };
  alignas(64) float settled[lanes];
  for (std::size_t i = 0; i < vectors; ++i) {
    hn::Store(distance.of[i], d, settled);
    for (std::uint32_t bits = mask_bits(d, undecided(i)); bits != 0; bits &= bits - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(bits));
      settled[lane] = exact_distance(tile, first + i * lanes + lane, capsule, pass.settings.camera);
    }
    distance.of[i] = hn::Load(d, settled);
  }
#undef EACH
  return distance;
}

struct Survivor {
  std::uint32_t capsule;
  std::uint32_t subtiles;  // a bit for each that it may matter to
};

// The capsules that may matter to the tile, and to which of its subtiles.
inline std::size_t cull(const Pass& pass, Survivor* survivors) {
  const RayLanes d;
  const SubtileLanes ds;
  const std::size_t lanes = hn::Lanes(d);
  const PreparedSample& s = pass.sample;
  const TileBounds& b = pass.tile.bounds;
  std::size_t count = 0;
  if (!pass.settings.culling) {
    for (; count < s.count; ++count) survivors[count] = {static_cast<std::uint32_t>(count), (1u << tile_subtiles) - 1};
    return count;
  }
  // 64 capsules at a time, without a branch until their bits are known
  for (std::size_t block = 0; block < s.padded; block += 64) {
    std::uint64_t bits = 0;
    for (std::size_t k = block; k < std::min(block + 64, s.padded); k += lanes) {
      const auto number = [&](std::size_t n) HWY_ATTR { return hn::LoadU(d, &s.cull_by_number[n * s.padded + k]); };
      const RayMask near = may_matter(d, number(0), number(1), number(2), number(3), number(4), number(5), number(6),
                                      number(7), hn::Set(d, b.vx), hn::Set(d, b.vy), hn::Set(d, b.vz),
                                      hn::Set(d, b.spread), hn::Set(d, b.nearest), hn::Set(d, b.furthest));
      bits |= std::uint64_t{mask_bits(d, near)} << (k - block);
    }
    for (; bits != 0; bits &= bits - 1)
      survivors[count++].capsule = static_cast<std::uint32_t>(block + static_cast<std::size_t>(std::countr_zero(bits)));
  }

  const SubtileBounds& sub = pass.tile.subtiles;
  std::size_t kept = 0;
  for (std::size_t n = 0; n < count; ++n) {
    const CullCapsule& c = s.cull[survivors[n].capsule];
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < tile_subtiles; i += hn::Lanes(ds)) {
      const auto near =
          may_matter(ds, hn::Set(ds, c.cx), hn::Set(ds, c.cy), hn::Set(ds, c.cz), hn::Set(ds, c.length),
                     hn::Set(ds, c.ax), hn::Set(ds, c.ay), hn::Set(ds, c.az), hn::Set(ds, c.r),
                     hn::LoadU(ds, sub.vx + i), hn::LoadU(ds, sub.vy + i), hn::LoadU(ds, sub.vz + i),
                     hn::LoadU(ds, sub.spread + i), hn::LoadU(ds, sub.nearest + i), hn::LoadU(ds, sub.furthest + i));
      bits |= mask_bits(ds, near) << i;
    }
    if (bits != 0) survivors[kept++] = {survivors[n].capsule, bits};
  }
  return kept;
}

// The sum of squared distances of one tile.
template <Kind kind>
float weigh_tile(const Pass& pass, const Survivor* survivors, const PairConstants* constants, std::size_t count) {
  const RayLanes d;
  constexpr std::size_t lanes = hn::MaxLanes(RayLanes());
  const RayTile& tile = pass.tile;
  const Rays tau = hn::Set(d, pass.settings.tau), zero = hn::Zero(d);
  Rays sum = zero;

  for (std::size_t s = 0; s * subtile_rays < tile.count; ++s) {
    // the nearest distance, or, with its sign, that to the first hit
    Subtile best = each([&](std::size_t) HWY_ATTR { return kind == Kind::nearest ? tau : hn::Set(d, never); });
    for (std::size_t n = 0; n < count; ++n) {
      if ((survivors[n].subtiles >> s & 1) == 0) continue;
      const Subtile distance =
          distances<kind>(pass, s * subtile_rays, constants[n], pass.sample.exact[survivors[n].capsule]);
      best = each([&](std::size_t i) HWY_ATTR {
        const Rays found = kind == Kind::nearest ? hn::Abs(distance.of[i]) : distance.of[i];
        return hn::IfThenElse(hn::Lt(found, best.of[i]), found, best.of[i]);
      });
    }
    for (std::size_t i = 0; i < vectors; ++i) {
      Rays cost = best.of[i];
      if constexpr (kind == Kind::background)
        cost = hn::IfThenElseZero(hn::Lt(cost, zero), tau);
      else
        cost = hn::Min(hn::Abs(cost), tau);
      const std::size_t first = s * subtile_rays + i * lanes;
      const std::size_t valid = tile.count > first ? tile.count - first : 0;
      if (valid < lanes) cost = hn::IfThenElseZero(hn::FirstN(d, valid), cost);
      sum = hn::MulAdd(cost, cost, sum);
    }
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

void weigh_tiles(const RayTile* tiles, std::size_t begin, std::size_t end, const PreparedSample& sample,
                 const WeighSettings& settings, double* sums) {
  std::vector<Survivor> survivors(sample.padded);
  std::vector<PairConstants> constants(sample.count);
  for (std::size_t t = begin; t < end; ++t) {
    const Pass pass{tiles[t], sample, settings};
    const std::size_t count = cull(pass, survivors.data());
    for (std::size_t n = 0; n < count; ++n)
      constants[n] = pair_constants(sample.frames[survivors[n].capsule], tiles[t].bounds);
    const auto weigh = tiles[t].background  ? weigh_tile<Kind::background>
                       : settings.first_hit ? weigh_tile<Kind::first_hit>
                                            : weigh_tile<Kind::nearest>;
    sums[t] = weigh(pass, survivors.data(), constants.data(), count);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kinema::body
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kinema::body {

#ifdef KINEMA_HAVE_HIGHWAY
HWY_EXPORT(weigh_tiles);
void weigh_tiles(const RayTile* tiles, std::size_t begin, std::size_t end, const PreparedSample& sample,
                 const WeighSettings& settings, double* sums) {
  HWY_DYNAMIC_DISPATCH(weigh_tiles)(tiles, begin, end, sample, settings, sums);
}
#else
void weigh_tiles(const RayTile* tiles, std::size_t begin, std::size_t end, const PreparedSample& sample,
                 const WeighSettings& settings, double* sums) {
  N_ONE_LANE::weigh_tiles(tiles, begin, end, sample, settings, sums);
}
#endif

}  // namespace kinema::body
#endif
