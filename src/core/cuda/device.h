// The GPUs of this machine. Compiles everywhere: without CUDA there are none.
#pragma once

#include "kinema/backend.h"

#include <string>
#include <vector>

namespace kinema::cuda {

std::vector<Gpu> devices();

/// One line that says why devices() is empty, and the remedy.
std::string why_no_device();

/// The version of the toolkit this was built with, "" without one.
std::string toolkit();

}  // namespace kinema::cuda
