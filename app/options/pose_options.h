// Options of the head's pose: the camera, and the size of the head.
#pragma once

#include "app/options/command_line.h"
#include "kinema/expression_tracker.h"
#include "kinema/head_pose.h"

#include <optional>
#include <string>

namespace kinema::app {

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
