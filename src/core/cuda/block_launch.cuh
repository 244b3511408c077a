// Launches work of core/thread_block.h on the device.
#pragma once

#include "core/cuda/buffer.h"
#include "core/thread_block.h"

#include <cuda_pipeline_primitives.h>

#include <cstddef>

namespace kinema::cuda {

class DeviceBlock {
public:
  explicit __device__ DeviceBlock(int rows) : rows_(rows) {}

  __device__ int x() const { return static_cast<int>(blockIdx.x); }
  __device__ int y() const { return static_cast<int>(blockIdx.y); }
  __device__ int rows() const { return rows_; }
  __device__ int thread() const { return static_cast<int>(threadIdx.x); }
  __device__ int threads() const { return static_cast<int>(blockDim.x); }
  static constexpr int lanes = 32;
  __device__ void wait() const { __syncthreads(); }

  /// Of what is longer than one value a thread, in pieces of 16 bytes where both places allow it.
  template <class T>
  __device__ void fetch(const T* from, T* to, int count) const {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "what an asynchronous copy can be of");
    if (count <= threads()) {
      if (thread() < count) __pipeline_memcpy_async(to + thread(), from + thread(), sizeof(T));
      return;
    }
    constexpr int wide = 16 / sizeof(T);
    const bool aligned = ((reinterpret_cast<std::size_t>(from) | reinterpret_cast<std::size_t>(to)) & 15) == 0;
    const int whole = aligned ? count / wide : 0;
#pragma unroll 4
    for (int i = thread(); i < whole; i += threads()) __pipeline_memcpy_async(to + i * wide, from + i * wide, 16);
#pragma unroll 1
    for (int i = whole * wide + thread(); i < count; i += threads())
      __pipeline_memcpy_async(to + i, from + i, sizeof(T));
  }
  __device__ void wait_fetched() const {
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
  }

  template <class T>
  __device__ T* shared(std::size_t from = 0) const {
    extern __shared__ __align__(16) unsigned char block_memory[];
    return reinterpret_cast<T*>(block_memory + from);
  }

private:
  int rows_;
};

template <class Kernel>
__global__ void __launch_bounds__(Kernel::threads)
    run_kernel(const __grid_constant__ Kernel kernel, const int* rows_used) {
  DeviceBlock block(*rows_used);
#if __CUDA_ARCH__ >= 900
  // this kernel may have been launched before the one before it ended; the one after it may be, too
  cudaTriggerProgrammaticLaunchCompletion();
  prepare(kernel, block);
  cudaGridDependencySynchronize();
#else
  prepare(kernel, block);
#endif
  kernel(block);
}

/// The most memory that the threads of a block can share on the current device.
inline std::size_t most_block_bytes() {
  int device = 0, most = 0;
  check(cudaGetDevice(&device), "asking for the GPU");
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "asking the GPU");
  return static_cast<std::size_t>(most);
}

/// On a stream, which may be recording a graph. Where the device can, a kernel is launched while the one before it runs.
class BlockLauncher {
public:
  explicit BlockLauncher(cudaStream_t stream) : stream_(stream), block_bytes_(most_block_bytes()) {}

  std::size_t block_bytes() const { return block_bytes_; }

  template <class Kernel>
  void operator()(const Kernel& kernel, int columns, int rows, const int* rows_used) const {
    const std::size_t bytes = kernel.shared_bytes();
    constexpr std::size_t without_asking = 48 * 1024;
    if (bytes > without_asking) allow_most<Kernel>(block_bytes_);
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(columns), static_cast<unsigned>(rows));
    config.blockDim = dim3(Kernel::threads);
    config.dynamicSmemBytes = bytes;
    config.stream = stream_;
    config.attrs = &early;
    config.numAttrs = waits_itself<Kernel>() ? 1 : 0;
    check(cudaLaunchKernelEx(&config, run_kernel<Kernel>, kernel, rows_used), "launching a kernel");
  }

private:
  // An attribute of a kernel applies to all its launches, also those of other threads: so it is always the same.
  template <class Kernel>
  static void allow_most(std::size_t most) {
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, run_kernel<Kernel>), "asking about a kernel");
    check(cudaFuncSetAttribute(run_kernel<Kernel>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(most - attributes.sharedSizeBytes)),
          "taking shared memory");
  }

  // Whether the kernel was compiled for a device on which it waits for the one before it.
  template <class Kernel>
  static bool waits_itself() {
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, run_kernel<Kernel>), "asking about a kernel");
    return attributes.ptxVersion >= 90;
  }

  cudaStream_t stream_;
  std::size_t block_bytes_;
};

}  // namespace kinema::cuda
