// Switches of parts of stereo matching, to measure what they are worth; see core/constant.h. What each does stands in
// scripts/mechanism_list.py, beside those that a constant or an option of the command switches off.
#pragma once

#include "core/constant.h"

namespace kinema::stereo::mechanisms {

// choice_kernel.cpp
KINEMA_MECHANISM(disparity_fractions);
KINEMA_MECHANISM(right_agrees);

// evidence_kernel.cpp
KINEMA_MECHANISM(exposure_gain);

}  // namespace kinema::stereo::mechanisms
