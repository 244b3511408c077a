// The work of one lane of the cuda backend for one ray and one capsule, or for one bundle of rays and one capsule.
#pragma once

#include "body/likelihood/capsule_frame.h"

namespace kinema::body {

enum class Kind { nearest, first_hit, background };

__device__ inline float reciprocal_sqrt(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));  // 2 ulp
  return y;
}
__device__ inline float reciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));  // 1 ulp
  return y;
}
__device__ inline float clamp(float x, float low, float high) { return fminf(fmaxf(x, low), high); }
__device__ inline float dot3(float ax, float ay, float az, float4 b) { return fmaf(ax, b.x, fmaf(ay, b.y, az * b.z)); }

// An address in shared memory, kept in one register, and loads that are not moved: otherwise the compiler recomputes
// the address of every load.
__device__ inline unsigned shared_address(const void* p) {
  unsigned address;
  asm volatile("mov.u32 %0, %1;" : "=r"(address) : "r"(static_cast<unsigned>(__cvta_generic_to_shared(p))));
  return address;
}

template <int offset>
__device__ float4 load_shared(unsigned address) {
  float4 v;
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4 + %5];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "r"(address), "n"(offset));
  return v;
}

__device__ inline unsigned load_shared_word(unsigned address) {
  unsigned v;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(address));
  return v;
}

__device__ inline void store_shared_byte(unsigned address, unsigned value) {
  asm volatile("st.shared.u8 [%0], %1;" : : "r"(address), "r"(value) : "memory");
}

// Whether a hit on the capsule may matter to any ray of the bundle. A hit at depth t of a ray v is r from the axis, and
// t v is within t spread of t V: so the piece [nearest, furthest] of the line t V must come within r + furthest spread
// of the axis. The distance of two segments: the axis' point nearest to the line, the line's nearest to that within its
// piece, the axis' nearest to that.
// capsule: (c, length) (a, r)
__device__ inline bool may_matter(float4 axis, float4 end, const TileBounds& bounds) {
  const float4 bundle = *reinterpret_cast<const float4*>(&bounds.vx);    // V, spread
  const float4 range = *reinterpret_cast<const float4*>(&bounds.depth);  // depth, nearest, furthest
  const float b = dot3(axis.x, axis.y, axis.z, bundle);
  const float va = dot3(end.x, end.y, end.z, bundle);
  const float ac = dot3(axis.x, axis.y, axis.z, end);
  const float A = fmaxf(fmaf(-b, b, 1.0f), 1e-6f);
  const float s0 = clamp(fmaf(b, va, -ac) * reciprocal(A), 0.0f, axis.w);
  const float t = clamp(fmaf(s0, b, va), range.y, range.z);
  const float s = clamp(fmaf(t, b, -ac), 0.0f, axis.w);
  const float dx = fmaf(t, bundle.x, fmaf(-s, axis.x, -end.x));
  const float dy = fmaf(t, bundle.y, fmaf(-s, axis.y, -end.y));
  const float dz = fmaf(t, bundle.z, fmaf(-s, axis.z, -end.z));
  const float reach = fmaf(range.z, bundle.w, end.w);
  return fmaf(dx, dx, fmaf(dy, dy, dz * dz)) <= reach * reach;
}

// Whether every hit of the bundle's rays on the capsule is in front of the camera, so that hits behind it need no test. A
// hit is within r of the axis, and in front of the camera where it is on V's side, if rays are within a radian of V.
__device__ inline bool before_camera(float4 axis, float4 end, const TileBounds& bounds) {
  const float4 bundle = *reinterpret_cast<const float4*>(&bounds.vx);  // V, spread
  const float from = dot3(end.x, end.y, end.z, bundle), to = fmaf(axis.w, dot3(axis.x, axis.y, axis.z, bundle), from);
  return bundle.w < 1 && fminf(from, to) > end.w;
}

// A PairConstants in registers, and the distances of rays from its capsule.
struct Capsule {
  float4 m, c, p, k, f, last;

  __device__ explicit Capsule(unsigned constants)
      : m(load_shared<0>(constants)),
        c(load_shared<16>(constants)),
        p(load_shared<32>(constants)),
        k(load_shared<48>(constants)),
        f(load_shared<64>(constants)),
        last(load_shared<80>(constants)) {}

  // t - Delta of one ray (see capsule_frame.h): NaN where there is no hit, undecided where `margin` is less than `band`
  template <Kind kind>
  __device__ float distance(float4 ray, float D, float& margin) const {
    const float Vc = c.w, K = p.w, RVp = k.x, Vp = k.y, E = k.z, low = k.w;
    const float high = f.x, foot = f.y, foot_scale = f.z, foot_offset = f.w, r = last.y;

    const float vm = fmaf(m.x, ray.x, fmaf(m.y, ray.y, fmaf(m.z, ray.z, m.w)));
    const float qc = dot3(c.x, c.y, c.z, ray);
    const float q = dot3(p.x, p.y, p.z, ray);
    const float vm2 = vm * vm;
    const float vc = fmaf(qc, foot_scale, Vc);
    const float A = fmaf(-vc, vc, 1.0f);
    const float disc = A - vm2;
    const float t_cylinder = fmaf(-disc, reciprocal_sqrt(disc), q + RVp) * reciprocal(A);

    const float o = clamp(fmaf(t_cylinder, vc, -foot), low, high);
    const float oc = fmaf(o, foot_scale, foot_offset);
    const float across = fmaf(q, oc, fmaf(Vp, o, E)) - qc;
    const float h = fmaf(-across, across, fmaf(-vm2, fmaf(oc, oc, 1.0f), 1.0f));
    const float middle = fmaf(qc, oc, fmaf(Vc, o, K)) + q;
    float d = fmaf(r, fmaf(-h, reciprocal_sqrt(h), middle), -ray.w);
    margin = fminf(fabsf(disc), fabsf(h));
    if constexpr (kind == Kind::background) margin = fabsf(d) < D * 2e-6f ? -1.0f : margin;
    return d;
  }
};

template <Kind kind>
__device__ float better(float best, float d) {
  return fminf(best, kind == Kind::nearest ? fabsf(d) : d);  // ignores NaN
}

// Keeps the better of two where the margin suffices, and marks the subtile where it does not. By predicates: otherwise
// the compiler holds a register for each subtile's answer.
template <Kind kind, unsigned subtile>
__device__ void keep_better(float& best, float d, float margin, float band, unsigned& undecided) {
  if constexpr (kind == Kind::nearest) d = fabsf(d);
  asm("{\n\t"
      ".reg .pred decided;\n\t"
      "setp.ge.f32 decided, %3, %4;\n\t"
      "@decided min.f32 %0, %0, %2;\n\t"  // passes over what is not a number
      "@!decided or.b32 %1, %1, %5;\n\t"
      "}"
      : "+f"(best), "+r"(undecided)
      : "f"(d), "f"(margin), "f"(band), "n"(subtile));
}

// The cost of a ray, as a distance, given its nearest distance or the signed one to the first hit.
template <Kind kind>
__device__ float cost(float best, float tau) {
  if constexpr (kind == Kind::background) return best < 0 ? tau : 0.0f;
  return kind == Kind::nearest ? best : fminf(fabsf(best), tau);
}

}  // namespace kinema::body
