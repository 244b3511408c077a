// Copies between the parts of divided particles: from device to device where both are in this process, over NVLink or
// the bus where the devices can reach each other and through the host where not; between processes by way of the host.
#pragma once

#include "core/cuda/buffer.h"
#include "kinema/exchange.h"

#include <vector>

namespace kinema::body {

class TransferCuda final : public Transfer {
public:
  /// `divided`: there are other parts, whose devices this one may read.
  TransferCuda(cudaStream_t stream, bool divided);

  void copy(void* to, const void* from, std::size_t bytes) override {
    // unified addresses: the driver knows the device of each
    cuda::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_), "copying between parts");
  }
  void wait() override { cuda::check(cudaStreamSynchronize(stream_), "waiting for a copy"); }
  bool host() const override { return false; }

  bool reads(const Transfer& other) const override {
    return reads_[static_cast<std::size_t>(static_cast<const TransferCuda&>(other).device_)];
  }
  /// By one kernel: a launch takes the host as long as a copy, and copies of a part follow one another.
  void copy_direct(std::span<const Copy> copies) override;

  void mark(int which) override { marks_[which].record(stream_); }
  void follow(const Transfer& other, int which) override {
    const cuda::Event& marked = static_cast<const TransferCuda&>(other).marks_[which];
    cuda::check(cudaStreamWaitEvent(stream_, marked), "waiting for another part");
  }

private:
  cudaStream_t stream_;
  int device_ = 0;
  std::vector<bool> reads_;  // by device
  cuda::Event marks_[2] = {cuda::Event(cudaEventDisableTiming), cuda::Event(cudaEventDisableTiming)};
};

/// Most parts whose states a kernel reads itself.
inline constexpr int most_shared_parts = 16;

/// The states of all parts, each of which has its slice of them at its place in an array as large as the whole.
struct SharedStates {
  const float* of_part[most_shared_parts] = {};
  int parts = 1;

#ifdef __CUDACC__
  /// State `i` of `count`, as slice_of() divides them.
  __device__ const float* state(int i, int count, int floats) const {
    const int each = count / parts, more = count % parts, large = more * (each + 1);
    const int part = i < large ? i / (each + 1) : more + (i - large) / each;
    return of_part[part] + static_cast<std::size_t>(i) * static_cast<std::size_t>(floats);
  }
#endif
};

}  // namespace kinema::body
