// OpenCV's semi-global matching, for comparison.
#pragma once

#include "kinema/image.h"

#include <cstdint>
#include <vector>

namespace kinema::bench {

/// Whether OpenCV is built in.
bool opencv_matches();

/// Disparities of the left picture, pixels, 0 where there is none; along five or eight paths.
void match_by_opencv(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right, int disparities,
                     int paths, std::vector<float>& out);

}  // namespace kinema::bench
