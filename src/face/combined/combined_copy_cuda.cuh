// The kernel of algorithm 1: asynchronous copies from global to shared memory.
#pragma once

#include "face/combined/combined_exchange_cuda.cuh"
#include "face/combined/combined_shared_cuda.cuh"

namespace kinema::face::combined {

// 16 bytes; all copies before end_copies() are waited for together.
__device__ inline void start_copy(void* to, const void* from) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
#else
  *static_cast<uint4*>(to) = *static_cast<const uint4*>(from);
#endif
}
__device__ inline void end_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int left>
__device__ inline void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory");
#endif
}

// Copies the small matrices to shared memory, by one thread: the copy engine works in the background.
__device__ inline void start_small(const CombinedView& v, const SharedMemory& shared) {
#if __CUDA_ARCH__ >= 900
  const auto bytes = static_cast<int>(small_size(v) * sizeof(uint4));
  expect(shared, 2, bytes);
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(shared.small)),
               "l"(v.small), "r"(bytes), "r"(shared_address(shared.arrived + 2))
               : "memory");
#endif
}

}  // namespace kinema::face::combined
