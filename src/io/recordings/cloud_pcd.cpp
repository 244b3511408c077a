// PCD, the format of the Point Cloud Library: a header of fields, then the points as text, as bytes, or as
// LZF-compressed bytes field by field.
#include "io/files/input_file.h"
#include "io/files/text.h"
#include "io/recordings/cloud.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace kinema::io {
namespace {

struct Field {
  std::string name;
  BinaryNumber number;
  std::size_t count = 1;   // numbers per point
  std::size_t offset = 0;  // bytes before it in a point
  std::size_t words = 0;   // words before it in a line of text
};

struct PcdHeader {
  std::vector<Field> fields;
  std::size_t points = 0;
  std::string data;        // ascii, binary or binary_compressed
  std::size_t stride = 0;  // bytes per point
  std::size_t words = 0;   // words a point
};

std::size_t whole(std::string_view word, std::size_t most, std::size_t line) {
  const auto value = exact_number_in<std::size_t>(word);
  if (!value || *value > most) {
    throw Error(fmt::format("line {} of its header: '{}' is not a whole number up to {}", line, printable(word), most));
  }
  return *value;
}

class PcdHeaderReader {
public:
  explicit PcdHeaderReader(TextReader& text) : text_(text) {}

  PcdHeader read() {
    while (header_.data.empty()) {
      auto line = text_.line();
      if (!line)
        throw Error(text_.line_number() == 0 ? "is not a PCD file" : "ends within its header: it has no DATA line");
      const std::string_view key = take_word(*line);
      if (key.empty() || key[0] == '#') continue;
      entry(key, *line);
    }
    finish();
    return header_;
  }

private:
  static constexpr std::size_t most_fields = 1000;
  static constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max();

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("line {} of its header: {}", text_.line_number(), what));
  }

  void entry(std::string_view key, std::string_view line) {
    if (key == "FIELDS" || key == "COLUMNS") {
      header_.fields.clear();
      for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
        if (header_.fields.size() == most_fields) fail("has too many fields");
        Field field;
        field.name = std::string(word);
        header_.fields.push_back(std::move(field));
      }
    } else if (key == "SIZE") {
      for (Field& field : header_.fields) field.number.size = whole(take_word(line), 8, text_.line_number());
    } else if (key == "TYPE") {
      for (Field& field : header_.fields) field.number.kind = type(take_word(line));
    } else if (key == "COUNT") {
      for (Field& field : header_.fields) field.count = whole(take_word(line), 1u << 20, text_.line_number());
    } else if (key == "WIDTH") {
      width_ = whole(take_word(line), most, text_.line_number());
    } else if (key == "HEIGHT") {
      height_ = whole(take_word(line), most, text_.line_number());
    } else if (key == "POINTS") {
      points_ = whole(take_word(line), most, text_.line_number());
    } else if (key == "DATA") {
      header_.data = std::string(take_word(line));
      if (header_.data != "ascii" && header_.data != "binary" && header_.data != "binary_compressed") {
        fail(fmt::format("the data are '{}', which is none of ascii, binary and binary_compressed",
                         printable(header_.data)));
      }
    } else if (key != "VERSION" && key != "VIEWPOINT") {
      fail(text_.line_number() == 1 ? "is not a PCD file" : fmt::format("'{}' does not belong here", printable(key)));
    }
  }

  char type(std::string_view word) const {
    if (word == "F") return 'f';
    if (word == "I") return 'i';
    if (word == "U") return 'u';
    fail(fmt::format("the type '{}' is none of F, I and U", printable(word)));
  }

  void finish() {
    if (header_.fields.empty()) throw Error("has no FIELDS in its header");
    if (!points_ && !width_) throw Error("has neither POINTS nor WIDTH in its header");
    // old files omit POINTS in favour of WIDTH x HEIGHT; if both are present they agree
    if (width_ && height_ && *height_ != 0 && *width_ > most / *height_)
      throw Error("claims more points than any memory holds");
    const std::size_t product = width_ ? *width_ * height_.value_or(1) : *points_;
    header_.points = points_.value_or(product);
    if (header_.points != product) {
      throw Error(fmt::format("claims {} POINTS, but WIDTH x HEIGHT are {}", header_.points, product));
    }
    for (Field& field : header_.fields) {
      const std::size_t size = field.number.size;
      const bool right =
          field.number.kind == 'f' ? size == 4 || size == 8 : size == 1 || size == 2 || size == 4 || size == 8;
      if (!right) throw Error(fmt::format("its field '{}' has numbers of {} bytes", printable(field.name), size));
      // PCD files have the byte order of the machine that wrote them, in practice little-endian
      field.number.swapped = std::endian::native != std::endian::little;
      field.offset = header_.stride;
      field.words = header_.words;
      header_.stride += size * field.count;
      header_.words += field.count;
    }
  }

  TextReader& text_;
  PcdHeader header_;
  std::optional<std::size_t> width_, height_, points_;
};

const Field& axis_of(const PcdHeader& header, const char* name) {
  for (const Field& field : header.fields) {
    if (field.name == name && field.count == 1) return field;
  }
  throw Error(fmt::format("has no field '{}'", name));
}

void check_room(const PcdHeader& header, std::size_t each, std::size_t left) {
  if (each != 0 && header.points > left / each) {
    throw Error(
        fmt::format("is cut short: {} points need at least {} bytes each and {} are left", header.points, each, left));
  }
}

Cloud read_text(const PcdHeader& header, const std::array<const Field*, 3>& axes, TextReader text) {
  check_room(header, 2 * header.words, text.rest().size() + 1);
  Cloud cloud;
  cloud.points.reserve(header.points * 3);
  for (std::size_t i = 0; i < header.points;) {
    auto line = text.line();
    if (!line) throw Error(fmt::format("is cut short: it claims {} points and ends after {}", header.points, i));
    if (line->find_first_not_of(" \t") == std::string_view::npos) continue;
    std::array<double, 3> point{};
    for (std::size_t word = 0; word < header.words; ++word) {
      const std::string_view text_word = take_word(*line);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (axes[axis]->words != word) continue;
        const auto value = number_in(text_word);
        if (!value) throw Error(fmt::format("line {}: '{}' is not a number", text.line_number(), printable(text_word)));
        point[axis] = *value;
      }
    }
    add_point(cloud, point[0], point[1], point[2]);
    ++i;
  }
  return cloud;
}

// start[axis] + i * step[axis] is the address of a number
Cloud read_numbers(const PcdHeader& header, const std::array<const Field*, 3>& axes, const char* data,
                   const std::array<std::size_t, 3>& start, const std::array<std::size_t, 3>& step) {
  Cloud cloud;
  cloud.points.reserve(header.points * 3);
  for (std::size_t i = 0; i < header.points; ++i) {
    std::array<double, 3> point{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      point[axis] = axes[axis]->number.read(data + start[axis] + i * step[axis]);
    add_point(cloud, point[0], point[1], point[2]);
  }
  return cloud;
}

// LZF: a control byte below 32 copies that many bytes plus one; any other has a length in its upper three bits (7: plus
// a further byte), and a backward distance in the rest and the byte that follows.
std::string decompress(std::string_view from, std::size_t size) {
  const Error damaged("is damaged: its compressed data do not unpack to what its header claims");
  std::string to;
  to.reserve(size);
  std::size_t at = 0;
  const auto byte = [&]() -> std::size_t {
    if (at >= from.size()) throw damaged;
    return static_cast<unsigned char>(from[at++]);
  };
  while (at < from.size()) {
    const std::size_t control = byte();
    if (control < 32) {
      if (from.size() - at < control + 1 || size - to.size() < control + 1) throw damaged;
      to.append(from.substr(at, control + 1));
      at += control + 1;
    } else {
      std::size_t length = control >> 5;
      if (length == 7) length += byte();
      length += 2;
      const std::size_t back = ((control & 31) << 8 | byte()) + 1;
      if (back > to.size() || size - to.size() < length) throw damaged;
      // source and destination may overlap
      for (std::size_t i = 0; i < length; ++i) to += to[to.size() - back];
    }
  }
  if (to.size() != size) throw damaged;
  return to;
}

Cloud read_compressed(const PcdHeader& header, const std::array<const Field*, 3>& axes, std::string_view bytes) {
  const BinaryNumber length{'u', 4, std::endian::native != std::endian::little};
  if (bytes.size() < 8) throw Error("is cut short: its compressed data are missing");
  const auto packed = static_cast<std::size_t>(length.read(bytes.data()));
  const auto unpacked = static_cast<std::size_t>(length.read(bytes.data() + 4));
  bytes.remove_prefix(8);
  if (packed > bytes.size()) {
    throw Error(
        fmt::format("is cut short: {} bytes of compressed data are claimed and {} are left", packed, bytes.size()));
  }
  // three bytes decompress to 264 at most
  if (unpacked / 88 > packed || header.points > unpacked / header.stride || header.points * header.stride != unpacked) {
    throw Error(fmt::format("is damaged: {} points of {} bytes do not come from {} bytes that unpack to {}",
                            header.points, header.stride, packed, unpacked));
  }
  const std::string data = decompress(bytes.substr(0, packed), unpacked);
  std::array<std::size_t, 3> start{}, step{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    start[axis] = axes[axis]->offset * header.points;
    step[axis] = axes[axis]->number.size;
  }
  return read_numbers(header, axes, data.data(), start, step);
}

}  // namespace

Cloud read_pcd(std::string_view bytes) {
  TextReader text(bytes);
  const PcdHeader header = PcdHeaderReader(text).read();
  const std::array<const Field*, 3> axes = {&axis_of(header, "x"), &axis_of(header, "y"), &axis_of(header, "z")};
  if (header.data == "ascii") return read_text(header, axes, text);
  if (header.data == "binary_compressed") return read_compressed(header, axes, text.rest());
  const std::string_view data = text.rest();
  check_room(header, header.stride, data.size());
  return read_numbers(header, axes, data.data(), {axes[0]->offset, axes[1]->offset, axes[2]->offset},
                      {header.stride, header.stride, header.stride});
}

}  // namespace kinema::io
