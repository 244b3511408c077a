// The structure of PNG files. The checksums of chunks are put right first, as those of kface.
#include "fuzz.h"
#include "io/files/checksum.h"
#include "io/pictures/image_file.h"

#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinema;
  const std::string_view bytes = fuzz::text_of(data, size);
  fuzz::expect_result_or_error([&] { io::check_png(bytes); });
  std::string sealed(bytes);
  const auto big_endian = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(sealed[at + i]);
    return value;
  };
  for (std::size_t at = 8; at + 12 <= size;) {
    const std::size_t chunk = big_endian(at);
    if (chunk > size - at - 12) break;
    const std::uint32_t checksum = io::crc32(std::as_bytes(std::span(sealed)).subspan(at + 4, chunk + 4));
    for (std::size_t i = 0; i < 4; ++i) sealed[at + 8 + chunk + i] = static_cast<char>(checksum >> (24 - 8 * i));
    at += chunk + 12;
  }
  fuzz::expect_result_or_error([&] { io::check_png(sealed); });
  return 0;
}
