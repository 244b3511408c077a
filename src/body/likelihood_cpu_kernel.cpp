#include "body/likelihood_cpu_kernel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

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

  const auto zero = hn::Zero(d);
  // rays that miss have the root of a negative number in them, and are no number: a comparison passes over those
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

// Capsules that may matter to a bundle of rays: who they are, and their culling data, number by number.
struct Candidates {
  explicit Candidates(std::size_t most) : room((most + 15) / 16 * 16), capsule(room), numbers(8 * room) {}

  void clear() { count = 0; }
  void add(std::uint32_t who, const CullCapsule& c) {
    capsule[count] = who;
    const float* from = &c.cx;
    for (std::size_t n = 0; n < 8; ++n) numbers[n * room + count] = from[n];
    ++count;
  }
  // fills up the last vector with capsules that matter to nobody
  void pad() {
    for (std::size_t k = count; k < (count + 15) / 16 * 16; ++k)
      for (std::size_t n = 0; n < 8; ++n) numbers[n * room + k] = 1e18f;
  }

  std::size_t room, count = 0;
  std::vector<std::uint32_t> capsule;
  std::vector<float> numbers;
};

// Those of `from` that may matter to the rays within the bounds, by their place in it. There is no branch until the bits of
// 64 are known.
inline std::size_t cull(const Candidates& from, const TileBounds& b, std::uint32_t* places) {
  const RayLanes d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t count = 0;
  for (std::size_t block = 0; block < from.count; block += 64) {
    std::uint64_t bits = 0;
    for (std::size_t k = block; k < std::min(block + 64, from.count); k += lanes) {
      const auto number = [&](std::size_t n) HWY_ATTR { return hn::LoadU(d, &from.numbers[n * from.room + k]); };
      const RayMask near = may_matter(d, number(0), number(1), number(2), number(3), number(4), number(5), number(6),
                                      number(7), hn::Set(d, b.vx), hn::Set(d, b.vy), hn::Set(d, b.vz),
                                      hn::Set(d, b.spread), hn::Set(d, b.nearest), hn::Set(d, b.furthest));
      bits |= std::uint64_t{mask_bits(d, near)} << (k - block);
    }
    for (; bits != 0; bits &= bits - 1)
      places[count++] = static_cast<std::uint32_t>(block + static_cast<std::size_t>(std::countr_zero(bits)));
  }
  return count;
}

// The subtiles that a capsule may matter to, a bit for each.
inline std::uint32_t cull_subtiles(const CullCapsule& c, const SubtileBounds& sub) {
  const SubtileLanes d;
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < tile_subtiles; i += hn::Lanes(d)) {
    const auto near =
        may_matter(d, hn::Set(d, c.cx), hn::Set(d, c.cy), hn::Set(d, c.cz), hn::Set(d, c.length), hn::Set(d, c.ax),
                   hn::Set(d, c.ay), hn::Set(d, c.az), hn::Set(d, c.r), hn::LoadU(d, sub.vx + i),
                   hn::LoadU(d, sub.vy + i), hn::LoadU(d, sub.vz + i), hn::LoadU(d, sub.spread + i),
                   hn::LoadU(d, sub.nearest + i), hn::LoadU(d, sub.furthest + i));
    bits |= mask_bits(d, near) << i;
  }
  return bits;
}

// A capsule to cast the rays of a subtile at.
struct Item {
  std::uint32_t capsule, constants, subtile;
};

// The sum of squared distances of one tile.
template <Kind kind>
float weigh_tile(const Pass& pass, const Item* items, std::size_t count, const PairConstants* constants) {
  const RayLanes d;
  constexpr std::size_t lanes = hn::MaxLanes(RayLanes());
  const RayTile& tile = pass.tile;
  const Rays tau = hn::Set(d, pass.settings.tau), zero = hn::Zero(d);

  // the nearest distance, or, with its sign, that to the first hit
  alignas(64) float best[tile_rays];
  for (std::size_t i = 0; i < tile_rays; i += lanes)
    hn::Store(kind == Kind::nearest ? tau : hn::Set(d, never), d, best + i);
  for (std::size_t n = 0; n < count; ++n) {
    const Item& item = items[n];
    const std::size_t first = item.subtile * subtile_rays;
    const Subtile distance = distances<kind>(pass, first, constants[item.constants], pass.sample.exact[item.capsule]);
    for (std::size_t i = 0; i < vectors; ++i) {
      const Rays found = kind == Kind::nearest ? hn::Abs(distance.of[i]) : distance.of[i];
      const Rays before = hn::Load(d, best + first + i * lanes);
      hn::Store(hn::IfThenElse(hn::Lt(found, before), found, before), d, best + first + i * lanes);
    }
  }

  Rays sum = zero;
  for (std::size_t i = 0; i < tile.count; i += lanes) {
    Rays cost = hn::Load(d, best + i);
    if constexpr (kind == Kind::background)
      cost = hn::IfThenElseZero(hn::Lt(cost, zero), tau);
    else
      cost = hn::Min(hn::Abs(cost), tau);
    if (tile.count - i < lanes) cost = hn::IfThenElseZero(hn::FirstN(d, tile.count - i), cost);
    sum = hn::MulAdd(cost, cost, sum);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

void weigh_tiles(const RayTile* tiles, std::size_t begin, std::size_t end, const PreparedSample& sample,
                 const WeighSettings& settings, double* sums) {
  Candidates all(sample.count), near_group(sample.count);
  for (std::size_t k = 0; k < sample.count; ++k) all.add(static_cast<std::uint32_t>(k), sample.cull[k]);
  all.pad();
  std::vector<std::uint32_t> places(all.room);
  std::vector<PairConstants> constants(sample.count);
  std::vector<Item> items(sample.count * tile_subtiles + tile_subtiles);

  for (std::size_t t = begin; t < end; ++t) {
    const RayTile& tile = tiles[t];
    // tiles come in groups that lie together: what cannot matter to the group is not tested again
    if (settings.culling && (t == begin || tile.group != tiles[t - 1].group)) {
      near_group.clear();
      const std::size_t found = cull(all, tile.group_bounds, places.data());
      for (std::size_t n = 0; n < found; ++n) near_group.add(places[n], sample.cull[places[n]]);
      near_group.pad();
    }
    const Candidates& candidates = settings.culling ? near_group : all;
    std::size_t near = candidates.count;
    if (settings.culling)
      near = cull(near_group, tile.bounds, places.data());
    else
      std::iota(places.begin(), places.end(), 0);

    std::size_t count = 0;
    for (std::size_t n = 0; n < near; ++n) {
      const std::uint32_t k = candidates.capsule[places[n]];
      constants[n] = pair_constants(sample.frames[k], tile.bounds);
      const std::uint32_t bits = settings.culling ? cull_subtiles(sample.cull[k], tile.subtiles) : ~0u;
      for (std::uint32_t s = 0; s < tile_subtiles; ++s) {
        items[count] = {k, static_cast<std::uint32_t>(n), s};
        count += bits >> s & 1;
      }
    }
    const auto weigh = tile.background      ? weigh_tile<Kind::background>
                       : settings.first_hit ? weigh_tile<Kind::first_hit>
                                            : weigh_tile<Kind::nearest>;
    sums[t] = weigh({tile, sample, settings}, items.data(), count, constants.data());
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
