// Switches of parts of the head tracker, to measure what they are worth; see core/constant.h. What each does stands in
// scripts/mechanism_list.py, beside those that a constant or an option of the command switches off.
#pragma once

#include "core/constant.h"

namespace kinema::head::mechanisms {

// head_window.cpp
KINEMA_MECHANISM(pattern_seed);
KINEMA_MECHANISM(searched_everywhere);
KINEMA_MECHANISM(searched_window_sizes);
KINEMA_MECHANISM(climbed_again);

// adaptation.cpp
KINEMA_MECHANISM(smoothed_colours);

}  // namespace kinema::head::mechanisms
