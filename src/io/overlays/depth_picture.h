// A depth image, or points, as a grey background image: near is bright, far is dark, unmeasured pixels are almost
// black.
#pragma once

#include "kinema/camera.h"
#include "kinema/picture.h"
#include "kinema/points.h"

#include <span>
#include <vector>

namespace kinema::io {

/// Depths in metres that are shown bright and dark.
struct DepthRange {
  double near = 0, far = 0;
};

/// A range that holds nearly all measured depths, so that a few outliers do not use up the greys. Computed once per
/// recording: per frame it would flicker.
DepthRange depth_range(std::span<const float> depth);

/// `depth` is height x width in metres; 0 or not finite: not measured. Throws Error if the sizes disagree.
Picture depth_picture(std::span<const float> depth, int width, int height, const DepthRange& range);

/// The depth image of points as a camera sees it, each point a small square; 0 where there is none.
std::vector<float> depth_of_points(const PointsView& points, const Camera& camera);

}  // namespace kinema::io
