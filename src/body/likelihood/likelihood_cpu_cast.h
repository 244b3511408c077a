// Ray casting of the cpu backend: the rays of a subtile against one capsule. A part of likelihood_cpu_kernel.cpp, and
// like it compiled once for every SIMD level.
#if defined(KINEMA_BODY_LIKELIHOOD_CPU_CAST) == defined(HWY_TARGET_TOGGLE)
#ifdef KINEMA_BODY_LIKELIHOOD_CPU_CAST
#undef KINEMA_BODY_LIKELIHOOD_CPU_CAST
#else
#define KINEMA_BODY_LIKELIHOOD_CPU_CAST
#endif

#include "body/likelihood/likelihood_cpu_cull.h"
#include "body/likelihood/point_order.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/simd_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace kinema::body {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using RayLanes = hn::CappedTag<float, subtile_rays>;
using Rays = hn::Vec<RayLanes>;
using RayMask = hn::Mask<RayLanes>;

constexpr float never = std::numeric_limits<float>::infinity();

enum class Kind { nearest, first_hit, background };

// t - Delta of the pair, in double precision; `never` for a miss
inline float exact_distance(const RayTile& tile, std::size_t ray, const CapsuleExact& capsule, const Vec3& camera) {
  const Vec3 x{tile.x[ray] - camera.x, tile.y[ray] - camera.y, tile.z[ray] - camera.z};
  const double delta = norm(x);
  const double t = ray_capsule((1 / delta) * x, capsule);
  return t > 0 ? static_cast<float>(t - delta) : never;
}

// The rays of a subtile, interleaved: each is one long dependency chain, and only several keep the CPU busy.
constexpr std::size_t vectors = subtile_rays / hn::MaxLanes(RayLanes());
struct Subtile {
  HWY_ATTR Subtile() {}  // the implicit one would be compiled for the wrong target
  Rays of[vectors];
};

template <class F>
HWY_INLINE Subtile each(F f) {
  Subtile out;
  for (std::size_t i = 0; i < vectors; ++i) out.of[i] = f(i);
  return out;
}

// The constants of a pair as a cast reads them. Broadcasting a number to a vector takes a slot of the vector units, and
// so does copying one that a sum would overwrite; loading it takes none. So factors that cannot be used directly are
// stored four times, and initial values of sums once per ray.
struct alignas(64) CastConstants {
  static constexpr std::size_t block = 4;

  CastConstants() { std::fill_n(one, subtile_rays, 1.0f); }
  void set(const CapsuleFrame& capsule, const TileBounds& tile) {
    const PairConstants k = pair_constants(capsule, tile);
    std::fill_n(Vc, subtile_rays, k.Vc);
    std::fill_n(Vm, subtile_rays, k.Vm);
    std::fill_n(minus_foot, subtile_rays, -k.foot);
    std::fill_n(foot_offset, subtile_rays, k.foot_offset);
    std::fill_n(RVp, block, k.RVp);
    std::fill_n(low, block, k.low);
    std::fill_n(high, block, k.high);
    std::fill_n(E, block, k.E);
    std::fill_n(K, block, k.K);
    std::fill_n(band, block, k.band);
    pair = k;
  }

  float one[subtile_rays], Vm[subtile_rays], Vc[subtile_rays], minus_foot[subtile_rays], foot_offset[subtile_rays];
  float RVp[block], low[block], high[block], E[block], K[block], band[block];
  PairConstants pair;
};

#define EACH(expression) each([&](std::size_t i) HWY_ATTR { return expression; })

// The result of a cast: t - Delta, `never` or NaN where there is no hit, and the discriminants of cylinder and sphere.
struct Entry {
  HWY_ATTR Entry() {}
  Subtile distance, disc, h;
};

// Casts a subtile's rays at a capsule (see capsule_frame.h). Does not branch on the rays: a misprediction would cost
// more than a branch could save.
template <Kind kind>
HWY_INLINE Entry enter_capsule(const RayTile& tile, std::size_t first, const CastConstants& k) {
  const RayLanes d;
  constexpr std::size_t lanes = hn::MaxLanes(RayLanes());
  const PairConstants& p = k.pair;
  const auto set = [d](float x) HWY_ATTR { return hn::Set(d, x); };
  const auto spread = [d](const float* block) HWY_ATTR { return hn::LoadDup128(d, block); };
  const auto load = [&](const float* array) HWY_ATTR {
    return each([&](std::size_t i) HWY_ATTR { return hn::Load(d, array + i * lanes); });
  };
  const Subtile wx = load(tile.wx + first), wy = load(tile.wy + first), wz = load(tile.wz + first);
  const Subtile one = load(k.one), Vc = load(k.Vc), foot_offset = load(k.foot_offset);
  const auto along = [&](float x, float y, float z) HWY_ATTR {
    return EACH(hn::MulAdd(set(x), wx.of[i], hn::MulAdd(set(y), wy.of[i], hn::Mul(set(z), wz.of[i]))));
  };
  const Subtile Vm = load(k.Vm), minus_foot = load(k.minus_foot);
  Entry entry;

  // the infinite cylinder: does the ray meet it, and where along the axis?
  const Subtile qc = along(p.cx, p.cy, p.cz), q = along(p.px, p.py, p.pz);
  const Subtile vm =
      EACH(hn::MulAdd(set(p.mx), wx.of[i], hn::MulAdd(set(p.my), wy.of[i], hn::MulAdd(set(p.mz), wz.of[i], Vm.of[i]))));
  const Subtile vm2 = EACH(hn::Mul(vm.of[i], vm.of[i]));
  const Subtile vc = EACH(hn::MulAdd(qc.of[i], set(p.foot_scale), Vc.of[i]));
  const Subtile A = EACH(hn::NegMulAdd(vc.of[i], vc.of[i], one.of[i]));
  entry.disc = EACH(hn::Sub(A.of[i], vm2.of[i]));
  // t vc, with the division in parallel with the root, not after it
  const Subtile slope = EACH(hn::Div(vc.of[i], A.of[i]));
  const Subtile t_A = EACH(hn::Sub(hn::Add(q.of[i], spread(k.RVp)), hn::Sqrt(entry.disc.of[i])));
  const Subtile foot = EACH(hn::MulAdd(t_A.of[i], slope.of[i], minus_foot.of[i]));

  // the sphere about the foot
  const Subtile o = EACH(hn::Min(hn::Max(foot.of[i], spread(k.low)), spread(k.high)));
  const Subtile oc = EACH(hn::MulAdd(o.of[i], set(p.foot_scale), foot_offset.of[i]));
  const Subtile across =
      EACH(hn::MulAdd(q.of[i], oc.of[i], hn::MulAdd(set(p.Vp), o.of[i], hn::Sub(spread(k.E), qc.of[i]))));
  const Subtile o2 = EACH(hn::MulAdd(oc.of[i], oc.of[i], one.of[i]));
  const Subtile middle =
      EACH(hn::MulAdd(qc.of[i], oc.of[i], hn::MulAdd(set(p.Vc), o.of[i], hn::Add(q.of[i], spread(k.K)))));
  const Subtile minus_e = load(tile.minus_e + first);
  entry.h = EACH(hn::NegMulAdd(across.of[i], across.of[i], hn::NegMulAdd(vm2.of[i], o2.of[i], one.of[i])));
  entry.distance = EACH(hn::MulAdd(set(p.r), hn::Sub(middle.of[i], hn::Sqrt(entry.h.of[i])), minus_e.of[i]));
  // rays that miss contain the root of a negative number and are NaN, which a comparison ignores
  if constexpr (kind != Kind::nearest) {  // a hit behind the camera does not count
    const Rays D = set(tile.bounds.depth);
    entry.distance =
        EACH(hn::IfThenElse(hn::Gt(entry.distance.of[i], hn::Sub(minus_e.of[i], D)), entry.distance.of[i], set(never)));
  }
  return entry;
}

#undef EACH

// The smaller of both, or `before` for NaN. A minimum ignores NaN, except on WebAssembly.
HWY_INLINE Rays smaller(Rays found, Rays before) {
#if defined(HWY_ARCH_WASM) && HWY_ARCH_WASM
  return hn::IfThenElse(hn::Lt(found, before), found, before);
#else
  return hn::Min(found, before);
#endif
}

// Keeps hits nearer than the best so far.
template <Kind kind>
HWY_INLINE void keep_nearest(const Subtile& distance, float* best) {
  const RayLanes d;
  for (std::size_t i = 0; i < vectors; ++i) {
    float* at = best + i * hn::MaxLanes(d);
    const Rays found = kind == Kind::nearest ? hn::Abs(distance.of[i]) : distance.of[i];
    hn::Store(smaller(found, hn::Load(d, at)), d, at);
  }
}

// A cast that is undecided for some of the rays: those are decided in double precision. It is rare, and computes the
// others again, so that the common path need not store anything for it.
template <Kind kind>
HWY_NOINLINE void decide_exactly(const RayTile& tile, std::size_t first, const CastConstants& k,
                                 const CapsuleExact& capsule, const Vec3& camera, float* best) {
  const RayLanes d;
  constexpr std::size_t lanes = hn::MaxLanes(RayLanes());
  Entry entry = enter_capsule<kind>(tile, first, k);
  alignas(64) float decided[lanes];
  for (std::size_t i = 0; i < vectors; ++i) {
    const Rays least = hn::Min(hn::Abs(entry.disc.of[i]), hn::Abs(entry.h.of[i]));
    RayMask undecided = hn::Not(hn::Ge(least, hn::Set(d, k.pair.band)));
    if constexpr (kind == Kind::background)
      undecided = hn::Or(undecided, hn::Lt(hn::Abs(entry.distance.of[i]), hn::Set(d, tile.bounds.depth * 2e-6f)));
    hn::Store(entry.distance.of[i], d, decided);
    for (std::uint32_t bits = mask_bits(d, undecided); bits != 0; bits &= bits - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(bits));
      decided[lane] = exact_distance(tile, first + i * lanes + lane, capsule, camera);
    }
    entry.distance.of[i] = hn::Load(d, decided);
  }
  keep_nearest<kind>(entry.distance, best);
}

template <Kind kind>
HWY_INLINE void cast(const RayTile& tile, std::size_t first, const CastConstants& k, const CapsuleExact& capsule,
                     const Vec3& camera, float* best) {
  const RayLanes d;
  const Entry entry = enter_capsule<kind>(tile, first, k);
  Rays margin = hn::Abs(entry.disc.of[0]);
  for (std::size_t i = 1; i < vectors; ++i) margin = hn::Min(margin, hn::Abs(entry.disc.of[i]));
  for (std::size_t i = 0; i < vectors; ++i) margin = hn::Min(margin, hn::Abs(entry.h.of[i]));
  bool close = k.pair.band == never || !hn::AllFalse(d, hn::Lt(margin, hn::LoadDup128(d, k.band)));
  if constexpr (kind == Kind::background) {
    for (std::size_t i = 0; i < vectors; ++i)
      close |= !hn::AllFalse(d, hn::Lt(hn::Abs(entry.distance.of[i]), hn::Set(d, tile.bounds.depth * 2e-6f)));
  }
  if (close) [[unlikely]]
    decide_exactly<kind>(tile, first, k, capsule, camera, best);
  else
    keep_nearest<kind>(entry.distance, best);
}

}  // namespace HWY_NAMESPACE
}  // namespace kinema::body
HWY_AFTER_NAMESPACE();

#endif
