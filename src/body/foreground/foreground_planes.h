// Floor and walls, detected in the view of a camera at the origin.
//
// In the direction (x, y) = (X/Z, Y/Z) a plane has the inverse depth w = 1/Z = a x + b y + c: linear, and the noise of
// a triangulating sensor, which grows with the square of depth, is uniform in w. So planes are detected and fitted
// there.
#pragma once

#include "kinema/foreground.h"
#include "kinema/image.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace kinema::body {

/// A measurement as direction and inverse depth.
struct InverseDepthSample {
  float x, y, w;
};

/// w = a x + b y + c; (a, b, c) is the normal away from the camera, divided by the camera's distance.
struct InverseDepthPlane {
  double a = 0, b = 0, c = 0;
  double at(double x, double y) const { return a * x + b * y + c; }
};

/// Sums for a least-squares plane through samples.
struct PlaneSums {
  double n = 0, x = 0, y = 0, w = 0, xx = 0, xy = 0, yy = 0, xw = 0, yw = 0, ww = 0;
  void add(const InverseDepthSample& sample);
  void add(const PlaneSums& other);
  std::optional<InverseDepthPlane> fit() const;  // none where the samples do not span a plane
};

/// About 64 neighbouring samples, and the plane through their inliers.
struct Block {
  InverseDepthSample middle{};  // with the median inverse depth
  InverseDepthPlane plane;      // of a flat block
  PlaneSums sums;               // of the samples near the median
  float area = 0;               // of the directions that it represents
  bool measured = false, flat = false;
};

/// The layout of blocks in the view.
struct BlockGrid {
  std::size_t columns = 0, rows = 0;
  float x_low = 0, y_low = 0, x_scale = 0, y_scale = 0;  // of the first block's corner; blocks per unit

  /// The block of a direction, or columns * rows where there is none.
  std::size_t find(float x, float y) const {
    const float column = (x - x_low) * x_scale, row = (y - y_low) * y_scale;
    if (!(column >= 0 && row >= 0 && column < static_cast<float>(columns) && row < static_cast<float>(rows)))
      return columns * rows;
    return static_cast<std::size_t>(row) * columns + static_cast<std::size_t>(column);
  }
};

struct DepthBlocks {
  BlockGrid grid;
  std::vector<Block> blocks;
  double noise = 0.0015;  // standard deviation of an inverse depth, estimated from the flat blocks
};

/// Of an image: x and y are the directions of its columns and rows.
DepthBlocks make_blocks(ImageView<const float> depth, std::span<const float> x, std::span<const float> y,
                        double nearest, double farthest);

/// Of samples in any order.
DepthBlocks make_blocks(std::span<const InverseDepthSample> samples);

/// A plane of the scene, with the values that its test uses.
struct Surface {
  Plane plane;
  InverseDepthPlane inverse_depth;
  double noise = 0;       // of an inverse depth about it: the sensor's, and the plane's unevenness
  bool bounding = false;  // nothing lies behind: a floor or wall, unbounded. Else only what lies in it belongs to it.
  double share = 0;       // of the samples that lay in it when it was detected

  /// Where it was seen: the blocks in it and their neighbours, and one 0 for none.
  BlockGrid grid;
  std::vector<std::uint8_t> covered;
};

/// A plane, and the blocks that lie in it.
struct PlaneOfBlocks {
  InverseDepthPlane plane;
  std::vector<std::size_t> members;
};
Surface describe(const DepthBlocks& all, const PlaneOfBlocks& found);

/// Of the plane in view, square metres.
double area_of(const DepthBlocks& all, const PlaneOfBlocks& found);

/// Large planes, the bounding ones first. Deterministic: the same blocks give the same planes.
std::vector<Surface> find_surfaces(const DepthBlocks& all, bool incomplete = false);

/// How many samples lie in the plane, and how many behind it.
struct SurfaceCount {
  std::size_t within = 0, behind = 0;
};
SurfaceCount count_in(const Surface& surface, std::span<const InverseDepthSample> samples);

/// The same as shares.
struct SurfaceShare {
  double within = 0, behind = 0;
};
SurfaceShare share_of(const SurfaceCount& count, std::size_t samples);
SurfaceShare share_of(const Surface& surface, std::span<const InverseDepthSample> samples);

/// Of a bounding surface: everything with a smaller inverse depth than this belongs to it or lies behind.
inline InverseDepthPlane limit_of(const Surface& surface, double margin) {
  // moved by the margin towards the camera, then by the noise
  const double distance = surface.plane.offset;
  const double scale = distance / (distance > 2 * margin ? distance - margin : distance / 2);
  return {surface.inverse_depth.a * scale, surface.inverse_depth.b * scale,
          surface.inverse_depth.c * scale + 3 * surface.noise};
}

}  // namespace kinema::body
