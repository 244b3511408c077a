// Sums over the contacts of a pose with measured points, for each rigid body of the skeleton.
#pragma once

#include <cstddef>
#include <span>

namespace kinema::body {

/// Of one body: w f f^T by rows, then the gradient times f.
struct alignas(64) TwistSums {
  static constexpr std::size_t size = 6, padded = 8;
  double rows[size + 1][padded] = {};
};

/// A contact whose distance changes by -f . twist.
struct TwistContact {
  float f[TwistSums::padded];
  int body;
  double weight;    ///< of the square of the distance
  double gradient;  ///< minus the weight times the distance
};

/// Adds contacts to the sums of their bodies, in their order; rounded alike at every SIMD level.
void add_contacts(std::span<const TwistContact> contacts, std::span<TwistSums> bodies);

}  // namespace kinema::body
