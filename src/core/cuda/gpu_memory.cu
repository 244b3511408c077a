#include "kinema/gpu_memory.h"

#include "core/cuda/buffer.h"
#include "core/cuda/device.h"

#include <cuda_runtime.h>

namespace kinema {

std::optional<int> gpu_of(const void* address) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, address) != cudaSuccess) {
    cudaGetLastError();  // without a driver nothing lies on a GPU, which is no error to report later
    return std::nullopt;
  }
  if (attributes.type != cudaMemoryTypeDevice && attributes.type != cudaMemoryTypeManaged) return std::nullopt;
  return attributes.device;
}

void wait_for_gpu(int index) {
  const cuda::DeviceGuard guard(index);
  cuda::check(cudaDeviceSynchronize(), "waiting for the GPU");
}

}  // namespace kinema
