// GPUs named in Python, and a warning where one of them fails.
#pragma once

#include "kinema/devices.h"

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

namespace kinema::python {

/// None: the first; 'all' or '0,2'; or a sequence of numbers.
std::vector<int> device_list(const pybind11::object& devices);

/// With the backend 'auto' the others go on when a device fails, and Python is warned; else null: that is an error.
std::shared_ptr<DeviceLosses> warn_of_losses(const std::string& backend);

}  // namespace kinema::python
