// A frame with the result of the person tracker: the outline of the head, the landmarks of its face, and its axes. Needs
// OpenCV.
#pragma once

#include "kinema/camera.h"
#include "kinema/person_tracker.h"
#include "kinema/picture.h"

#include <cstdint>

namespace kinema::io {

/// Axes of the head's frame at its place: x red to the person's left, y green up, z blue out of the face; `length` in
/// metres. `factor`: by how much the picture was enlarged.
void draw_head_axes(Picture& picture, const face::HeadPose& pose, const Camera& camera, int factor,
                    double length = 0.08);

/// Small images are enlarged, so that lines and text stay fine.
Picture person_overlay(const Picture& frame, std::int64_t number, double time, const person::Estimate& estimate,
                       const face::Layout& layout, const Camera& camera);

}  // namespace kinema::io
