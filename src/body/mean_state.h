// The mean of weighted poses, rotations averaged as rotations: eq. 1 of the paper, but for angles.
#pragma once

#include "body/kinematics.h"

#include <span>
#include <vector>

namespace kinema::body {

/// The angles of a joint from its rotation, the nearest that its freedoms can give: the inverse of joint_rotation().
void joint_angles(const FlatJoint& joint, Rotation<double> rotation, double* angles);

/// states (n, state), weights (n) that sum to 1.
std::vector<float> mean_state(const Kinematics& kinematics, std::span<const float> states,
                              std::span<const double> weights);

}  // namespace kinema::body
