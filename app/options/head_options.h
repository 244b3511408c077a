// Options of the verbs that follow heads: ovals, fields of view, and the pose.
#pragma once

#include "app/options/command_line.h"
#include "io/files/input_file.h"
#include "kinema/error.h"
#include "kinema/expression_tracker.h"
#include "kinema/head_calibration.h"
#include "kinema/head_pose.h"

#include <fmt/format.h>

#include <array>
#include <optional>
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

struct PoseOptions {
  std::optional<double> field_of_view, eye_distance;
  std::string camera;
};
void add_pose_options(Verb verb, PoseOptions& options);

/// --neutral, for films and cameras.
void add_neutral_option(Verb verb, face::ExpressionSettings& settings);

/// Throws Error if a value is impossible, or the camera's file cannot be used.
face::HeadPoseSettings pose_settings(const PoseOptions& options);

}  // namespace kinema::app
