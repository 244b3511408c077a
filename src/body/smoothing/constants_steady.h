// Constants of the low pass on poses that are given out at once: see constants.h.
#pragma once

#include "core/constant.h"

namespace kinema::body::constants {

// steady_pose.cpp
namespace steady {

/// Speed of the pelvis at which its cutoff is twice that at rest. [real Kinect recordings of UTD-MHAD, subjects 1 and
/// 3, and realistic people]
KINEMA_CONSTANT(double, doubling_speed, 0.2);  // metres per second
/// Speed of a turn at which the cutoff of a joint, or of the pelvis, is twice that at rest. [real Kinect recordings of
/// UTD-MHAD, subjects 1 and 3, and realistic people]
KINEMA_CONSTANT(double, doubling_turn, 0.3);  // radians per second

}  // namespace steady

}  // namespace kinema::body::constants
