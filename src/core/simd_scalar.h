// The few names of Highway that the cpu backend uses, for vectors of one lane: the fallback where it is not built in.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#define HWY_NAMESPACE N_ONE_LANE
#define HWY_BEFORE_NAMESPACE() static_assert(true, "")
#define HWY_AFTER_NAMESPACE() static_assert(true, "")
#define HWY_ONCE 1
#define HWY_ATTR
#define HWY_INLINE inline
#define HWY_NOINLINE
#define HWY_EXPORT(function) static_assert(true, "")
#define HWY_DYNAMIC_DISPATCH(function) N_ONE_LANE::function

namespace hwy::N_ONE_LANE {

template <class T, std::size_t>
struct CappedTag {
  using Lane = T;
};
template <class T, class D>
using Rebind = CappedTag<T, 1>;
using Tag = CappedTag<float, 1>;

template <class D>
using RebindToSigned = CappedTag<std::int32_t, 1>;  // of float

template <class D>
using Vec = typename D::Lane;
template <class D>
using Mask = bool;

template <class D>
constexpr std::size_t Lanes(D) {
  return 1;
}
template <class D>
constexpr std::size_t MaxLanes(D) {
  return 1;
}
template <class D>
Vec<D> Set(D, Vec<D> x) {
  return x;
}
template <class D>
Vec<D> Zero(D) {
  return 0;
}
template <class D>
Vec<D> Load(D, const Vec<D>* p) {
  return *p;
}
template <class D>
Vec<D> LoadU(D, const Vec<D>* p) {
  return *p;
}
template <class D>
Vec<D> LoadDup128(D, const Vec<D>* p) {
  return *p;
}
template <class D>
void Store(Vec<D> x, D, Vec<D>* p) {
  *p = x;
}
template <class D>
void StoreU(Vec<D> x, D, Vec<D>* p) {
  *p = x;
}
template <class D>
void StoreInterleaved4(float a, float b, float c, float d, D, float* p) {
  p[0] = a, p[1] = b, p[2] = c, p[3] = d;
}
template <class D>
bool AllFalse(D, bool m) {
  return !m;
}
template <class D>
std::size_t StoreMaskBits(D, bool m, std::uint8_t* bits) {
  *bits = m ? 1 : 0;
  return 1;
}
template <class D>
std::size_t CountTrue(D, bool m) {
  return m ? 1 : 0;
}
template <class D>
std::intptr_t FindFirstTrue(D, bool m) {
  return m ? 0 : -1;
}
template <class D>
Vec<D> SumOfLanes(D, Vec<D> x) {
  return x;
}
template <class D>
Vec<D> MinOfLanes(D, Vec<D> x) {
  return x;
}
template <class T>
T GetLane(T x) {
  return x;
}

inline float Neg(float a) { return -a; }
template <class T>
T Add(T a, T b) {
  return static_cast<T>(a + b);
}
template <class T>
T Sub(T a, T b) {
  return static_cast<T>(a - b);
}
template <class T>
T Mul(T a, T b) {
  return a * b;
}
inline float Div(float a, float b) { return a / b; }
inline float MulAdd(float a, float b, float c) { return a * b + c; }
inline float MulSub(float a, float b, float c) { return a * b - c; }
inline float NegMulAdd(float a, float b, float c) { return c - a * b; }
// b where a is NaN, as CPUs do
template <class T>
T Min(T a, T b) {
  return a < b ? a : b;
}
template <class T>
T Max(T a, T b) {
  return a > b ? a : b;
}
inline float Abs(float a) { return std::fabs(a); }
inline float Sqrt(float a) { return std::sqrt(a); }
template <class T>
bool Lt(T a, T b) {
  return a < b;
}
template <class T>
bool Eq(T a, T b) {
  return a == b;
}
inline bool Le(float a, float b) { return a <= b; }
inline bool And(bool a, bool b) { return a && b; }
inline bool Gt(float a, float b) { return a > b; }
inline bool Ge(float a, float b) { return a >= b; }
template <class T>
T And(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
T Or(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
T Xor(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <int bits, class T>
T ShiftLeft(T a) {
  return static_cast<T>(a << bits);
}
template <int bits, class T>
T ShiftRight(T a) {
  return static_cast<T>(a >> bits);
}
template <class D, class T>
Vec<D> PromoteTo(D, T x) {
  return static_cast<Vec<D>>(x);
}
template <class D>
Vec<D> Iota(D, Vec<D> first) {
  return first;
}
template <class D, class T>
Vec<D> ConvertTo(D, T x) {
  return static_cast<Vec<D>>(x);
}
template <class D>
Vec<D> GatherIndex(D, const Vec<D>* p, std::int32_t i) {
  return p[i];
}
inline bool Not(bool a) { return !a; }
template <class T>
T IfThenElse(bool m, T a, T b) {
  return m ? a : b;
}
inline float IfThenElseZero(bool m, float a) { return m ? a : 0; }
inline float IfThenZeroElse(bool m, float a) { return m ? 0 : a; }

}  // namespace hwy::N_ONE_LANE
