// PLY, the Stanford triangle format: a header of elements and their properties, then the elements as text or bytes.
#include "io/files/input_file.h"
#include "io/files/text.h"
#include "io/recordings/cloud.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

namespace kinema::io {
namespace {

struct Property {
  std::string name;
  BinaryNumber number;                 // of a list: its elements
  std::optional<BinaryNumber> length;  // of a list: how its length is written
};

struct Element {
  std::string name;
  std::size_t count = 0;
  std::vector<Property> properties;
};

struct PlyHeader {
  bool binary = false;
  std::vector<Element> elements;
};

class PlyHeaderReader {
public:
  explicit PlyHeaderReader(TextReader& text) : text_(text) {}

  PlyHeader read() {
    const auto magic = text_.line();
    if (!magic || *magic != "ply") throw Error("is not a PLY file: it does not start with 'ply'");
    bool has_format = false;
    for (;;) {
      auto line = text_.line();
      if (!line) throw Error("ends within its header: it has no 'end_header'");
      const std::string_view key = take_word(*line);
      if (key == "end_header") break;
      if (key == "comment" || key == "obj_info" || key.empty()) continue;
      if (key == "format" && !has_format) {
        format(*line);
        has_format = true;
      } else if (key == "element" && has_format) {
        element(*line);
      } else if (key == "property" && !header_.elements.empty()) {
        property(*line);
      } else {
        fail(fmt::format("'{}' does not belong here", printable(key)));
      }
    }
    if (!has_format) throw Error("has no 'format' in its header");
    return header_;
  }

private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("line {} of its header: {}", text_.line_number(), what));
  }

  void format(std::string_view line) {
    const std::string_view name = take_word(line);
    if (name == "binary_little_endian" || name == "binary_big_endian") {
      header_.binary = true;
      swapped_ = (name == "binary_little_endian") != (std::endian::native == std::endian::little);
    } else if (name != "ascii") {
      fail(
          fmt::format("the format '{}' is none of ascii, binary_little_endian and binary_big_endian", printable(name)));
    }
  }

  void element(std::string_view line) {
    Element element;
    element.name = std::string(take_word(line));
    const std::string_view count = take_word(line);
    const auto number = exact_number_in<std::size_t>(count);
    if (!number) fail(fmt::format("'{}' is not a count of elements", printable(count)));
    element.count = *number;
    header_.elements.push_back(std::move(element));
  }

  void property(std::string_view line) {
    Property property;
    std::string_view type = take_word(line);
    if (type == "list") {
      property.length = number(take_word(line));
      if (property.length->kind == 'f') fail("a list whose length is not a whole number");
      type = take_word(line);
    }
    property.number = number(type);
    property.name = std::string(take_word(line));
    header_.elements.back().properties.push_back(std::move(property));
  }

  BinaryNumber number(std::string_view type) const {
    struct Type {
      std::string_view name, other;
      char kind;
      std::size_t size;
    };
    constexpr std::array<Type, 8> types = {{{"char", "int8", 'i', 1},
                                            {"uchar", "uint8", 'u', 1},
                                            {"short", "int16", 'i', 2},
                                            {"ushort", "uint16", 'u', 2},
                                            {"int", "int32", 'i', 4},
                                            {"uint", "uint32", 'u', 4},
                                            {"float", "float32", 'f', 4},
                                            {"double", "float64", 'f', 8}}};
    for (const Type& known : types) {
      if (type == known.name || type == known.other) return {known.kind, known.size, swapped_};
    }
    fail(fmt::format("the type '{}' is not known", printable(type)));
  }

  TextReader& text_;
  PlyHeader header_;
  bool swapped_ = false;
};

[[noreturn]] void cut_short(const Element& element, std::size_t at) {
  throw Error(fmt::format("is cut short: it claims {} of '{}' and ends in number {}", element.count,
                          printable(element.name), at));
}

// Reads the values of successive elements from a binary file.
class BinaryBody {
public:
  explicit BinaryBody(std::string_view bytes) : bytes_(bytes) {}

  std::size_t least(const Property& property) const {
    return property.length ? property.length->size : property.number.size;
  }

  // values: one per property; none for a list
  bool element(const Element& element, std::vector<double>& values) {
    for (std::size_t p = 0; p < element.properties.size(); ++p) {
      const Property& property = element.properties[p];
      const std::size_t size = least(property);
      if (bytes_.size() < size) return false;
      if (property.length) {
        const double length = property.length->read(bytes_.data());
        bytes_.remove_prefix(size);
        // (a negative length is refused too)
        if (!(length >= 0) || length * static_cast<double>(property.number.size) > static_cast<double>(bytes_.size())) {
          return false;
        }
        bytes_.remove_prefix(static_cast<std::size_t>(length) * property.number.size);
      } else {
        values[p] = property.number.read(bytes_.data());
        bytes_.remove_prefix(size);
      }
    }
    return true;
  }

  std::size_t left() const { return bytes_.size(); }

private:
  std::string_view bytes_;
};

// The same for text, with one element per line.
class TextBody {
public:
  explicit TextBody(TextReader text) : text_(text) {}

  // a digit and a separator
  std::size_t least(const Property&) const { return 2; }

  bool element(const Element& element, std::vector<double>& values) {
    std::optional<std::string_view> line;
    do {
      line = text_.line();
    } while (line && line->find_first_not_of(" \t") == std::string_view::npos);
    if (!line) return false;
    for (std::size_t p = 0; p < element.properties.size(); ++p) {
      if (element.properties[p].length) {
        const double length = word(*line);
        for (double i = 0; i < length; ++i) word(*line);
      } else {
        values[p] = word(*line);
      }
    }
    return true;
  }

  std::size_t left() const { return text_.rest().size() + 1; }

private:
  double word(std::string_view& line) const {
    const std::string_view word = take_word(line);
    const auto value = number_in(word);
    if (!value) throw Error(fmt::format("line {}: '{}' is not a number", text_.line_number(), printable(word)));
    return *value;
  }

  TextReader text_;
};

template <class Body>
Cloud read_vertices(const PlyHeader& header, Body body) {
  for (const Element& element : header.elements) {
    if (element.count == 0 || element.properties.empty()) continue;
    std::size_t least = 0;
    for (const Property& property : element.properties) least += body.least(property);
    if (element.count > body.left() / least) {
      throw Error(fmt::format("is cut short: {} of '{}' need at least {} bytes each and {} are left", element.count,
                              printable(element.name), least, body.left()));
    }
    std::vector<double> values(element.properties.size());
    if (element.name != "vertex") {
      for (std::size_t i = 0; i < element.count; ++i) {
        if (!body.element(element, values)) cut_short(element, i);
      }
      continue;
    }

    std::array<std::size_t, 3> place{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::string name(1, "xyz"[axis]);
      std::size_t p = 0;
      while (p < element.properties.size() && (element.properties[p].name != name || element.properties[p].length)) ++p;
      if (p == element.properties.size()) throw Error(fmt::format("its vertices have no property '{}'", name));
      place[axis] = p;
    }
    Cloud cloud;
    cloud.points.reserve(element.count * 3);
    for (std::size_t i = 0; i < element.count; ++i) {
      if (!body.element(element, values)) cut_short(element, i);
      add_point(cloud, values[place[0]], values[place[1]], values[place[2]]);
    }
    return cloud;
  }
  return {};
}

}  // namespace

Cloud read_ply(std::string_view bytes) {
  TextReader text(bytes);
  const PlyHeader header = PlyHeaderReader(text).read();
  bool vertices = false;
  for (const Element& element : header.elements) vertices = vertices || element.name == "vertex";
  if (!vertices) throw Error("has no 'element vertex' in its header");
  return header.binary ? read_vertices(header, BinaryBody(text.rest())) : read_vertices(header, TextBody(text));
}

}  // namespace kinema::io
