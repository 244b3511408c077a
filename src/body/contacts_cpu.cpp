#include "body/contacts_cpu.h"

#ifdef KINEMA_HAVE_HIGHWAY
// see likelihood_cpu_kernel.cpp: vectors are stored in arrays
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "body/contacts_cpu.cpp"
#include <hwy/foreach_target.h>
#endif
// after foreach_target
#include "core/simd_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace kinema::body {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, 16>;
using Floats = hn::Vec<Lanes>;

constexpr std::size_t abreast = 4;  // vectors, so that latencies of roots and quotients overlap

void nearest_capsules(std::span<const Segment> skin, const PointBlock& points, TouchBlock& touches) {
  const Lanes d;
  const Floats zero = hn::Zero(d), one = hn::Set(d, 1.0f);
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < contact_block; i += abreast * lanes) {
    Floats x[abreast], y[abreast], z[abreast], best[abreast], index[abreast];
    for (std::size_t v = 0; v < abreast; ++v) {
      x[v] = hn::Load(d, points.x + i + v * lanes);
      y[v] = hn::Load(d, points.y + i + v * lanes);
      z[v] = hn::Load(d, points.z + i + v * lanes);
      best[v] = hn::Set(d, 1e30f);
      index[v] = hn::Set(d, -1.0f);
    }
    for (std::size_t k = 0; k < skin.size(); ++k) {
      const Segment& s = skin[k];
      const Floats ax = hn::Set(d, s.a.x), ay = hn::Set(d, s.a.y), az = hn::Set(d, s.a.z);
      const Floats cx = hn::Set(d, s.along.x), cy = hn::Set(d, s.along.y), cz = hn::Set(d, s.along.z);
      const Floats inverse = hn::Set(d, s.inverse), radius = hn::Set(d, s.radius);
      const Floats own = hn::Set(d, static_cast<float>(k));
      for (std::size_t v = 0; v < abreast; ++v) {
        const Floats qx = hn::Sub(x[v], ax), qy = hn::Sub(y[v], ay), qz = hn::Sub(z[v], az);
        const Floats along = hn::MulAdd(qx, cx, hn::MulAdd(qy, cy, hn::Mul(qz, cz)));
        const Floats t = hn::Min(hn::Max(hn::Mul(along, inverse), zero), one);
        const Floats ox = hn::NegMulAdd(t, cx, qx), oy = hn::NegMulAdd(t, cy, qy), oz = hn::NegMulAdd(t, cz, qz);
        const Floats distance = hn::Sub(hn::Sqrt(hn::MulAdd(ox, ox, hn::MulAdd(oy, oy, hn::Mul(oz, oz)))), radius);
        const auto nearer = hn::Lt(distance, best[v]);
        best[v] = hn::IfThenElse(nearer, distance, best[v]);
        index[v] = hn::IfThenElse(nearer, own, index[v]);
      }
    }
    for (std::size_t v = 0; v < abreast; ++v) {
      hn::Store(best[v], d, touches.distance + i + v * lanes);
      hn::Store(index[v], d, touches.capsule + i + v * lanes);
    }
  }
}

void deepest_obstacles(std::span<const Segment> skin, const PointBlock& points, TouchBlock& touches) {
  const Lanes d;
  const Floats zero = hn::Zero(d), one = hn::Set(d, 1.0f), tiny = hn::Set(d, 1e-12f);
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < contact_block; i += abreast * lanes) {
    Floats x[abreast], y[abreast], z[abreast], inverse[abreast], best[abreast], index[abreast];
    for (std::size_t v = 0; v < abreast; ++v) {
      x[v] = hn::Load(d, points.x + i + v * lanes);
      y[v] = hn::Load(d, points.y + i + v * lanes);
      z[v] = hn::Load(d, points.z + i + v * lanes);
      inverse[v] = hn::Div(one, hn::MulAdd(x[v], x[v], hn::MulAdd(y[v], y[v], hn::Mul(z[v], z[v]))));
      best[v] = zero;
      index[v] = hn::Set(d, -1.0f);
    }
    for (std::size_t k = 0; k < skin.size(); ++k) {
      const Segment& s = skin[k];
      const Floats ax = hn::Set(d, s.a.x), ay = hn::Set(d, s.a.y), az = hn::Set(d, s.a.z);
      const Floats cx = hn::Set(d, s.along.x), cy = hn::Set(d, s.along.y), cz = hn::Set(d, s.along.z);
      const Floats radius = hn::Set(d, s.radius), own = hn::Set(d, static_cast<float>(k));
      for (std::size_t v = 0; v < abreast; ++v) {
        // as in touch_ray(), along the ray in units of its length
        const Floats va = hn::Mul(hn::MulAdd(x[v], ax, hn::MulAdd(y[v], ay, hn::Mul(z[v], az))), inverse[v]);
        const Floats vd = hn::Mul(hn::MulAdd(x[v], cx, hn::MulAdd(y[v], cy, hn::Mul(z[v], cz))), inverse[v]);
        const Floats px = hn::NegMulAdd(va, x[v], ax), py = hn::NegMulAdd(va, y[v], ay),
                     pz = hn::NegMulAdd(va, z[v], az);
        const Floats dx = hn::NegMulAdd(vd, x[v], cx), dy = hn::NegMulAdd(vd, y[v], cy),
                     dz = hn::NegMulAdd(vd, z[v], cz);
        const Floats top = hn::MulAdd(px, dx, hn::MulAdd(py, dy, hn::Mul(pz, dz)));
        const Floats bottom = hn::MulAdd(dx, dx, hn::MulAdd(dy, dy, hn::MulAdd(dz, dz, tiny)));
        const Floats t = hn::Min(hn::Max(hn::Div(hn::Sub(zero, top), bottom), zero), one);
        const Floats gx = hn::MulAdd(t, dx, px), gy = hn::MulAdd(t, dy, py), gz = hn::MulAdd(t, dz, pz);
        const Floats at = hn::MulAdd(t, vd, va);
        const Floats distance = hn::Sub(hn::Sqrt(hn::MulAdd(gx, gx, hn::MulAdd(gy, gy, hn::Mul(gz, gz)))), radius);
        const auto deeper = hn::And(hn::Lt(distance, best[v]), hn::And(hn::Gt(at, zero), hn::Lt(at, one)));
        best[v] = hn::IfThenElse(deeper, distance, best[v]);
        index[v] = hn::IfThenElse(deeper, own, index[v]);
      }
    }
    for (std::size_t v = 0; v < abreast; ++v) {
      hn::Store(best[v], d, touches.distance + i + v * lanes);
      hn::Store(index[v], d, touches.capsule + i + v * lanes);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kinema::body
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kinema::body {

HWY_EXPORT(nearest_capsules);
HWY_EXPORT(deepest_obstacles);
void nearest_capsules(std::span<const Segment> skin, const PointBlock& points, TouchBlock& touches) {
  HWY_DYNAMIC_DISPATCH(nearest_capsules)(skin, points, touches);
}
void deepest_obstacles(std::span<const Segment> skin, const PointBlock& points, TouchBlock& touches) {
  HWY_DYNAMIC_DISPATCH(deepest_obstacles)(skin, points, touches);
}

}  // namespace kinema::body
#endif
