// Option values of the head's verbs: ovals and fields of view.
#pragma once

#include "app/options/lengths.h"
#include "io/files/input_file.h"
#include "kinema/error.h"
#include "kinema/head_calibration.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

namespace kinema::app {

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

/// Degrees across the frame, converted to radians.
inline double parse_field_of_view(double degrees) {
  if (!(degrees >= 1 && degrees <= 175)) {
    throw Error(fmt::format("--fov is {}: give degrees across the frame, 1 to 175", degrees));
  }
  return degrees * 0.017453292519943295;
}

}  // namespace kinema::app
