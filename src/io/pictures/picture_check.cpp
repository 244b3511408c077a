#include "io/files/checksum.h"
#include "io/pictures/image_file.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <system_error>

namespace kinema::io {
namespace {

constexpr std::string_view signature("\x89PNG\r\n\x1a\n", 8);

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (char c : bytes.substr(0, 4)) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

struct StatedSize {
  std::uint64_t width = 0, height = 0;
};

// Numbers of a header; what lies beyond its end is 0, which is no size.
class Header {
public:
  Header(std::string_view bytes, bool big_endian) : bytes_(bytes), big_endian_(big_endian) {}

  std::uint64_t size() const { return bytes_.size(); }

  std::uint32_t number(std::uint64_t at, unsigned count) const {
    if (at > bytes_.size() || count > bytes_.size() - at) return 0;
    std::uint32_t value = 0;
    for (unsigned i = 0; i < count; ++i) {
      value = value << 8 | static_cast<unsigned char>(bytes_[at + (big_endian_ ? i : count - 1 - i)]);
    }
    return value;
  }

private:
  std::string_view bytes_;
  bool big_endian_;
};

// The first segment of a frame (SOF) has it.
StatedSize size_of_jpeg(const Header& header) {
  for (std::uint64_t at = 2; at < header.size();) {
    // a marker is 0xff, any number of times, and another byte
    if (header.number(at++, 1) != 0xff) continue;
    while (header.number(at, 1) == 0xff) ++at;
    const std::uint32_t marker = header.number(at++, 1);
    const bool alone = marker <= 1 || (marker >= 0xd0 && marker <= 0xd8);
    if (alone) continue;
    if (marker == 0xd9 || marker == 0xda) break;  // the end, or pixels
    const bool frame = marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    if (frame) return {header.number(at + 5, 2), header.number(at + 3, 2)};
    at += std::max(2U, header.number(at, 2));
  }
  return {};
}

// The first directory has it. Tiles count, since one is decoded whole; of a tag that comes twice, the larger value.
StatedSize size_of_tiff(const Header& header) {
  const std::uint64_t directory = header.number(4, 4);
  StatedSize size;
  for (std::uint64_t i = 0; i < header.number(directory, 2); ++i) {
    const std::uint64_t entry = directory + 2 + 12 * i;
    const std::uint32_t tag = header.number(entry, 2), type = header.number(entry + 2, 2);
    const bool across = tag == 256 || tag == 322, down = tag == 257 || tag == 323;
    if (!across && !down) continue;
    if (type != 3 && type != 4) return {};  // 16 or 32 bits
    std::uint64_t& side = across ? size.width : size.height;
    side = std::max<std::uint64_t>(side, header.number(entry + 8, type == 3 ? 2 : 4));
  }
  return size;
}

StatedSize size_of_bmp(const Header& header) {
  if (header.number(14, 4) == 12) return {header.number(18, 2), header.number(20, 2)};
  const auto side = [&](std::uint64_t at) {
    return static_cast<std::uint64_t>(
        std::abs(static_cast<std::int64_t>(static_cast<std::int32_t>(header.number(at, 4)))));
  };
  return {side(18), side(22)};  // rows from the top have a negative height
}

constexpr std::string_view blanks = " \t\n\v\f\r";

bool blank(std::string_view bytes, std::size_t at) {
  return at < bytes.size() && blanks.find(bytes[at]) != std::string_view::npos;
}

// Two numbers in words, each after blanks and comments and before another blank.
StatedSize size_of_pnm(std::string_view bytes) {
  std::size_t at = 2;
  const auto next = [&] {
    while (blank(bytes, at) || (at < bytes.size() && bytes[at] == '#')) {
      at = bytes[at] == '#' ? std::min(bytes.find_first_of("\r\n", at), bytes.size()) : at + 1;
    }
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(bytes.data() + at, bytes.data() + bytes.size(), value);
    at = static_cast<std::size_t>(end - bytes.data());
    return error == std::errc{} && blank(bytes, at) ? value : 0;
  };
  const std::uint32_t width = next();
  return {width, next()};
}

StatedSize stated_size(std::string_view bytes) {
  const auto begins = [&](std::string_view with) { return bytes.starts_with(with); };
  if (is_png(bytes)) {
    check_png(bytes);
    const Header header(bytes, true);
    return {header.number(16, 4), header.number(20, 4)};
  }
  if (begins("\xff\xd8\xff")) return size_of_jpeg({bytes, true});
  if (begins(std::string_view("II*\0", 4))) return size_of_tiff({bytes, false});
  if (begins(std::string_view("MM\0*", 4))) return size_of_tiff({bytes, true});
  if (begins("BM")) return size_of_bmp({bytes, false});
  if (begins("P") && blank(bytes, 2) && bytes[1] >= '1' && bytes[1] <= '6') return size_of_pnm(bytes);
  throw Error("is not a picture that kinema reads (PNG, JPEG, TIFF, BMP, PGM, PPM)");
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

void check_pixels(std::uint64_t width, std::uint64_t height, std::uint64_t most, const std::string& where) {
  if (height == 0 || width <= most / height) return;
  throw Error(fmt::format("{}has {} x {} pixels, where at most {} million are read: scale it down", where, width,
                          height, most / 1'000'000));
}

void check_picture(std::string_view bytes) {
  const auto [width, height] = stated_size(bytes);
  if (width == 0 || height == 0) throw Error("is damaged: its header states no size");
  check_pixels(width, height, most_picture_pixels);
}

}  // namespace kinema::io
