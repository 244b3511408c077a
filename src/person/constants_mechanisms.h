// Switches of parts of the person tracker, to measure what they are worth; see core/constant.h. What each does stands in
// scripts/mechanism_list.py, beside those that a constant or an option of the command switches off.
#pragma once

#include "core/constant.h"

namespace kinema::person::mechanisms {

// tracker.cpp
KINEMA_MECHANISM(moved_on);
KINEMA_MECHANISM(face_from_colours);
KINEMA_MECHANISM(last_shape);
KINEMA_MECHANISM(boxed_colours);

// join.h
KINEMA_MECHANISM(joined_colours);

}  // namespace kinema::person::mechanisms
