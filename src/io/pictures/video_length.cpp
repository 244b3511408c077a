#include "io/pictures/video_capture.h"

#include "io/files/input_file.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

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

std::optional<std::uintmax_t> declared_asf_bytes(std::string_view beginning) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(beginning.data());
  const auto is = [&](std::uint64_t at, const Guid& guid) {
    return std::memcmp(bytes + at, guid.data(), guid.size()) == 0;
  };
  const auto holds = [&](std::uint64_t at, std::uint64_t count) {
    return at <= beginning.size() && count <= beginning.size() - at;
  };
  if (!holds(0, object_begin) || !is(0, header_object)) return std::nullopt;
  for (std::uint64_t at = header_begin; at < most_header && holds(at, object_begin);) {
    const std::uint64_t length = little_endian(bytes + at + 16, 8);
    if (is(at, file_properties_object)) {
      if (!holds(at, flags_at + 4) || (bytes[at + flags_at] & 1) != 0) return std::nullopt;  // a stream has no size
      const std::uint64_t size = little_endian(bytes + at + size_at, 8);
      return size > 0 ? std::optional<std::uintmax_t>(size) : std::nullopt;
    }
    if (length < object_begin || length > most_header) return std::nullopt;
    at += length;
  }
  return std::nullopt;
}

std::optional<std::uintmax_t> declared_video_bytes(const std::filesystem::path& path) {
  return declared_asf_bytes(read_beginning(path, most_header + flags_at + 4));
}

void check_video_is_whole(const std::filesystem::path& path, std::optional<std::size_t> said, std::size_t read) {
  // containers compute the number of frames from their duration, which may be off by a few
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
