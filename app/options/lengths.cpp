#include "app/options/lengths.h"

#include "io/files/input_file.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <system_error>

namespace kinema::app {

std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

double parse_metres(const std::string& flag, const std::string& word) {
  std::string_view rest = word;
  const auto number = take_number(rest);
  // divided, so that 180cm is the same number as 1.8
  const double per_metre = rest.empty() || rest == "m" ? 1 : rest == "cm" ? 100 : rest == "mm" ? 1000 : 0;
  if (!number || per_metre == 0) {
    throw Error(
        fmt::format("{} is '{}': give metres, or a unit as in 1.8m, 180cm or 1800mm", flag, io::printable(word)));
  }
  return *number / per_metre;
}

double parse_metres(const std::string& flag, const std::string& word, LengthRange range) {
  const double metres = parse_metres(flag, word);
  if (!(metres >= range.low && metres <= range.high)) {
    throw Error(
        fmt::format("{} is '{}': it is from {} to {} metres", flag, io::printable(word), range.low, range.high));
  }
  return metres;
}

}  // namespace kinema::app
