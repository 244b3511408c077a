// How to compute, as Python says it.
#pragma once

#include "kinema/compute.h"

#include <pybind11/pybind11.h>

#include <string>

namespace kinema::python {

/// `devices`: None, the first; 'all' or '0,2'; or a sequence of numbers. With the backend 'auto' the others go on when a device
/// fails, and Python is warned; else that is an error.
Compute compute_of(const std::string& backend, int threads, const pybind11::object& devices = pybind11::none());

}  // namespace kinema::python
