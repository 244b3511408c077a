// A head's pose as text: a member of JSON lines, and columns of tables.
#pragma once

#include "kinema/head_pose.h"

#include <string>

namespace kinema::io {

/// {"rotation":[w,x,y,z],"position":[x,y,z],"yaw":..,"pitch":..,"roll":..,"angle_deviation":[..],
/// "position_deviation":[..],"residual":..,"expression":{"jawOpen":..},"expression_deviation":{..},"rest_angles":[..]}
std::string pose_json(const face::HeadPose& pose);

/// yaw,pitch,roll,X,Y,Z, their deviations and the expressions: names, and numbers or (without a pose) nothing between
/// the commas.
std::string pose_columns();
std::string pose_values(const face::HeadPose* pose);

}  // namespace kinema::io
