// What people use OpenCV for where kinema counts skin: whole frames, to be timed beside it. Without OpenCV they throw
// Error.
#pragma once

#include "kinema/image.h"

namespace kinema::io {

struct SkinCentre {
  double x = 0, y = 0;
  double area = 0;  // share of the frame
};

bool skin_rivals_built_in();

/// A frame of bgr through HSV, a threshold for skin, and the moments of what is left.
SkinCentre hsv_centre(const ColourView& bgr);

/// The same frame through HSV, the back projection of a histogram of hues, and CamShift from the whole frame.
SkinCentre camshift_centre(const ColourView& bgr);

}  // namespace kinema::io
