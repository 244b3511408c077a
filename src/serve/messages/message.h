// Messages with arrays: a JSON object and numbers that a page can use without copying them, in both directions; see
// docs/protocol.md.
//
//   uint32, little-endian: bytes of the JSON that follows, a multiple of 4 such that it ends at a multiple of 8
//   JSON (UTF-8, padded with blanks): the header, and "arrays": [{"name", "type", "shape", "offset"}, ...]
//   the arrays, row-major and little-endian, each at its offset from the message's start, a multiple of 8
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::serve {

enum class ElementType { uint8, int16, uint16, float32 };
std::size_t bytes_of(ElementType type);

struct ArrayPart {
  std::string name;
  ElementType type = ElementType::uint8;
  std::vector<std::size_t> shape;
  std::span<const std::byte> bytes;  ///< shape's product times bytes_of(type)
};

template <class T>
ArrayPart array_part(std::string name, std::span<const T> values, std::vector<std::size_t> shape);

std::string encode(nlohmann::ordered_json header, std::span<const ArrayPart> arrays);

/// A message without arrays. Bytes that are not UTF-8 are replaced.
std::string text_of(const nlohmann::ordered_json& json);

/// A message that somebody sent. It views the bytes that it was decoded from.
struct Message {
  nlohmann::json header;
  std::vector<ArrayPart> arrays;

  /// Throws Error where there is none of this name, type and number of dimensions.
  const ArrayPart& array(std::string_view name, ElementType type, std::size_t dimensions) const;
};

/// Throws Error where anything does not fit: senders are not trusted.
Message decode(std::string_view bytes);

/// A member of a header that must be a whole number of 0 or above. Throws Error where it is not: a fraction or 1e300 has no
/// meaning as an integer.
std::uint64_t whole_number(const nlohmann::json& header, const char* name);

/// Metres as whole millimetres, clamped to 32.767 m in either direction; values that are not finite become 0.
std::vector<std::int16_t> millimetres(std::span<const float> metres);

template <class T>
constexpr ElementType element_type() {
  if constexpr (std::is_same_v<T, std::uint8_t>)
    return ElementType::uint8;
  else if constexpr (std::is_same_v<T, std::int16_t>)
    return ElementType::int16;
  else if constexpr (std::is_same_v<T, std::uint16_t>)
    return ElementType::uint16;
  else {
    static_assert(std::is_same_v<T, float>, "a type that pages know");
    return ElementType::float32;
  }
}

template <class T>
ArrayPart array_part(std::string name, std::span<const T> values, std::vector<std::size_t> shape) {
  return {std::move(name), element_type<T>(), std::move(shape), std::as_bytes(values)};
}

}  // namespace kinema::serve
