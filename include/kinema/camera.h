// A pinhole camera without distortion, in pixels: u = fx x/z + cx, v = fy y/z + cy.
#pragma once

#include <vector>

namespace kinema {

struct Camera {
  int width = 0, height = 0;
  double fx = 0, fy = 0, cx = 0, cy = 0;
};

}  // namespace kinema

namespace kinema::io {

/// The camera of a recording, as its camera.json or calibration describes it.
struct CameraFile {
  Camera camera;           ///< a width of 0: unknown, as for clouds without a camera
  double fps = 0;          ///< frames per second
  double depth_scale = 0;  ///< metres per unit of the depth images; 0: unknown
  double baseline = 0;     ///< metres from the left to the right camera; 0: unknown

  /// k1 k2 p1 p2 [k3 [k4 k5 k6 …]] as in OpenCV; empty: none.
  std::vector<double> distortion;
};

}  // namespace kinema::io
