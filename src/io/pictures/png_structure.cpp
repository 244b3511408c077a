#include "io/pictures/image_file.h"

#include "io/files/checksum.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <cstdint>
#include <span>

namespace kinema::io {
namespace {

constexpr std::string_view signature("\x89PNG\r\n\x1a\n", 8);

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (char c : bytes.substr(0, 4)) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

}  // namespace

bool is_png(std::string_view bytes) { return bytes.substr(0, 8) == signature; }

void check_png(std::string_view bytes) {
  if (!is_png(bytes)) throw Error("is not a PNG file");
  const Error cut("is cut short: copy or save it again");
  std::uint64_t width = 0, height = 0, bits = 0, compressed = 0;
  std::string_view rest = bytes.substr(8);
  for (bool end = false, first = true; !end; first = false) {
    if (rest.size() < 12) throw cut;
    const std::size_t length = big_endian(rest);
    if (length > rest.size() - 12) throw cut;
    const std::string_view type = rest.substr(4, 4), data = rest.substr(8, length);
    // over the type and the data of a chunk
    if (crc32(std::as_bytes(std::span(rest.substr(4, 4 + length)))) != big_endian(rest.substr(8 + length))) {
      throw Error(
          fmt::format("is damaged: a checksum fails at byte {}; copy or save it again", bytes.size() - rest.size()));
    }
    if (first) {
      if (type != "IHDR" || length != 13) throw Error("is not a PNG file: it has no header");
      width = big_endian(data);
      height = big_endian(data.substr(4));
      constexpr std::array<int, 7> channels = {1, 0, 3, 1, 2, 0, 4};  // by colour type
      const auto colour = static_cast<unsigned char>(data[9]);
      bits = static_cast<unsigned char>(data[8]) * (colour < channels.size() ? channels[colour] : 0);
      if (width == 0 || height == 0 || bits == 0) throw Error("is not a PNG file: its header says nothing");
    }
    if (type == "IDAT") compressed += length;
    end = type == "IEND";
    rest.remove_prefix(12 + length);
  }
  // deflate expands one byte to at most 1032
  if ((width * bits + 7) / 8 > (compressed * 1032 + 1032) / height + 1) {
    throw Error(
        fmt::format("is damaged: its {} bytes cannot hold the {} x {} pixels it claims", bytes.size(), width, height));
  }
}

}  // namespace kinema::io
