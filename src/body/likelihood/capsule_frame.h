// A capsule seen from the camera, prepared for many rays at once; shared by the cpu and cuda backends.
//
// All rays leave the origin (the camera). With c the unit vector of a capsule's axis, p the unit vector from the camera
// to the axis' nearest point, at distance rho, and m = c x p, a ray v has the coordinates (vc, vm, vp) in the capsule's
// own frame, and the axis is the line m = 0, p = rho. The quadratic of eq. 10 is then
//
//   A t^2 - 2 rho vp t + rho^2 - r^2 = 0,   A = 1 - vc^2,   discriminant r^2 A - rho^2 vm^2,
//
// which has no cancellation: whether a ray meets the infinite cylinder costs two dot products. A ray that leaves
// [ac, bc], the axis' extent along c, is tested against the sphere about that end, o = (oc, 0, rho), whose discriminant
// is r^2 - |v x o|^2 = r^2 - vm^2 (rho^2 + oc^2) - (vp oc - vc rho)^2.
//
// Single precision would still lose the difference t - Delta of two numbers of metres. So rays come in tiles around an
// origin (V, D): v = V + w, Delta = D + e, with w and e small. Terms that depend on (V, D) and the capsule alone are
// computed once, in double precision (PairConstants); what remains per ray are small numbers, exact to about 1e-8 m
// where t itself would be rounded to 1e-7 m. With qc = c.w, q = p.w:
//
//   cylinder   t = (rho vp - sqrt(disc)) / A
//   foot       o = t vc - Vc D, held within [low, high] = [ac, bc] - Vc D;   oc = o + Vc D
//   sphere     vp oc - vc rho = E + Vp o + q oc - qc rho,                    E = Vc (Vp D - rho)
//              t - D = K + Vc o + qc oc + rho q - sqrt(h),                   K = rho Vp - (1 - Vc^2) D
//
// A capsule is the union of the spheres along its axis, and the one that a ray enters first is centred on the foot of
// the hit on the infinite cylinder, or on the end that the foot lies beyond. So the cylinder gives the foot, which need
// not be exact, because the entry into the sphere is stationary there, and the sphere gives t: one path for every ray.
// To save products, lengths are in radii, and m, c and p are scaled by R = rho / r:
//
//   vm' = R vm, qc' = R qc, q' = R q, oc' = oc / rho:   disc = 1 - vc^2 - vm'^2,   vc = Vc + qc' / R
//   h = 1 - vm'^2 (1 + oc'^2) - (E + Vp o + q' oc' - qc')^2,   t - D = r (K + Vc o + qc' oc' + q' - sqrt(h))
//
// Where rounding could still turn a hit into a miss (a discriminant within `band` of zero), or rays run along the axis,
// ray_capsule() decides the pair in double precision. That is rare, and makes hits and misses exact.
#pragma once

#include "body/likelihood/ray_capsule.h"
#include "core/geometry.h"

#include <cmath>

namespace kinema::body {

/// A capsule in its own frame, relative to the camera.
struct alignas(16) CapsuleFrame {
  Vec3 c, m, p;   // orthonormal
  double rho;     // distance of the axis' line from the camera
  double ac, bc;  // the ends along c
  double r, one_over_r;
  double reach;           // distance of the farther end
  bool single_precision;  // false: requires ray_capsule()
};

/// The data of a capsule used for culling.
struct CullCapsule {
  float cx, cy, cz, length;
  float ax, ay, az, r;  // r with a small margin
};

/// A group of rays: the origin of its constants, and its bounds.
struct alignas(16) TileBounds {
  float vx, vy, vz;  // V, the middle direction
  float spread;      // |v - V| at most
  float depth;       // D
  float nearest;     // hits nearer than this do not matter
  float furthest;    // hits further than this do not matter
  float thickest;    // single precision suffices for capsules up to this radius
};

/// Constants of one pair of capsule and tile: 22 floats, read by every ray of the tile. Lengths in radii, R = rho / r.
struct PairConstants {
  float mx, my, mz, Vm;                       // R m, R Vm
  float cx, cy, cz, Vc;                       // R c, Vc
  float px, py, pz, K;                        // R p, K
  float RVp, Vp, E, low;                      // R Vp, Vp
  float high, foot, foot_scale, foot_offset;  // foot = Vc D;  oc' = foot_scale o + foot_offset, scale = 1 / R
  float band, r;
};

/// By what the distance of a point from the skin is multiplied before it is truncated at tau, for a deviation of its own.
KINEMA_HD inline double distance_scale(double deviation, double sigma) {
  return sigma / std::sqrt(sigma * sigma + deviation * deviation);
}

/// The bounds of rays with |v - V| <= spread and Delta in [near, far]; V is set. For a background point a hit matters
/// anywhere before it, with first_hit anywhere before Delta + reach, else within reach of Delta.
KINEMA_HD inline void finish_bounds(TileBounds& b, double spread, double near, double far, bool background,
                                    bool first_hit, double tau, double reach) {
  b.spread = static_cast<float>(spread * 1.000001 + 1e-7);
  b.depth = static_cast<float>(0.5 * (near + far));
  const double slack = 2e-6 * far;  // for the rounding of a hit's depth
  b.nearest = background || first_hit ? 0.0f : static_cast<float>(std::fmax(0.0, near - reach - slack));
  b.furthest = static_cast<float>((background ? far : far + reach) + slack);
  // near the camera a hit behind it could be taken for one before it; and the digits that small numbers keep, and those
  // that a radius loses, must be significant relative to tau
  const bool single_precision = near > 1.01 * reach + slack && far * spread < 32 * tau && far < 1e4 * tau;
  b.thickest = single_precision ? static_cast<float>(32 * tau) : 0.0f;
}

/// Where |vc| may exceed this, rays run within 2 degrees of the axis, and A = 1 - vc^2 has lost too many digits.
inline constexpr double along_axis = 0.9995;

KINEMA_HD inline CapsuleFrame capsule_frame(const CapsuleExact& capsule) {
  CapsuleFrame f;
  const Vec3 axis = capsule.b - capsule.a;
  const double length = norm(axis);
  const double far_a = norm(capsule.a), far_b = norm(capsule.b);

  if (length > 0) {
    f.c = (1 / length) * axis;
  } else {
    // a sphere: any axis is valid; one across the line of sight is best
    const Vec3 a = capsule.a;
    const Vec3 across = std::fabs(a.x) < std::fabs(a.z) ? Vec3{0, a.z, -a.y} : Vec3{-a.y, a.x, 0};
    const double size = norm(across);
    f.c = size > 0 ? (1 / size) * across : Vec3{1, 0, 0};
  }
  f.ac = dot(capsule.a, f.c);
  f.bc = f.ac + length;
  f.r = capsule.r;
  f.one_over_r = 1 / capsule.r;
  f.reach = std::fmax(far_a, far_b);

  const Vec3 foot = capsule.a - f.ac * f.c;
  f.rho = norm(foot);
  if (f.rho > 1e-9 * f.reach) {
    f.p = (1 / f.rho) * foot;
  } else {
    // the axis runs through the camera: any direction across it
    const Vec3 e = std::fabs(f.c.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    const Vec3 across = cross(f.c, e);
    f.p = (1 / norm(across)) * across;
    f.rho = 0;
  }
  f.m = cross(f.c, f.p);

  // inside the capsule, or close to its wall, the nearer root is the wrong one; R must be neither huge nor 0
  const double along = std::fmin(std::fmax(0.0, f.ac), f.bc);
  const double distance = std::sqrt(f.rho * f.rho + along * along);
  f.single_precision = distance > 1.001 * f.r + 1e-6 && f.reach < 1e5 * f.r && f.reach < 1e6 && f.rho > 1e-6 * f.r;
  return f;
}

KINEMA_HD inline CullCapsule cull_capsule(const CapsuleExact& capsule, const CapsuleFrame& f) {
  CullCapsule out;
  out.cx = static_cast<float>(f.c.x);
  out.cy = static_cast<float>(f.c.y);
  out.cz = static_cast<float>(f.c.z);
  out.length = static_cast<float>(f.bc - f.ac);
  out.ax = static_cast<float>(capsule.a.x);
  out.ay = static_cast<float>(capsule.a.y);
  out.az = static_cast<float>(capsule.a.z);
  // a radius slightly enlarged covers the rounding of the test
  out.r = static_cast<float>(f.r * 1.00001 + 4e-6 * (f.reach + f.r));
  return out;
}

KINEMA_HD inline PairConstants pair_constants(const CapsuleFrame& f, const TileBounds& tile) {
  const Vec3 V{tile.vx, tile.vy, tile.vz};
  const double D = tile.depth;
  const auto along = [V](Vec3 u) { return std::fma(V.x, u.x, std::fma(V.y, u.y, V.z * u.z)); };
  const double Vc = along(f.c), Vm = along(f.m), Vp = along(f.p);

  const double one_over_r = f.one_over_r, R = f.rho * one_over_r;
  const double foot = Vc * D;
  const auto R1 = static_cast<float>(R), one_over_R = 1 / R1;

  PairConstants k;
  k.mx = R1 * static_cast<float>(f.m.x);
  k.my = R1 * static_cast<float>(f.m.y);
  k.mz = R1 * static_cast<float>(f.m.z);
  k.Vm = static_cast<float>(R * Vm);
  k.cx = R1 * static_cast<float>(f.c.x);
  k.cy = R1 * static_cast<float>(f.c.y);
  k.cz = R1 * static_cast<float>(f.c.z);
  k.Vc = static_cast<float>(Vc);
  k.px = R1 * static_cast<float>(f.p.x);
  k.py = R1 * static_cast<float>(f.p.y);
  k.pz = R1 * static_cast<float>(f.p.z);
  k.K = static_cast<float>(one_over_r * std::fma(f.rho, Vp, std::fma(Vc, Vc, -1) * D));
  k.RVp = static_cast<float>(R * Vp);
  k.Vp = static_cast<float>(Vp);
  k.E = static_cast<float>(one_over_r * (Vc * std::fma(Vp, D, -f.rho)));
  k.low = static_cast<float>(one_over_r * (f.ac - foot));
  k.high = static_cast<float>(one_over_r * (f.bc - foot));
  k.foot = static_cast<float>(one_over_r * foot);
  k.foot_scale = one_over_R;
  k.foot_offset = k.foot * one_over_R;
  // the rounding error of a discriminant: the sizes of its terms, times 2^-24 with a margin; and several times as much,
  // since its root, and so the distance, would have lost too many digits
  k.r = static_cast<float>(f.r);
  const float rounding = 6e-8f * (16 + 64 * tile.spread * static_cast<float>(f.reach * one_over_r));
  k.band = rounding + std::fmax(4e-5f, 5 * rounding);
  // An error e of disc (observed: a quarter of the bound) moves the foot by e / (2 sqrt(disc) A), and that lowers h by
  // A times its square: with disc >= band, by a tenth of band at most where A >= 0.16 (rounding / band)^2.
  const double steepest = std::fabs(Vc) + tile.spread, share = rounding / k.band;
  if (!f.single_precision || k.r > tile.thickest || steepest > along_axis || rounding > 1e-4f ||
      1 - steepest * steepest < 0.16 * share * share)
    k.band = INFINITY;
  return k;
}

}  // namespace kinema::body
