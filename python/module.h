// What each part of the Python module adds to it.
#pragma once

#include <pybind11/pybind11.h>

void bind_body(pybind11::module_& module);
