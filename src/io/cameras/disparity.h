// Corrections to the disparities of semi-global matching: near objects come out too wide, and subpixel disparities are
// biased towards whole pixels.
#pragma once

#include "io/pictures/image_file.h"

#include <vector>

namespace kinema::io {

/// Disparities of the pixels of a left picture, row by row; 0: none.
struct DisparityImage {
  int width = 0, height = 0;
  std::vector<float> pixels;
};

/// Improves each disparity by one step of least squares, at most half a pixel: the shift at which the right image, up
/// to a gain and an offset, equals the left one in a square around the pixel. Only pixels of the square within one
/// pixel of the same disparity count. Where the square has no texture, or the images have nothing in common, the
/// disparity is kept. A second call improves the remainder, a third hardly.
void refine_disparities(const GreyImage& left, const GreyImage& right, DisparityImage& disparity);

/// Removes matches that do not look alike: where the images, up to a gain and an offset of the whole right one, differ
/// around a pixel by more than three times the median difference. Squares that overlap the outline of a near object
/// match it beside the outline as well as on it; disparities there show the far object, or one hidden from the right
/// camera, at the depth of the near one.
void drop_unlike(const GreyImage& left, const GreyImage& right, DisparityImage& disparity);

}  // namespace kinema::io
