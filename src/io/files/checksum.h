// CRC-32 as in zlib, PNG and Ethernet: detects damage, not tampering.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace kinema::io {

/// The checksum of bytes that follow others with checksum `before`.
inline std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0) {
  // entry [k][b]: the effect of byte b on the checksum k bytes later, so that eight bytes are processed at once
  static const auto tables = [] {
    std::array<std::array<std::uint32_t, 256>, 8> made{};
    for (std::uint32_t b = 0; b < 256; ++b) {
      std::uint32_t value = b;
      for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1u) != 0 ? 0xEDB88320u : 0u);
      made[0][b] = value;
    }
    for (std::size_t k = 1; k < 8; ++k) {
      for (std::uint32_t b = 0; b < 256; ++b) made[k][b] = (made[k - 1][b] >> 8) ^ made[0][made[k - 1][b] & 255u];
    }
    return made;
  }();
  const auto at = [&](std::size_t i) { return static_cast<std::uint32_t>(bytes[i]); };
  std::uint32_t crc = ~before;
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    const std::uint32_t low = crc ^ (at(i) | at(i + 1) << 8 | at(i + 2) << 16 | at(i + 3) << 24);
    crc = tables[7][low & 255u] ^ tables[6][low >> 8 & 255u] ^ tables[5][low >> 16 & 255u] ^ tables[4][low >> 24] ^
          tables[3][at(i + 4)] ^ tables[2][at(i + 5)] ^ tables[1][at(i + 6)] ^ tables[0][at(i + 7)];
  }
  for (; i < bytes.size(); ++i) crc = (crc >> 8) ^ tables[0][(crc ^ at(i)) & 255u];
  return ~crc;
}

}  // namespace kinema::io
