// Option values of the head's verbs: ovals, lengths with their unit, and backends by any name.
#pragma once

#include "io/files/input_file.h"
#include "kinema/error.h"
#include "kinema/head_calibration.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

namespace kinema::app {

/// Parses and removes a number at the start of a text.
inline std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

/// "cx,cy,rx,ry".
inline head::Oval parse_oval(const std::string& word) {
  std::array<double, 4> numbers{};
  std::string_view rest = word;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto number = take_number(rest);
    const bool last = i == 3;
    if (!number || (last ? !rest.empty() : !rest.starts_with(','))) {
      throw Error(fmt::format("--oval is '{}': give the centre and the radii in pixels, as in 320,240,60,80",
                              io::printable(word)));
    }
    numbers[i] = *number;
    if (!last) rest.remove_prefix(1);
  }
  return {numbers[0], numbers[1], numbers[2], numbers[3]};
}

/// Metres, or with their unit: 0.6, 0.6m, 60cm, 600mm.
inline double parse_length(const char* flag, const std::string& word) {
  std::string_view rest = word;
  const auto number = take_number(rest);
  const double unit = rest.empty() || rest == "m" ? 1 : rest == "cm" ? 0.01 : rest == "mm" ? 0.001 : 0;
  if (!number || unit == 0 || !(*number * unit > 0.01 && *number * unit <= 100)) {
    throw Error(
        fmt::format("{} is '{}': give metres, 0.01 to 100, or a unit as in 60cm or 600mm", flag, io::printable(word)));
  }
  return *number * unit;
}

/// Degrees across the frame, converted to radians.
inline double parse_field_of_view(double degrees) {
  if (!(degrees >= 1 && degrees <= 175)) {
    throw Error(fmt::format("--fov is {}: give degrees across the frame, 1 to 175", degrees));
  }
  return degrees * 0.017453292519943295;
}

}  // namespace kinema::app
