// What semi-global matching leaves to mend in its disparities: the rims of near things, which it makes too wide, and the
// parts of pixels, which it draws to whole ones.
#pragma once

#include "io/image_file.h"

#include <vector>

namespace kinema::io {

/// Disparities of the pixels of a left picture, row by row; 0: none.
struct DisparityImage {
  int width = 0, height = 0;
  std::vector<float> pixels;
};

/// Improves each disparity by a step of least squares, at most half a pixel: the shift at which the right picture, but for a
/// gain and an offset, is the left one in a square about the pixel, of whose pixels those count that lie within a pixel of
/// the same disparity. Where a square has no texture, or both pictures have nothing in common, it stays as it is. A second
/// call improves what is left, a third hardly.
void refine_disparities(const GreyImage& left, const GreyImage& right, DisparityImage& disparity);

/// Takes away matches that do not look alike: where the pictures, but for a gain and an offset of the whole right one,
/// differ about a pixel by more than three times as much as they do in the middle of all. Squares that reach over the outline
/// of a near thing match it as well beside the outline as on it; what is measured there shows the far thing, or one that
/// the right camera does not see, at the near one's depth.
void drop_unlike(const GreyImage& left, const GreyImage& right, DisparityImage& disparity);

}  // namespace kinema::io
