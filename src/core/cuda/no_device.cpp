// Replaces device.cu where CUDA is not built in.
#include "core/cuda/device.h"

namespace kinema::cuda {

std::vector<Gpu> devices() { return {}; }

std::string why_no_device() {
  return "the cuda backend is not built in: use --backend cpu, or build with a CUDA toolkit";
}

void use_device(int, const std::vector<int>&) {}
DeviceGuard::DeviceGuard(int) {}
DeviceGuard::~DeviceGuard() = default;

std::string toolkit() { return {}; }

}  // namespace kinema::cuda
