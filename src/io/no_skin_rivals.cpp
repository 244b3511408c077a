// In place of skin_rivals_opencv.cpp where OpenCV is not built in.
#include "io/skin_rivals.h"
#include "kinema/error.h"

namespace kinema::io {

bool skin_rivals_built_in() { return false; }

SkinCentre hsv_centre(const ColourView&) { throw Error("OpenCV is not built in: there is nothing to compare with"); }
SkinCentre camshift_centre(const ColourView& bgr) { return hsv_centre(bgr); }

}  // namespace kinema::io
