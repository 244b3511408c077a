#include "io/opentrack.h"

#include <bit>
#include <cstdint>

namespace kinema::io {

std::array<std::byte, 48> opentrack_packet(const Vec3& position) {
  const double values[6] = {-100 * position.x, -100 * position.y, 100 * position.z, 0, 0, 0};
  std::array<std::byte, 48> bytes;
  for (std::size_t i = 0; i < 6; ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(values[i]);
    for (std::size_t b = 0; b < 8; ++b) bytes[8 * i + b] = static_cast<std::byte>(bits >> (8 * b));
  }
  return bytes;
}

}  // namespace kinema::io
