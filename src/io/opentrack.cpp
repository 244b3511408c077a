#include "io/opentrack.h"

#include <bit>
#include <cstdint>

namespace kinema::io {

std::vector<std::byte> opentrack_packet(const Vec3& position, std::optional<double> unix_time) {
  std::vector<double> values = {-100 * position.x, -100 * position.y, 100 * position.z, 0, 0, 0};
  if (unix_time) values.push_back(*unix_time);
  std::vector<std::byte> bytes;
  for (double value : values) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<std::byte>(bits >> shift));
  }
  return bytes;
}

}  // namespace kinema::io
