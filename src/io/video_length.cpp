#include "io/video_length.h"

#include "io/input_file.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>

namespace kinema::io {
namespace {

using Guid = std::array<unsigned char, 16>;
constexpr Guid header_object = {0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11,
                                0xa6, 0xd9, 0x00, 0xaa, 0x00, 0x62, 0xce, 0x6c};
constexpr Guid file_properties_object = {0xa1, 0xdc, 0xab, 0x8c, 0x47, 0xa9, 0xcf, 0x11,
                                         0x8e, 0xe4, 0x00, 0xc0, 0x0c, 0x20, 0x53, 0x65};
constexpr std::uint64_t header_begin = 30;            // objects follow its name, length, count and two bytes
constexpr std::uint64_t object_begin = 24;            // name and length
constexpr std::uint64_t most_header = 1 << 20;        // bytes that are searched
constexpr std::uint64_t flags_at = 24 + 16 + 8 + 40;  // of an object of file properties
constexpr std::uint64_t size_at = 24 + 16;            // after the file's own name

std::uint64_t little_endian(const unsigned char* bytes, int count) {
  std::uint64_t value = 0;
  for (int i = count; i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

}  // namespace

std::optional<std::uintmax_t> declared_video_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const auto read = [&](std::uint64_t at, auto& bytes) {
    file.seekg(static_cast<std::streamoff>(at));
    return static_cast<bool>(
        file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())));
  };
  std::array<unsigned char, object_begin> object;
  const auto is = [&](const Guid& guid) { return std::memcmp(object.data(), guid.data(), guid.size()) == 0; };
  if (!read(0, object) || !is(header_object)) return std::nullopt;
  for (std::uint64_t at = header_begin; at < most_header && read(at, object);) {
    const std::uint64_t length = little_endian(object.data() + 16, 8);
    if (is(file_properties_object)) {
      std::array<unsigned char, flags_at + 4> properties;
      if (!read(at, properties) || (properties[flags_at] & 1) != 0) return std::nullopt;  // a stream knows no size
      const std::uint64_t size = little_endian(properties.data() + size_at, 8);
      return size > 0 ? std::optional<std::uintmax_t>(size) : std::nullopt;
    }
    if (length < object_begin || length > most_header) return std::nullopt;
    at += length;
  }
  return std::nullopt;
}

void check_video_is_whole(const std::filesystem::path& path, std::optional<std::size_t> said, std::size_t read) {
  // containers count their frames by their length, which may be off by some
  const auto expected = static_cast<double>(said.value_or(0));
  if (expected - static_cast<double>(read) > std::max(3.0, 0.05 * expected)) {
    throw about(path,
                Error(fmt::format("breaks off after {} of {} frames: the file is damaged or cut short", read, *said)));
  }
  std::error_code unknown;
  const std::uintmax_t bytes = std::filesystem::file_size(path, unknown);
  const std::uintmax_t all = declared_video_bytes(path).value_or(0);
  if (!unknown && bytes < all) {
    throw about(path, Error(fmt::format("breaks off after {} frames, where {} of its {} bytes end: the file is cut "
                                        "short",
                                        read, bytes, all)));
  }
}

}  // namespace kinema::io
