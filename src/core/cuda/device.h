// The GPUs of this machine. Compiles everywhere: without CUDA there are none (src/gpu/no_cuda.cpp).
#pragma once

#include "core/device_failure.h"
#include "kinema/backend.h"

#include <string>
#include <vector>

namespace kinema::cuda {

std::vector<Gpu> devices();

/// One line that says why devices() is empty, and the remedy.
std::string why_no_device();

/// The GPU that calls of this thread use from now on. It reaches the memory of the others directly where it can.
void use_device(int device, const std::vector<int>& others = {});

int device_in_use();

/// Uses a GPU in this thread for as long as it lives.
class DeviceGuard {
public:
  explicit DeviceGuard(int device) : previous_(device_in_use()) { use_device(device); }
  ~DeviceGuard() {
    try {
      use_device(previous_);
    } catch (const DeviceFailure&) {  // what uses that GPU next meets it as well
    }
  }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

private:
  int previous_;
};

/// The version of the toolkit this was built with, "" without one.
std::string toolkit();

}  // namespace kinema::cuda
