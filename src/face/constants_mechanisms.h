// Switches of parts of the face tracker, to measure what they are worth; see core/constant.h. What each does stands in
// scripts/mechanism_list.py, beside those that a constant or an option of the command switches off.
#pragma once

#include "core/constant.h"

namespace kinema::face::mechanisms {

// tracker/head_pose.cpp
KINEMA_MECHANISM(landmark_confidences);
KINEMA_MECHANISM(landmark_parts);
KINEMA_MECHANISM(turned_starts);
KINEMA_MECHANISM(residual_spread);

}  // namespace kinema::face::mechanisms
