// Launches of a recorded sequence that the device itself leaves out.
#pragma once

#include "core/cuda/buffer.h"

namespace kinema::cuda {

/// Within a recording on `stream`: what `launches(inner)` records on the stream `inner` runs if a kernel before it has called
/// cudaGraphSetConditional(handle, 1). `before(handle)` records that kernel.
template <class Before, class Launches>
void record_conditional(cudaStream_t stream, cudaStream_t inner, const Before& before, const Launches& launches) {
  constexpr const char* recording = "recording kernels that may be left out";
  cudaStreamCaptureStatus status{};
  cudaGraph_t graph = nullptr;
  const cudaGraphNode_t* last = nullptr;
  std::size_t count = 0;
  const auto ask = [&] {
    check(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &last, nullptr, &count), recording);
  };
  ask();
  cudaGraphConditionalHandle handle{};
  check(cudaGraphConditionalHandleCreate(&handle, graph, 0, cudaGraphCondAssignDefault), recording);
  before(handle);
  ask();
  cudaGraphNodeParams parameters{};
  parameters.type = cudaGraphNodeTypeConditional;
  parameters.conditional.handle = handle;
  parameters.conditional.type = cudaGraphCondTypeIf;
  parameters.conditional.size = 1;
  cudaGraphNode_t node = nullptr;
  check(cudaGraphAddNode(&node, graph, last, nullptr, count, &parameters), recording);
  check(cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1, cudaStreamSetCaptureDependencies), recording);
  check(cudaStreamBeginCaptureToGraph(inner, parameters.conditional.phGraph_out[0], nullptr, nullptr, 0,
                                      cudaStreamCaptureModeThreadLocal),
        recording);
  launches(inner);
  check(cudaStreamEndCapture(inner, &graph), recording);
}

}  // namespace kinema::cuda
