#include "serve/messages/message.h"

#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

namespace kinema::serve {
namespace {

static_assert(std::endian::native == std::endian::little, "messages are sent as they lie in memory");

constexpr std::size_t alignment = 8;
constexpr std::size_t largest_header = std::size_t{1} << 16, most_arrays = 32, most_dimensions = 4;

struct TypeName {
  ElementType type;
  const char* name;
  std::size_t bytes;
};
constexpr std::array<TypeName, 4> types = {{{ElementType::uint8, "uint8", 1},
                                            {ElementType::int16, "int16", 2},
                                            {ElementType::uint16, "uint16", 2},
                                            {ElementType::float32, "float32", 4}}};

const TypeName& entry(ElementType type) {
  return *std::find_if(types.begin(), types.end(), [type](const TypeName& one) { return one.type == type; });
}

std::size_t rounded_up(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

[[noreturn]] void refuse(const std::string& why) { throw Error("a message that cannot be read: " + why); }

// A whole number of a page; those of JavaScript are doubles.
std::optional<std::size_t> whole_number(const nlohmann::json& json) {
  if (!json.is_number_integer() || (!json.is_number_unsigned() && json.get<std::int64_t>() < 0)) return std::nullopt;
  return json.get<std::size_t>();
}

ArrayPart read_part(const nlohmann::json& json, std::string_view message) {
  if (!json.is_object() || !json.contains("name") || !json["name"].is_string()) refuse("an array has no name");
  ArrayPart part;
  part.name = json["name"].get<std::string>();
  const auto type = std::find_if(types.begin(), types.end(), [&](const TypeName& one) {
    return json.contains("type") && json["type"] == one.name;
  });
  if (type == types.end()) refuse("an array has a type that is not known");
  part.type = type->type;
  const auto shape = json.find("shape");
  if (shape == json.end() || !shape->is_array() || shape->size() > most_dimensions) refuse("an array has no shape");
  std::size_t bytes = type->bytes;
  for (const nlohmann::json& extent : *shape) {
    const auto length = whole_number(extent);
    // no product can pass the message's size, and so none can overflow
    if (!length || (*length > 0 && bytes > message.size() / *length)) refuse("an array is larger than the message");
    part.shape.push_back(*length);
    bytes *= *length;
  }
  const auto offset = json.contains("offset") ? whole_number(json["offset"]) : std::nullopt;
  if (!offset || *offset % alignment != 0 || *offset > message.size() || bytes > message.size() - *offset) {
    refuse("an array lies outside the message");
  }
  part.bytes = std::as_bytes(std::span(message.data() + *offset, bytes));
  return part;
}

}  // namespace

std::size_t bytes_of(ElementType type) { return entry(type).bytes; }

std::string text_of(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string encode(nlohmann::ordered_json header, std::span<const ArrayPart> arrays) {
  // offsets are part of the JSON whose length they depend on: a guess, and a larger one where it does not fit
  std::size_t room = 0;
  std::string json;
  do {
    room = rounded_up(4 + json.size());
    std::size_t offset = room;
    header["arrays"] = nlohmann::ordered_json::array();
    for (const ArrayPart& part : arrays) {
      header["arrays"].push_back(
          {{"name", part.name}, {"type", entry(part.type).name}, {"shape", part.shape}, {"offset", offset}});
      offset = rounded_up(offset + part.bytes.size());
    }
    json = text_of(header);
  } while (4 + json.size() > room);
  json.resize(room - 4, ' ');

  std::size_t total = room;
  for (const ArrayPart& part : arrays) total = rounded_up(total) + part.bytes.size();
  std::string message;
  message.reserve(total);
  const auto length = static_cast<std::uint32_t>(json.size());
  message.append(reinterpret_cast<const char*>(&length), 4).append(json);
  for (const ArrayPart& part : arrays) {
    message.resize(rounded_up(message.size()), '\0');
    message.append(reinterpret_cast<const char*>(part.bytes.data()), part.bytes.size());
  }
  return message;
}

const ArrayPart& Message::array(std::string_view name, ElementType type, std::size_t dimensions) const {
  for (const ArrayPart& part : arrays) {
    if (part.name == name && part.type == type && part.shape.size() == dimensions) return part;
  }
  throw Error(
      fmt::format("a message without an array '{}' of {} and {} dimensions", name, entry(type).name, dimensions));
}

Message decode(std::string_view bytes) {
  if (bytes.size() < 4) refuse("it is too short");
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data(), 4);
  if (length > largest_header || length > bytes.size() - 4) refuse("its header is longer than it may be");
  Message message;
  const std::string_view json = bytes.substr(4, length);
  message.header = nlohmann::json::parse(json.begin(), json.end(), nullptr, false);
  if (!message.header.is_object()) refuse("its header is not a JSON object");
  const auto arrays = message.header.find("arrays");
  if (arrays == message.header.end()) return message;
  if (!arrays->is_array() || arrays->size() > most_arrays) refuse("its arrays are no list");
  for (const nlohmann::json& part : *arrays) message.arrays.push_back(read_part(part, bytes));
  return message;
}

std::uint64_t whole_number(const nlohmann::json& header, const char* name) {
  const auto member = header.find(name);
  const auto number = member != header.end() ? whole_number(*member) : std::nullopt;
  if (!number) throw Error(fmt::format("\"{}\" is not a whole number of 0 or above", name));
  return *number;
}

std::vector<std::int16_t> millimetres(std::span<const float> metres) {
  std::vector<std::int16_t> result(metres.size());
  std::transform(metres.begin(), metres.end(), result.begin(), [](float value) {
    if (!std::isfinite(value)) return std::int16_t{0};
    return static_cast<std::int16_t>(std::lround(std::clamp(1000.0f * value, -32767.0f, 32767.0f)));
  });
  return result;
}

}  // namespace kinema::serve
