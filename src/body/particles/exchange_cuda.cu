#include "body/particles/exchange_cuda.cuh"

#include <algorithm>
#include <cstdint>

namespace kinema::body {
namespace {

constexpr int most_copies = 16;
constexpr int copy_threads = 256;

struct Copies {
  std::uint32_t* to[most_copies];
  const std::uint32_t* from[most_copies];
  std::size_t words[most_copies];
};

// A row of blocks for each copy.
__global__ __launch_bounds__(copy_threads) void copy_kernel(Copies copies) {
  const unsigned one = blockIdx.y;
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < copies.words[one]; i += step)
    copies.to[one][i] = copies.from[one][i];
}

}  // namespace

TransferCuda::TransferCuda(cudaStream_t stream, bool divided) : stream_(stream) {
  int count = 0;
  cuda::check(cudaGetDevice(&device_), "asking for the GPU");
  cuda::check(cudaGetDeviceCount(&count), "counting the GPUs");
  reads_.resize(static_cast<std::size_t>(count));
  for (int other = 0; other < count; ++other) {
    int can = other == device_ ? 1 : 0;
    if (divided && other != device_ && cudaDeviceCanAccessPeer(&can, device_, other) == cudaSuccess && can != 0) {
      const cudaError_t status = cudaDeviceEnablePeerAccess(other, 0);
      if (status != cudaSuccess && status != cudaErrorPeerAccessAlreadyEnabled) can = 0;
    }
    reads_[static_cast<std::size_t>(other)] = can != 0;
  }
  cudaGetLastError();  // none of these answers is a failure of this device
}

void TransferCuda::copy_direct(std::span<const Copy> copies) {
  for (std::size_t first = 0; first < copies.size(); first += most_copies) {
    const std::size_t count = std::min<std::size_t>(most_copies, copies.size() - first);
    Copies some{};
    std::size_t most = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Copy& one = copies[first + i];
      some.to[i] = static_cast<std::uint32_t*>(one.to);
      some.from[i] = static_cast<const std::uint32_t*>(one.from);
      some.words[i] = one.bytes / sizeof(std::uint32_t);
      most = std::max(most, some.words[i]);
    }
    const auto blocks = static_cast<unsigned>(std::clamp<std::size_t>((most + copy_threads - 1) / copy_threads, 1, 64));
    copy_kernel<<<dim3(blocks, static_cast<unsigned>(count)), copy_threads, 0, stream_>>>(some);
    cuda::check_launch("copy between parts");
  }
}

}  // namespace kinema::body
