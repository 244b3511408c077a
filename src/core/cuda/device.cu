#include "core/cuda/device.h"

#include "core/cuda/buffer.h"

#include <cuda_runtime.h>

namespace kinema::cuda {

namespace {

std::vector<int> peers_of(int device, int count) {
  std::vector<int> peers;
  for (int other = 0; other < count; ++other) {
    int can = 0;
    if (other != device && cudaDeviceCanAccessPeer(&can, device, other) == cudaSuccess && can != 0)
      peers.push_back(other);
  }
  return peers;
}

}  // namespace

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
                     properties.totalGlobalMem, peers_of(i, count)});
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

void use_device(int device, const std::vector<int>& others) {
  if (const cudaError_t status = cudaSetDevice(device); status != cudaSuccess) {
    cudaGetLastError();  // so that the next call does not report it again
    throw DeviceFailure("GPU " + std::to_string(device) + " failed: " + cudaGetErrorString(status), device);
  }
  for (int other : others) {
    int can = 0;
    if (other == device || cudaDeviceCanAccessPeer(&can, device, other) != cudaSuccess || can == 0) continue;
    // asked for a second time it fails, which does not matter
    if (cudaDeviceEnablePeerAccess(other, 0) != cudaSuccess) cudaGetLastError();
  }
}

int device_in_use() {
  int device = 0;
  check(cudaGetDevice(&device), "asking for the GPU");
  return device;
}

std::string toolkit() {
  return std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
}

}  // namespace kinema::cuda
