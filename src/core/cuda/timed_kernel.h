// A kernel between two events, all three as one graph: they reach the device together, so that the time between the
// events is the device's alone and excludes the host's time between calls. It also costs the driver less than three
// plain calls.
#pragma once

#include "core/cuda/buffer.h"

#include <cstring>
#include <vector>

namespace kinema::cuda {

class TimedKernel {
public:
  TimedKernel() = default;
  ~TimedKernel() { clear(); }
  TimedKernel(const TimedKernel&) = delete;
  TimedKernel& operator=(const TimedKernel&) = delete;

  /// On the configuration's stream. The recorded graph is reused for launches that differ only in their arguments.
  template <class... Arguments>
  void launch(const cudaLaunchConfig_t& config, void (*kernel)(Arguments...), Arguments... arguments) {
    void* addresses[] = {static_cast<void*>(&arguments)...};
    const auto function = reinterpret_cast<const void*>(kernel);
    if (ready_ == nullptr || function != parameters_.func || !same(config)) {
      clear();
      record(config, function, addresses);
    } else {
      parameters_.kernelParams = addresses;
      check(cudaGraphExecKernelNodeSetParams(ready_, node_, &parameters_), launching);
    }
    check(cudaGraphLaunch(ready_, config.stream), launching);
  }

  /// Of the last launch, which must have finished.
  double ms() const { return elapsed_ms(begin_, end_); }

private:
  static constexpr const char* launching = "launching a kernel";

  bool same(const cudaLaunchConfig_t& config) const {
    const auto equal = [](const dim3& a, const dim3& b) { return a.x == b.x && a.y == b.y && a.z == b.z; };
    if (!equal(config.gridDim, parameters_.gridDim) || !equal(config.blockDim, parameters_.blockDim) ||
        config.dynamicSmemBytes != parameters_.sharedMemBytes || config.numAttrs != attributes_.size())
      return false;
    for (std::size_t i = 0; i < attributes_.size(); ++i)
      if (attributes_[i].id != config.attrs[i].id ||
          std::memcmp(&attributes_[i].val, &config.attrs[i].val, sizeof attributes_[i].val) != 0)
        return false;
    return true;
  }

  void record(const cudaLaunchConfig_t& config, const void* function, void** addresses) {
    check(cudaStreamBeginCapture(config.stream, cudaStreamCaptureModeThreadLocal), launching);
    cudaError_t status = cudaEventRecordWithFlags(begin_, config.stream, cudaEventRecordExternal);
    if (status == cudaSuccess) status = cudaLaunchKernelExC(&config, function, addresses);
    if (status == cudaSuccess) status = cudaEventRecordWithFlags(end_, config.stream, cudaEventRecordExternal);
    const cudaError_t ended = cudaStreamEndCapture(config.stream, &graph_);
    if (status == cudaSuccess) status = ended;
    if (status == cudaSuccess) status = find_node();
    if (status == cudaSuccess) status = cudaGraphKernelNodeGetParams(node_, &parameters_);
    if (status == cudaSuccess) status = cudaGraphInstantiate(&ready_, graph_, 0);
    if (status != cudaSuccess) clear();
    check(status, launching);
    // the requested handle: the node may report another handle of the same function
    parameters_.func = const_cast<void*>(function);
    attributes_.assign(config.attrs, config.attrs + config.numAttrs);
  }

  cudaError_t find_node() {
    cudaGraphNode_t nodes[3] = {};
    std::size_t count = 3;
    cudaError_t status = cudaGraphGetNodes(graph_, nodes, &count);
    for (std::size_t i = 0; status == cudaSuccess && i < count; ++i) {
      cudaGraphNodeType type{};
      status = cudaGraphNodeGetType(nodes[i], &type);
      if (type == cudaGraphNodeTypeKernel) node_ = nodes[i];
    }
    return status;
  }

  void clear() {
    // a graph that still runs is freed when it ends
    if (ready_ != nullptr) cudaGraphExecDestroy(ready_);
    if (graph_ != nullptr) cudaGraphDestroy(graph_);
    ready_ = nullptr;
    graph_ = nullptr;
    node_ = nullptr;
  }

  cudaGraph_t graph_ = nullptr;
  cudaGraphNode_t node_ = nullptr;
  cudaGraphExec_t ready_ = nullptr;
  cudaKernelNodeParams parameters_{};
  std::vector<cudaLaunchAttribute> attributes_;
  Event begin_, end_;
};

}  // namespace kinema::cuda
