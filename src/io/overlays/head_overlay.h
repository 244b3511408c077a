// A frame with the result of the head tracker: skin tinted by its degree, the head's outline and its centre. Needs
// OpenCV.
#pragma once

#include "kinema/camera.h"
#include "kinema/head_tracker.h"
#include "kinema/person_tracker.h"
#include "kinema/picture.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

namespace kinema::io {

class HeadPainter {
public:
  /// The degree of a colour, 0...1.
  using Degree = std::function<double(std::uint8_t r, std::uint8_t g, std::uint8_t b)>;

  /// Small images are enlarged, so that lines and text stay fine.
  Picture draw(const Picture& frame, std::int64_t number, double time, const head::Estimate& estimate,
               const Degree& degree);

private:
  std::deque<std::pair<double, double>> trail_;  // of the last centres
};

/// Axes of the head's frame at its place: x red to the person's left, y green up, z blue out of the face; `length` in
/// metres. `factor`: by how much the picture was enlarged.
void draw_head_axes(Picture& picture, const face::HeadPose& pose, const Camera& camera, int factor,
                    double length = 0.08);

/// Small images are enlarged, so that lines and text stay fine.
Picture person_overlay(const Picture& frame, std::int64_t number, double time, const person::Estimate& estimate,
                       const face::Layout& layout, const Camera& camera);

}  // namespace kinema::io
