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

private:
  cudaStream_t stream_;
};

}  // namespace kinema::body
