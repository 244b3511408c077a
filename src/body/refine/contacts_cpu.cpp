#include "body/refine/contacts_cpu.h"

#include "body/constants_mechanisms.h"
#include "kinema/body.h"

#include <algorithm>

#ifdef KINEMA_HAVE_HIGHWAY
// see likelihood_cpu_kernel.cpp: vectors are stored in arrays
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "body/refine/contacts_cpu.cpp"
#include <hwy/foreach_target.h>
#endif
// after foreach_target
#include "core/simd_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace kinema::body {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, contact_part>;
using Floats = hn::Vec<Lanes>;

constexpr float rounding = 1e-4f;  // metres: bounds are of single precision

// One vector per lane.
struct Vectors {
  Floats x, y, z;
};

HWY_INLINE Vectors load(const float* x, const float* y, const float* z) {
  const Lanes d;
  return {hn::LoadU(d, x), hn::LoadU(d, y), hn::LoadU(d, z)};
}
HWY_INLINE Vectors repeat(Vec3f v) {
  const Lanes d;
  return {hn::Set(d, v.x), hn::Set(d, v.y), hn::Set(d, v.z)};
}
HWY_INLINE void store(const Vectors& v, float* x, float* y, float* z) {
  const Lanes d;
  hn::StoreU(v.x, d, x);
  hn::StoreU(v.y, d, y);
  hn::StoreU(v.z, d, z);
}
HWY_INLINE Vectors minus(const Vectors& a, const Vectors& b) {
  return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}
HWY_INLINE Floats dot(const Vectors& a, const Vectors& b) {
  return hn::MulAdd(a.x, b.x, hn::MulAdd(a.y, b.y, hn::Mul(a.z, b.z)));
}
HWY_INLINE Vectors times(Floats s, const Vectors& a) { return {hn::Mul(s, a.x), hn::Mul(s, a.y), hn::Mul(s, a.z)}; }
// a + s b, a - s b
HWY_INLINE Vectors plus(const Vectors& a, Floats s, const Vectors& b) {
  return {hn::MulAdd(s, b.x, a.x), hn::MulAdd(s, b.y, a.y), hn::MulAdd(s, b.z, a.z)};
}
HWY_INLINE Vectors minus(const Vectors& a, Floats s, const Vectors& b) {
  return {hn::NegMulAdd(s, b.x, a.x), hn::NegMulAdd(s, b.y, a.y), hn::NegMulAdd(s, b.z, a.z)};
}
HWY_INLINE Floats norm(const Vectors& a) { return hn::Sqrt(dot(a, a)); }
HWY_INLINE Floats clamp01(Floats x) {
  const Lanes d;
  return hn::Min(hn::Max(x, hn::Zero(d)), hn::Set(d, 1.0f));
}

// Distances of points from the surface of a capsule.
HWY_INLINE Floats away_from(const Vectors& point, const Vectors& a, const Vectors& along, Floats inverse,
                            Floats radius) {
  const Vectors q = minus(point, a);
  const Floats t = clamp01(hn::Mul(dot(q, along), inverse));
  return hn::Sub(norm(minus(q, t, along)), radius);
}

// Of lines through the origin, along unit vectors v: distance from a capsule's surface, and where it is nearest.
struct Passing {
  Floats distance, along;
};
HWY_INLINE Passing pass(const Vectors& v, const Vectors& a, const Vectors& along, Floats radius) {
  const Lanes d;
  const Floats va = dot(v, a), vd = dot(v, along);
  const Vectors p = minus(a, va, v), across = minus(along, vd, v);
  const Floats bottom = hn::Add(dot(across, across), hn::Set(d, 1e-12f));
  const Floats t = clamp01(hn::Div(hn::Neg(dot(p, across)), bottom));
  return {hn::Sub(norm(plus(p, t, across)), radius), hn::MulAdd(t, vd, va)};
}

// As many capsules as there are lanes.
struct Capsules {
  Vectors a, along;
  Floats inverse, radius, furthest;

  HWY_INLINE Capsules(const Skin& skin, std::size_t k)
      : a(load(skin.field(Skin::ax) + k, skin.field(Skin::ay) + k, skin.field(Skin::az) + k)),
        along(load(skin.field(Skin::cx) + k, skin.field(Skin::cy) + k, skin.field(Skin::cz) + k)),
        inverse(hn::LoadU(Lanes(), skin.field(Skin::inverse) + k)),
        radius(hn::LoadU(Lanes(), skin.field(Skin::radius) + k)),
        furthest(hn::LoadU(Lanes(), skin.field(Skin::furthest) + k)) {}
};

// Lists the capsules whose bound is at most `most`.
HWY_INLINE void choose_candidates(const Skin& skin, float most, ContactBlock& contacts) {
  contacts.candidates.resize(skin.size());
  std::size_t count = 0;
  for (std::size_t k = 0; k < skin.size(); ++k) {
    contacts.candidates[count] = static_cast<std::uint32_t>(k);
    count += contacts.bounds[k] > most ? 0 : 1;
  }
  contacts.candidates.resize(count);
}

// Capsules that may be the nearest to a point of a part: their distance from its middle is at most the least one plus
// twice the reach.
void list_near(const Skin& skin, const PointBlock::Bounds& part, ContactBlock& contacts) {
  const Lanes d;
  const Vectors middle = repeat(part.middle);
  contacts.bounds.resize(skin.padded());
  Floats least = hn::Set(d, 1e30f);
  for (std::size_t k = 0; k < skin.padded(); k += hn::Lanes(d)) {
    const Capsules c(skin, k);
    const Floats away = away_from(middle, c.a, c.along, c.inverse, c.radius);
    hn::StoreU(away, d, contacts.bounds.data() + k);
    least = hn::Min(least, away);
  }
  choose_candidates(skin, hn::GetLane(hn::MinOfLanes(d, least)) + 2 * part.reach + rounding, contacts);
}

// Capsules that may block a ray of a part: the line through the middle of the directions passes them within their
// radius, plus the reach at their distance from the camera.
void list_in_sight(const Skin& skin, const PointBlock::Bounds& part, ContactBlock& contacts) {
  const Lanes d;
  const float length = kinema::norm(part.middle);
  contacts.bounds.assign(skin.padded(), 0);
  if (length > 0.1f) {  // else the rays go everywhere
    const Vectors middle = repeat((1 / length) * part.middle);
    const Floats reach = hn::Set(d, part.reach);
    for (std::size_t k = 0; k < skin.padded(); k += hn::Lanes(d)) {
      const Capsules c(skin, k);
      const Floats away = pass(middle, c.a, c.along, c.radius).distance;
      hn::StoreU(hn::NegMulAdd(reach, c.furthest, away), d, contacts.bounds.data() + k);
    }
  }
  choose_candidates(skin, rounding, contacts);
}

// see nearest_capsules()
HWY_INLINE void find_nearest(const Skin& skin, const PointBlock& points, ContactBlock& contacts) {
  const Lanes d;
  const std::size_t lanes = hn::Lanes(d);
  constexpr std::size_t most = contact_part / 4;  // vectors of a part; any SIMD has at least 4 lanes, or 1
  for (std::size_t begin = 0; begin < contact_block; begin += contact_part) {
    list_near(skin, points.parts[begin / contact_part], contacts);
    for (std::size_t i = begin; i < begin + contact_part; i += most * lanes) {
      const std::size_t vectors = std::min(most, (begin + contact_part - i) / lanes);
      Floats x[most], y[most], z[most], best[most], index[most];
      for (std::size_t v = 0; v < vectors; ++v) {
        x[v] = hn::LoadU(d, points.x + i + v * lanes);
        y[v] = hn::LoadU(d, points.y + i + v * lanes);
        z[v] = hn::LoadU(d, points.z + i + v * lanes);
        best[v] = hn::Set(d, 1e30f);
        index[v] = hn::Set(d, -1.0f);
      }
      for (const std::uint32_t k : contacts.candidates) {
        const Segment& s = skin[k];
        const Vectors a = repeat(s.a), along = repeat(s.along);
        const Floats inverse = hn::Set(d, s.inverse), radius = hn::Set(d, s.radius);
        const Floats own = hn::Set(d, static_cast<float>(k));
        for (std::size_t v = 0; v < vectors; ++v) {
          const Floats distance = away_from({x[v], y[v], z[v]}, a, along, inverse, radius);
          const auto nearer = hn::Lt(distance, best[v]);
          best[v] = hn::IfThenElse(nearer, distance, best[v]);
          index[v] = hn::IfThenElse(nearer, own, index[v]);
        }
      }
      for (std::size_t v = 0; v < vectors; ++v) {
        hn::StoreU(best[v], d, contacts.distance + i + v * lanes);
        hn::StoreU(index[v], d, contacts.capsule + i + v * lanes);
      }
    }
  }
}

void nearest_capsules(const Skin& skin, const PointBlock& points, ContactBlock& contacts) {
  find_nearest(skin, points, contacts);
}

// The segment of each point's capsule; arrays of the contacts hold its end a for a while.
struct alignas(64) Chosen {
  float inverse[contact_block], radius[contact_block], cx[contact_block], cy[contact_block], cz[contact_block];

  Chosen(const Skin& skin, ContactBlock& contacts) {
    for (std::size_t i = 0; i < contact_block; ++i) {
      const auto capsule = contacts.capsule[i] < 0 ? 0 : static_cast<std::size_t>(contacts.capsule[i]);
      const Segment& s = skin[capsule];
      contacts.footx[i] = s.a.x;
      contacts.footy[i] = s.a.y;
      contacts.footz[i] = s.a.z;
      cx[i] = s.along.x;
      cy[i] = s.along.y;
      cz[i] = s.along.z;
      inverse[i] = s.inverse;
      radius[i] = s.radius;
    }
  }
};

void touch_points(const Skin& skin, const PointBlock& points, const ContactWeights& weights, ContactBlock& contacts) {
  find_nearest(skin, points, contacts);
  const Chosen chosen(skin, contacts);
  const Lanes d;
  const Floats one = hn::Set(d, 1.0f), tiny = hn::Set(d, 1e-6f);
  const Floats far_side = hn::Set(d, mechanisms::near_side ? 0 : -1e30f);
  for (std::size_t i = 0; i < contact_block; i += hn::Lanes(d)) {
    const Vectors x = load(points.x + i, points.y + i, points.z + i),
                  along = load(chosen.cx + i, chosen.cy + i, chosen.cz + i);
    const Vectors a = load(contacts.footx + i, contacts.footy + i, contacts.footz + i);
    const Floats over = hn::LoadU(d, chosen.inverse + i), r = hn::LoadU(d, chosen.radius + i);
    // see touch_point()
    const Floats t = clamp01(hn::Mul(dot(minus(x, a), along), over));
    const Vectors foot = plus(a, t, along), out = minus(x, foot);
    const Vectors near = minus(times(hn::Mul(dot(x, along), over), along), x);
    const Floats length = norm(out), near_length = norm(near);
    const auto has_near = hn::Gt(near_length, tiny), on_axis = hn::Lt(length, tiny);
    const auto behind = hn::And(has_near, hn::Lt(dot(out, near), far_side));
    const Floats near_scale = hn::Div(one, hn::Max(near_length, tiny));
    const Vectors to_camera = {hn::IfThenElseZero(has_near, hn::Mul(near_scale, near.x)),
                               hn::IfThenElseZero(has_near, hn::Mul(near_scale, near.y)),
                               hn::IfThenElse(has_near, hn::Mul(near_scale, near.z), hn::Neg(one))};
    const Vectors outward = times(hn::Div(one, hn::Max(length, tiny)), out);
    const auto turned = hn::Or(behind, on_axis);
    const Vectors normal = {hn::IfThenElse(turned, to_camera.x, outward.x),
                            hn::IfThenElse(turned, to_camera.y, outward.y),
                            hn::IfThenElse(turned, to_camera.z, outward.z)};
    const Floats from_axis = hn::IfThenElse(behind, dot(out, to_camera), hn::IfThenZeroElse(on_axis, length));
    const Floats distance = hn::Sub(from_axis, r);
    const Floats along_ray = dot(normal, x);
    const Floats noise = hn::Div(hn::Mul(hn::Set(d, weights.noise2), hn::Mul(along_ray, along_ray)), dot(x, x));
    const Floats across = hn::Div(one, hn::Add(one, noise));
    const Floats ratio = hn::Mul(distance, hn::Set(d, 1 / weights.tau));
    const auto ignored = hn::Ge(hn::Abs(hn::LoadU(d, contacts.distance + i)), hn::Set(d, weights.reach));
    const Floats u = hn::IfThenElse(ignored, one, hn::Min(one, hn::Mul(across, hn::Mul(ratio, ratio))));
    const Floats share = hn::Sub(one, u);
    store(normal, contacts.nx + i, contacts.ny + i, contacts.nz + i);
    store(foot, contacts.footx + i, contacts.footy + i, contacts.footz + i);
    hn::StoreU(distance, d, contacts.distance + i);
    hn::StoreU(hn::Mul(across, hn::Mul(share, share)), d, contacts.weight + i);
    // 1 - (1 - u)^3
    hn::StoreU(hn::Mul(u, hn::MulAdd(u, hn::Sub(u, hn::Set(d, 3.0f)), hn::Set(d, 3.0f))), d, contacts.cost + i);
  }
}

// see RayPassage; half2: the square of half
struct Passage {
  Floats middle, gap2, half2, along;
};
HWY_INLINE Passage pass_capsule(const Vectors& ray, const Vectors& a, const Vectors& along, Floats inverse,
                                Floats radius) {
  const Lanes d;
  const Floats zero = hn::Zero(d), one = hn::Set(d, 1.0f);
  const Floats va = dot(ray, a), vd = dot(ray, along);
  const Vectors p = minus(a, va, ray), across = minus(along, vd, ray);
  const Floats bottom = dot(across, across);
  const Floats t = clamp01(hn::Neg(hn::Div(dot(p, across), hn::Add(bottom, hn::Set(d, 1e-12f)))));
  const Vectors gap = plus(p, t, across);
  const Floats gap2 = dot(gap, gap);
  const auto at_end = hn::Or(hn::Le(t, zero), hn::Ge(t, one));
  const Floats sine2 = hn::IfThenElse(at_end, one, hn::Max(hn::Mul(bottom, inverse), hn::Set(d, least_sine2)));
  const Floats half2 = hn::Div(hn::Max(hn::Sub(hn::Mul(radius, radius), gap2), zero), sine2);
  return {hn::MulAdd(t, vd, va), gap2, half2, vd};
}

// Capsules that may have the least projective_distance() to a point of a part: none is less than a bound by the distance w of the
// middle from the skin, less the reach. Where all rays of the part miss the capsule by e, it is max(e, root w), else
// root (w - r (sqrt(1 + 1 / s^2) - 1)), or w if that is less: with s the least sine between a ray and the axis, no ray is longer
// within the capsule.
HWY_INLINE void list_projective(const Skin& skin, const PointBlock::Bounds& part, Floats root, ContactBlock& contacts) {
  const Lanes d;
  const Floats zero = hn::Zero(d), one = hn::Set(d, 1.0f), reach = hn::Set(d, part.reach);
  const float length = kinema::norm(part.middle);
  contacts.bounds.assign(skin.padded(), -1e30f);
  Floats least = hn::Set(d, 1e30f);
  if (part.reach < 0.5f * length) {                               // else the rays go everywhere
    const Floats turn = hn::Set(d, 1.05f * part.reach / length);  // of a ray from that to the middle, at most
    const Vectors middle = repeat(part.middle), ray = repeat((1 / length) * part.middle);
    for (std::size_t k = 0; k < skin.padded(); k += hn::Lanes(d)) {
      const Capsules c(skin, k);
      const Passage passage = pass_capsule(ray, c.a, c.along, c.inverse, c.radius);
      const Floats own = away_from(middle, c.a, c.along, c.inverse, c.radius), w = hn::Sub(own, reach);
      const Floats missed = hn::NegMulAdd(turn, c.furthest, hn::Sub(hn::Sqrt(passage.gap2), c.radius));
      const Floats cosine2 = hn::Mul(hn::Mul(passage.along, passage.along), c.inverse);
      const Floats sine =
          hn::Max(hn::Sub(hn::Sqrt(hn::Max(hn::Sub(one, cosine2), zero)), turn), hn::Sqrt(hn::Set(d, least_sine2)));
      const Floats stretch = hn::Sub(hn::Sqrt(hn::Add(one, hn::Div(one, hn::Mul(sine, sine)))), one);
      const Floats bound = hn::IfThenElse(hn::Gt(missed, zero), hn::Max(missed, hn::Mul(root, w)),
                                          hn::Mul(root, hn::NegMulAdd(c.radius, stretch, w)));
      hn::StoreU(hn::Min(w, bound), d, contacts.bounds.data() + k);
      least = hn::Min(least, own);
    }
  }
  choose_candidates(skin, hn::GetLane(hn::MinOfLanes(d, least)) + part.reach + rounding, contacts);
}

// The capsule of the least projective_distance() to each point, and that distance.
HWY_INLINE void find_projective(const Skin& skin, const PointBlock& points, float noise2, ContactBlock& contacts) {
  const Lanes d;
  const Floats less = hn::Set(d, 1 / (1 + noise2)), root = hn::Sqrt(less), one = hn::Set(d, 1.0f);
  for (std::size_t i = 0; i < contact_block; i += hn::Lanes(d)) {
    if (i % contact_part == 0) list_projective(skin, points.parts[i / contact_part], root, contacts);
    const Vectors x = load(points.x + i, points.y + i, points.z + i);
    const Floats range = norm(x);
    const Vectors ray = times(hn::Div(one, range), x);
    Floats best = hn::Set(d, 1e30f), index = hn::Set(d, -1.0f);
    for (const std::uint32_t k : contacts.candidates) {
      const Segment& s = skin[k];
      const Vectors a = repeat(s.a), along = repeat(s.along);
      const Floats radius = hn::Set(d, s.radius), inverse = hn::Set(d, s.inverse);
      const Passage passage = pass_capsule(ray, a, along, inverse, radius);
      // one root for both: where the ray misses the capsule, of the gap, else of the stretch within
      const auto misses = hn::Gt(passage.gap2, hn::Mul(radius, radius));
      const Floats side = hn::Sqrt(hn::IfThenElse(misses, passage.gap2, passage.half2));
      const Floats beyond = hn::Abs(hn::Sub(range, passage.middle)), lateral = hn::Sub(side, radius);
      const Floats missed = hn::Sqrt(hn::MulAdd(lateral, lateral, hn::Mul(less, hn::Mul(beyond, beyond))));
      const Floats away = hn::IfThenElse(misses, missed, hn::Mul(root, hn::Sub(beyond, side)));
      const Floats near = away_from(x, a, along, inverse, radius);
      const Floats own = hn::Min(near, away);
      const auto nearer = hn::Lt(own, best);
      best = hn::IfThenElse(nearer, own, best);
      index = hn::IfThenElse(nearer, hn::Set(d, static_cast<float>(k)), index);
    }
    hn::StoreU(best, d, contacts.distance + i);
    hn::StoreU(index, d, contacts.capsule + i);
  }
}

// see touch_projective()
void touch_projective_points(const Skin& skin, const PointBlock& points, const ContactWeights& weights,
                             ContactBlock& contacts) {
  find_projective(skin, points, weights.noise2, contacts);
  const Chosen chosen(skin, contacts);
  const Lanes d;
  const Floats zero = hn::Zero(d), one = hn::Set(d, 1.0f), tiny = hn::Set(d, 1e-6f);
  const Floats noise2 = hn::Set(d, weights.noise2), stiffness = hn::Set(d, 1 / weights.noise2);
  for (std::size_t i = 0; i < contact_block; i += hn::Lanes(d)) {
    const Vectors x = load(points.x + i, points.y + i, points.z + i),
                  along = load(chosen.cx + i, chosen.cy + i, chosen.cz + i);
    const Vectors a = load(contacts.footx + i, contacts.footy + i, contacts.footz + i);
    const Floats over = hn::LoadU(d, chosen.inverse + i), r = hn::LoadU(d, chosen.radius + i);
    const Floats range = norm(x);
    const Vectors ray = times(hn::Div(one, range), x);
    const Passage passage = pass_capsule(ray, a, along, over, r);
    const Floats middle = hn::Sub(passage.middle, range),
                 surface = hn::Sub(middle, hn::Sqrt(passage.half2));  // from the point
    const auto passes = hn::Ge(passage.gap2, hn::Mul(r, r));
    const auto before = hn::And(hn::Gt(middle, zero), hn::Gt(away_from(x, a, along, over, r), zero));
    Floats shift = hn::IfThenZeroElse(before, hn::Mul(surface, hn::Div(noise2, hn::Add(one, noise2))));
    shift = hn::IfThenElse(passes, hn::Min(shift, middle), shift);
    Vectors foot{}, normal{};
    Floats distance{}, slope{};
    const Vectors near = minus(times(hn::Mul(passage.along, over), along), {ray.x, ray.y, ray.z});
    const Vectors facing = times(hn::Div(one, hn::Max(norm(near), tiny)), near);
    const auto look = [&] {
      const Vectors moved = plus(x, shift, ray);
      foot = plus(a, clamp01(hn::Mul(dot(minus(moved, a), along), over)), along);
      const Vectors out = minus(moved, foot);
      const Floats length = norm(out);
      const auto turned = hn::And(hn::Not(passes), hn::Or(hn::Lt(dot(out, facing), zero), hn::Lt(length, tiny)));
      normal = times(hn::Div(one, hn::Max(length, tiny)), out);
      normal = {hn::IfThenElse(turned, facing.x, normal.x), hn::IfThenElse(turned, facing.y, normal.y),
                hn::IfThenElse(turned, facing.z, normal.z)};
      distance = hn::Sub(hn::IfThenElse(turned, dot(out, facing), length), r);
      slope = dot(normal, ray);
    };
    for (int step = 0; step < projective_steps; ++step) {
      look();
      const Floats slope2 = hn::Mul(slope, slope);
      shift = hn::Div(hn::Sub(hn::Mul(shift, slope2), hn::Mul(distance, slope)), hn::Add(slope2, stiffness));
      shift = hn::IfThenElse(passes, hn::Min(shift, middle), shift);
    }
    look();
    // of the point itself, to the plane that touches the skin there
    distance = hn::Sub(distance, hn::Mul(shift, slope));
    const Floats share_left = hn::Div(one, hn::MulAdd(noise2, hn::Mul(slope, slope), one));
    const Floats ratio = hn::Mul(distance, hn::Set(d, 1 / weights.tau));
    const auto ignored = hn::Ge(hn::Abs(hn::LoadU(d, contacts.distance + i)), hn::Set(d, weights.reach));
    const Floats u = hn::IfThenElse(ignored, one, hn::Min(one, hn::Mul(share_left, hn::Mul(ratio, ratio))));
    const Floats share = hn::Sub(one, u);
    store(normal, contacts.nx + i, contacts.ny + i, contacts.nz + i);
    store(foot, contacts.footx + i, contacts.footy + i, contacts.footz + i);
    hn::StoreU(distance, d, contacts.distance + i);
    hn::StoreU(hn::Mul(share_left, hn::Mul(share, share)), d, contacts.weight + i);
    hn::StoreU(hn::Mul(u, hn::MulAdd(u, hn::Sub(u, hn::Set(d, 3.0f)), hn::Set(d, 3.0f))), d, contacts.cost + i);
  }
}

void deepest_obstacles(const Skin& skin, const PointBlock& points, ContactBlock& contacts) {
  const Lanes d;
  const Floats zero = hn::Zero(d), one = hn::Set(d, 1.0f);
  for (std::size_t begin = 0; begin < contact_block; begin += contact_part) {
    list_in_sight(skin, points.parts[begin / contact_part], contacts);
    for (std::size_t i = begin; i < begin + contact_part; i += hn::Lanes(d)) {
      const Vectors x = load(points.x + i, points.y + i, points.z + i);
      const Floats range = norm(x);
      const Vectors ray = times(hn::Div(one, range), x);
      Floats best = zero, index = hn::Set(d, -1.0f);
      for (const std::uint32_t k : contacts.candidates) {
        const Segment& s = skin[k];
        const Passing passing = pass(ray, repeat(s.a), repeat(s.along), hn::Set(d, s.radius));
        const auto between = hn::And(hn::Gt(passing.along, zero), hn::Lt(passing.along, range));
        const auto deeper = hn::And(hn::Lt(passing.distance, best), between);
        best = hn::IfThenElse(deeper, passing.distance, best);
        index = hn::IfThenElse(deeper, hn::Set(d, static_cast<float>(k)), index);
      }
      hn::StoreU(best, d, contacts.distance + i);
      hn::StoreU(index, d, contacts.capsule + i);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kinema::body
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kinema::body {

Skin::Skin(std::span<const float> capsules) {
  const std::size_t count = capsules.size() / capsule_floats;
  padded_ = (count + contact_part - 1) / contact_part * contact_part;
  // out of reach, and NaN nowhere
  fields_.assign(fields * padded_, 1e6f);
  segments_.reserve(count);
  for (std::size_t k = 0; k < count; ++k) {
    const Segment s = make_segment(capsules.data() + k * capsule_floats);
    const float numbers[fields] = {s.a.x,     s.a.y,     s.a.z,
                                   s.along.x, s.along.y, s.along.z,
                                   s.inverse, s.radius,  std::max(norm(s.a), norm(s.a + s.along))};
    for (std::size_t i = 0; i < fields; ++i) fields_[i * padded_ + k] = numbers[i];
    segments_.push_back(s);
  }
  for (std::size_t k = count; k < padded_; ++k) fields_[radius * padded_ + k] = fields_[inverse * padded_ + k] = 0;
}

HWY_EXPORT(nearest_capsules);
HWY_EXPORT(touch_points);
HWY_EXPORT(touch_projective_points);
HWY_EXPORT(deepest_obstacles);
void nearest_capsules(const Skin& skin, const PointBlock& points, ContactBlock& contacts) {
  HWY_DYNAMIC_DISPATCH(nearest_capsules)(skin, points, contacts);
}
void touch_points(const Skin& skin, const PointBlock& points, const ContactWeights& weights, ContactBlock& contacts) {
  if (weights.projective)
    HWY_DYNAMIC_DISPATCH(touch_projective_points)(skin, points, weights, contacts);
  else
    HWY_DYNAMIC_DISPATCH(touch_points)(skin, points, weights, contacts);
}
void deepest_obstacles(const Skin& skin, const PointBlock& points, ContactBlock& contacts) {
  HWY_DYNAMIC_DISPATCH(deepest_obstacles)(skin, points, contacts);
}

}  // namespace kinema::body
#endif
