// Lines, words and numbers of files, read without copies.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace kinema::io {

/// A whole word as a number; nan and inf are accepted in any case.
std::optional<double> number_in(std::string_view word);

/// A whole word as a number of this type, without a plus.
template <class Number>
std::optional<Number> exact_number_in(std::string_view word) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc{} && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

/// The lines of a text.
class TextReader {
public:
  explicit TextReader(std::string_view text, std::size_t line = 0) : text_(text), line_(line) {}

  /// The next line without its terminator; none at the end of the text.
  std::optional<std::string_view> line();

  /// Its number, counted from 1.
  std::size_t line_number() const { return line_; }

  /// The text not yet read.
  std::string_view rest() const { return text_.substr(at_); }

private:
  std::string_view text_;
  std::size_t at_ = 0, line_ = 0;
};

/// In ASCII, whatever the locale.
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Removes and returns the first line, without its end.
std::string_view take_line(std::string_view& text);

/// Removes and returns the first word of a line; empty at its end.
std::string_view take_word(std::string_view& line, std::string_view separators = " \t\r");

/// A field of a table: quoted, with quotes doubled, where it contains a comma, a quote or the end of a line.
std::string csv_field(std::string_view text);

/// A number as stored in a binary file.
struct BinaryNumber {
  char kind = 'f';       ///< 'f' floating point, 'i' signed, 'u' unsigned
  std::size_t size = 4;  ///< bytes: 1, 2, 4 or 8
  bool swapped = false;  ///< not in the byte order of this machine

  double read(const char* bytes) const;
};

}  // namespace kinema::io
