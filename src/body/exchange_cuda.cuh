// Copies between the parts of divided particles: from device to device where both are in this process, over NVLink or
// the bus where the devices can reach each other and through the host where not; between processes by way of the host.
#pragma once

#include "core/cuda/buffer.h"
#include "kinema/exchange.h"

namespace kinema::body {

class TransferCuda final : public Transfer {
public:
  explicit TransferCuda(cudaStream_t stream) : stream_(stream) {}

  void copy(void* to, const void* from, std::size_t bytes) override {
    // unified addresses: the driver knows the device of each
    cuda::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_), "copying between parts");
  }
  void wait() override { cuda::check(cudaStreamSynchronize(stream_), "waiting for a copy"); }
  bool host() const override { return false; }

  void mark(Mark mark) override { event(mark).record(stream_); }
  void follow(const Transfer& other, Mark mark) override {
    const cuda::Event& marked = static_cast<const TransferCuda&>(other).event(mark);
    cuda::check(cudaStreamWaitEvent(stream_, marked), "waiting for another part");
  }

private:
  const cuda::Event& event(Mark mark) const { return mark == Mark::written ? written_ : read_; }
  cuda::Event& event(Mark mark) { return mark == Mark::written ? written_ : read_; }

  cudaStream_t stream_;
  cuda::Event written_{cudaEventDisableTiming}, read_{cudaEventDisableTiming};
};

}  // namespace kinema::body
