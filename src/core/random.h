// Counter-based random numbers: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2,
// 3", 2011). A number is a pure function of its purpose (seed, frame, particle, dimension), so it is the same on host
// and device, whatever the number of threads and the order of evaluation.
#pragma once

#include "core/host_device.h"

#include <cmath>
#include <cstdint>

namespace kinema {

struct Philox {
  std::uint32_t word[4];
};

/// Ten rounds of Philox 4x32 over a counter of four words, keyed by a seed.
KINEMA_HD inline Philox philox(std::uint64_t seed, std::uint32_t c0, std::uint32_t c1, std::uint32_t c2,
                               std::uint32_t c3) {
  auto k0 = static_cast<std::uint32_t>(seed);
  auto k1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * c0;
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57u} * c2;
    c0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
    c1 = static_cast<std::uint32_t>(p1);
    c2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c3 = static_cast<std::uint32_t>(p0);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {{c0, c1, c2, c3}};
}

/// Uniform in the open interval (0, 1), 52 bits: with one more, the greatest would round to 1.
KINEMA_HD inline double uniform_open(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (std::uint64_t{high} << 20) | (low >> 12);
  return (static_cast<double>(bits) + 0.5) * (1.0 / 4503599627370496.0);
}

/// Natural logarithm of a positive normal number from sums, products and one quotient, so that host and device agree to
/// the bit, which their libraries do not guarantee. Relative error below 1e-14.
KINEMA_HD inline double portable_log(double x) {
  // x = m 2^e with m in [sqrt(1/2), sqrt(2)); log m = 2 artanh((m - 1)/(m + 1))
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0.70710678118654752) {
    m *= 2;
    --exponent;
  }
  const double z = (m - 1) / (m + 1);
  const double z2 = z * z;
  double series = 0;
  for (int n = 21; n >= 1; n -= 2) series = series * z2 + 1.0 / n;
  return exponent * 0.69314718055994531 + 2 * z * series;
}

/// The quantile function of the standard normal distribution, p in (0, 1): Acklam's rational approximation, relative
/// error below 1.2e-9.
KINEMA_HD inline double normal_quantile(double p) {
  const double tail = p < 0.5 ? p : 1 - p;
  if (tail > 0.02425) {
    const double q = p - 0.5;
    const double r = q * q;
    const double top = (((((-3.969683028665376e+01 * r + 2.209460984245205e+02) * r - 2.759285104469687e+02) * r +
                          1.383577518672690e+02) *
                             r -
                         3.066479806614716e+01) *
                            r +
                        2.506628277459239e+00) *
                       q;
    const double bottom = ((((-5.447609879822406e+01 * r + 1.615858368580409e+02) * r - 1.556989798598866e+02) * r +
                            6.680131188771972e+01) *
                               r -
                           1.328068155288572e+01) *
                              r +
                          1;
    return top / bottom;
  }
  const double q = std::sqrt(-2 * portable_log(tail));
  const double top = ((((-7.784894002430293e-03 * q - 3.223964580411365e-01) * q - 2.400758277161838e+00) * q -
                       2.549732539343734e+00) *
                          q +
                      4.374664141464968e+00) *
                         q +
                     2.938163982698783e+00;
  const double bottom =
      (((7.784695709041462e-03 * q + 3.224671290700398e-01) * q + 2.445134137142996e+00) * q + 3.754408661907416e+00) *
          q +
      1;
  const double lower = top / bottom;
  return p < 0.5 ? lower : -lower;
}

/// Random numbers of one particle in one frame: dimension d always gives the same number.
struct Random {
  std::uint64_t seed = 0;
  std::uint32_t frame = 0;
  std::uint32_t particle = 0;

  KINEMA_HD double uniform(std::uint32_t dimension) const {
    const Philox p = philox(seed, dimension, particle, frame, 0);
    return uniform_open(p.word[0], p.word[1]);
  }
  KINEMA_HD double normal(std::uint32_t dimension) const { return normal_quantile(uniform(dimension)); }
};

}  // namespace kinema
