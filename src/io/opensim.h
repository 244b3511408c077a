// Files for OpenSim: joint centres as markers (.trc) and joint angles as coordinates (.mot). See docs/files.md.
#pragma once

#include "io/tracked_motion.h"

#include <string>
#include <string_view>

namespace kinema::io {

/// Markers in millimetres, y up; cells are empty where nobody was found. `file`: the name that the header states.
std::string to_trc(const body::Skeleton& skeleton, const TrackedMotion& motion, const std::string& file);

/// Angles in degrees, each with its standard deviation; frames in which nobody was found have no row.
std::string to_mot(const body::Skeleton& skeleton, const TrackedMotion& motion);

/// The coordinate of OpenSim's models that measures an angle of body::anatomical_angle_names: hip_flexion_r for
/// right_hip_flexion.
std::string opensim_coordinate(std::string_view angle);

}  // namespace kinema::io
