// Launches work of core/thread_block.h on the device.
#pragma once

#include "core/cuda/buffer.h"

#include <cstddef>

namespace kinema::cuda {

class DeviceBlock {
public:
  __device__ int x() const { return static_cast<int>(blockIdx.x); }
  __device__ int y() const { return static_cast<int>(blockIdx.y); }
  __device__ int thread() const { return static_cast<int>(threadIdx.x); }
  __device__ int threads() const { return static_cast<int>(blockDim.x); }
  __device__ void wait() const { __syncthreads(); }

  template <class T>
  __device__ T* shared(std::size_t from = 0) const {
    extern __shared__ __align__(16) unsigned char block_memory[];
    return reinterpret_cast<T*>(block_memory + from);
  }
};

template <class Work>
__global__ void __launch_bounds__(Work::threads) run_work(const __grid_constant__ Work work) {
  DeviceBlock block;
  work(block);
}

/// On a stream, which may be recording a graph.
class BlockLauncher {
public:
  explicit BlockLauncher(cudaStream_t stream) : stream_(stream) {}

  template <class Work>
  void operator()(const Work& work, int columns, int rows) const {
    const std::size_t bytes = work.shared_bytes();
    constexpr std::size_t without_asking = 48 * 1024;
    if (bytes > without_asking)
      check(cudaFuncSetAttribute(run_work<Work>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
            "taking shared memory");
    run_work<Work>
        <<<dim3(static_cast<unsigned>(columns), static_cast<unsigned>(rows)), Work::threads, bytes, stream_>>>(work);
    check_launch("launching a kernel");
  }

private:
  cudaStream_t stream_;
};

}  // namespace kinema::cuda
