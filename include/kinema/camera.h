// A pinhole camera without distortion, in pixels: u = fx x/z + cx, v = fy y/z + cy.
#pragma once

namespace kinema {

struct Camera {
  int width = 0, height = 0;
  double fx = 0, fy = 0, cx = 0, cy = 0;
};

}  // namespace kinema
