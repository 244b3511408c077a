// A depth image, or points, as a grey picture to draw on: near is bright, far is dark, nothing measured is almost black.
#pragma once

#include "kinema/camera.h"
#include "kinema/picture.h"
#include "kinema/points.h"

#include <span>
#include <vector>

namespace kinema::io {

/// Metres that are shown bright and dark.
struct DepthRange {
  double near = 0, far = 0;
};

/// What holds nearly all of the measured depths, so that a few outliers do not take the greys. Found once a recording:
/// found in each frame it would flicker.
DepthRange depth_range(std::span<const float> depth);

/// `depth` is height x width in metres; 0 or not finite: nothing measured. Throws Error where sizes do not agree.
Picture depth_picture(std::span<const float> depth, int width, int height, const DepthRange& range);

/// The depth image that a camera would see of points, each a small square; 0 where there is none.
std::vector<float> depth_of_points(const PointsView& points, const Camera& camera);

}  // namespace kinema::io
