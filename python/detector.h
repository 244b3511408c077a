// A face detector written in Python, for the trackers that call one.
#pragma once

#include "kinema/face_tracker.h"

#include <pybind11/numpy.h>

#include <array>
#include <functional>
#include <vector>

namespace kinema::python {

using BoxNumbers = std::array<float, 4>;  // x, y, width, height

face::Start::Box box_of(const BoxNumbers& numbers, bool detector);

/// Called with a uint8 (H, W) image.
using PythonDetect = std::function<std::vector<BoxNumbers>(pybind11::array)>;

/// The same for the library, which calls it without the GIL. It gets a copy of the image, since it may keep it.
face::Detect boxes_by(const PythonDetect& detect);

}  // namespace kinema::python
