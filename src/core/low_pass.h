// A low pass of first order over samples at uneven times.
#pragma once

#include <numbers>

namespace kinema {

/// The weight of a new value, `seconds` after the last: 1 / (1 + tau / Te), tau = 1 / (2 pi fc).
inline double low_pass_share(double cutoff, double seconds) {
  const double tau = 1 / (2 * std::numbers::pi * cutoff);
  return 1 / (1 + tau / seconds);
}

}  // namespace kinema
