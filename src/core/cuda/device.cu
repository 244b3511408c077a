#include "core/cuda/device.h"

#include <cuda_runtime.h>

namespace kinema::cuda {

std::vector<Gpu> devices() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();  // no driver or no device is a valid answer, not an error to report later
    return {};
  }
  std::vector<Gpu> found;
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, i) != cudaSuccess) continue;
    found.push_back({i, properties.name, properties.multiProcessorCount, 10 * properties.major + properties.minor,
                     properties.totalGlobalMem});
  }
  return found;
}

std::string why_no_device() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  cudaGetLastError();
  return std::string("the cuda backend finds no GPU (") + cudaGetErrorString(status) +
         "): use --backend cpu, or install NVIDIA's driver";
}

std::string toolkit() {
  return std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
}

}  // namespace kinema::cuda
