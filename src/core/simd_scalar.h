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
struct CappedTag {};
using Tag = CappedTag<float, 1>;

template <class D>
using Vec = float;
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
float Set(D, float x) {
  return x;
}
template <class D>
float Zero(D) {
  return 0;
}
template <class D>
float Load(D, const float* p) {
  return *p;
}
template <class D>
float LoadU(D, const float* p) {
  return *p;
}
template <class D>
float LoadDup128(D, const float* p) {
  return *p;
}
template <class D>
void Store(float x, D, float* p) {
  *p = x;
}
template <class D>
void StoreU(float x, D, float* p) {
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
float SumOfLanes(D, float x) {
  return x;
}
template <class D>
float MinOfLanes(D, float x) {
  return x;
}
inline float GetLane(float x) { return x; }

inline float Neg(float a) { return -a; }
inline float Add(float a, float b) { return a + b; }
inline float Sub(float a, float b) { return a - b; }
inline float Mul(float a, float b) { return a * b; }
inline float Div(float a, float b) { return a / b; }
inline float MulAdd(float a, float b, float c) { return a * b + c; }
inline float MulSub(float a, float b, float c) { return a * b - c; }
inline float NegMulAdd(float a, float b, float c) { return c - a * b; }
// b where a is NaN, as CPUs do
inline float Min(float a, float b) { return a < b ? a : b; }
inline float Max(float a, float b) { return a > b ? a : b; }
inline float Abs(float a) { return std::fabs(a); }
inline float Sqrt(float a) { return std::sqrt(a); }
inline bool Lt(float a, float b) { return a < b; }
inline bool Le(float a, float b) { return a <= b; }
inline bool Gt(float a, float b) { return a > b; }
inline bool Ge(float a, float b) { return a >= b; }
inline bool And(bool a, bool b) { return a && b; }
inline bool Or(bool a, bool b) { return a || b; }
inline bool Not(bool a) { return !a; }
inline float IfThenElse(bool m, float a, float b) { return m ? a : b; }
inline float IfThenElseZero(bool m, float a) { return m ? a : 0; }
inline float IfThenZeroElse(bool m, float a) { return m ? 0 : a; }

}  // namespace hwy::N_ONE_LANE
