#include "io/files/text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>

namespace kinema::io {
namespace {

template <class T>
double as(const char* bytes, bool swapped) {
  char turned[sizeof(T)];
  std::memcpy(turned, bytes, sizeof(T));
  if (swapped) std::reverse(turned, turned + sizeof(T));
  T value;
  std::memcpy(&value, turned, sizeof(T));
  return static_cast<double>(value);
}

}  // namespace

std::optional<double> number_in(std::string_view word) {
  if (!word.empty() && word[0] == '+') word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || end != word.data() + word.size()) return std::nullopt;
  // a number beyond the range of double is a far point, which will be dropped
  if (error == std::errc::result_out_of_range) return std::numeric_limits<double>::infinity();
  return error == std::errc{} ? std::optional(value) : std::nullopt;
}

std::optional<std::string_view> TextReader::line() {
  if (at_ >= text_.size()) return std::nullopt;
  const std::size_t end = std::min(text_.find('\n', at_), text_.size());
  std::string_view line = text_.substr(at_, end - at_);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  at_ = std::min(end + 1, text_.size());
  ++line_;
  return line;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string_view take_word(std::string_view& line, std::string_view separators) {
  const std::size_t begin = std::min(line.find_first_not_of(separators), line.size());
  const std::size_t end = std::min(line.find_first_of(separators, begin), line.size());
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

double BinaryNumber::read(const char* bytes) const {
  if (kind == 'f') return size == 8 ? as<double>(bytes, swapped) : as<float>(bytes, swapped);
  const bool negative = kind == 'i';
  switch (size) {
    case 1:
      return negative ? as<std::int8_t>(bytes, false) : as<std::uint8_t>(bytes, false);
    case 2:
      return negative ? as<std::int16_t>(bytes, swapped) : as<std::uint16_t>(bytes, swapped);
    case 4:
      return negative ? as<std::int32_t>(bytes, swapped) : as<std::uint32_t>(bytes, swapped);
    default:
      return negative ? as<std::int64_t>(bytes, swapped) : as<std::uint64_t>(bytes, swapped);
  }
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string field = "\"";
  for (const char c : text) field += c == '"' ? std::string("\"\"") : std::string(1, c);
  return field + "\"";
}

}  // namespace kinema::io
