// A recorded sequence of launches, which reaches the device as one graph.
#pragma once

#include "core/cuda/buffer.h"

namespace kinema::cuda {

class LaunchSequence {
public:
  LaunchSequence() = default;
  ~LaunchSequence() {
    if (ready_ != nullptr) cudaGraphExecDestroy(ready_);
  }
  LaunchSequence(const LaunchSequence&) = delete;
  LaunchSequence& operator=(const LaunchSequence&) = delete;

  /// Once. What `launches` throws ends the recording first.
  template <class Launches>
  void record(cudaStream_t stream, const Launches& launches) {
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), recording);
    try {
      launches();
    } catch (...) {
      if (cudaStreamEndCapture(stream, &graph) == cudaSuccess) cudaGraphDestroy(graph);
      cudaGetLastError();
      throw;
    }
    const cudaError_t launched = cudaGetLastError();
    check(cudaStreamEndCapture(stream, &graph), recording);
    const cudaError_t made = launched == cudaSuccess ? cudaGraphInstantiate(&ready_, graph, 0) : launched;
    cudaGraphDestroy(graph);
    check(made, recording);
  }

  void launch(cudaStream_t stream) const { check(cudaGraphLaunch(ready_, stream), "launching recorded kernels"); }

private:
  static constexpr const char* recording = "recording kernels";
  cudaGraphExec_t ready_ = nullptr;
};

}  // namespace kinema::cuda
