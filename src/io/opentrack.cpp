#include "io/opentrack.h"

#include <bit>
#include <cstdint>

namespace kinema::io {

std::vector<std::byte> opentrack_packet(const Vec3& position, const std::array<double, 3>& yaw_pitch_roll,
                                        std::optional<double> unix_time) {
  std::vector<double> values = {-100 * position.x, -100 * position.y, 100 * position.z};
  values.insert(values.end(), yaw_pitch_roll.begin(), yaw_pitch_roll.end());
  if (unix_time) values.push_back(*unix_time);
  std::vector<std::byte> bytes;
  for (double value : values) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<std::byte>(bits >> shift));
  }
  return bytes;
}

}  // namespace kinema::io
