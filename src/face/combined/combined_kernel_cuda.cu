// Algorithm 1 on the GPU: work division and launch of its kernel.
#include "face/combined/combined_cuda.cuh"
#include "face/combined/combined_loop_cuda.cuh"

#include <algorithm>

namespace kinema::face {
namespace {

using namespace combined;

// Tiles whose part of the matrix a warp keeps in registers: more would spill other values.
constexpr int held_in_registers = 16;

// All kernel instances, by their parameters.
using Kernel = void (*)(CombinedView, CombinedBatch, CombinedPlan);

template <CombinedSource kind>
Kernel kernel_of(const CombinedPlan& plan) {
  return plan.held_tiles == 0 ? fit_faces<kind, 0> : fit_faces<kind, held_in_registers>;
}

Kernel kernel_of(const CombinedPlan& plan, CombinedSource source) {
  switch (source) {
    case CombinedSource::bytes:
      return kernel_of<CombinedSource::bytes>(plan);
    case CombinedSource::floats:
      return kernel_of<CombinedSource::floats>(plan);
    case CombinedSource::pairs:
      break;
  }
  return kernel_of<CombinedSource::pairs>(plan);
}

int most_shared_bytes() {
  int device = 0, most = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  return most;
}

// Attributes of a kernel apply to all its launches, so they are always the same.
bool prepare(Kernel kernel, const CombinedPlan& plan, std::size_t shared_bytes) {
  const auto function = reinterpret_cast<const void*>(kernel);
  const int most = most_shared_bytes();
  bool ready = shared_bytes <= static_cast<std::size_t>(most) &&
               cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, most) == cudaSuccess;
  if (plan.cluster > 8)
    ready &= cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) == cudaSuccess;
  cudaGetLastError();
  return ready;
}

struct Launch {
  cudaLaunchConfig_t config{};
  cudaLaunchAttribute attributes[2]{};

  Launch(const CombinedPlan& plan, int clusters, std::size_t shared_bytes, cudaStream_t stream, bool together) {
    config.gridDim = dim3(static_cast<unsigned>(clusters * plan.cluster));
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = attributes;
    if (plan.cluster > 1) {
      attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
      attributes[config.numAttrs].val.clusterDim.x = static_cast<unsigned>(plan.cluster);
      attributes[config.numAttrs].val.clusterDim.y = attributes[config.numAttrs].val.clusterDim.z = 1;
      ++config.numAttrs;
    }
    if (together) {
      attributes[config.numAttrs].id = cudaLaunchAttributeCooperative;
      attributes[config.numAttrs].val.cooperative = 1;
      ++config.numAttrs;
    }
  }
};

}  // namespace

// At most one job per warp, and small matrices that leave memory for others.
bool combined_stays(const CombinedView& view) {
  return 2 * view.row_tiles <= warps && small_size(view) * sizeof(uint4) <= 100 * 1024;
}

std::size_t combined_shared_bytes(const CombinedPlan& plan, const CombinedView& view, CombinedSource source) {
  CombinedPlan same = plan;
  return lay_out(view, source == CombinedSource::pairs ? 2 : 1, same);
}

CombinedPlan combined_plan(const CombinedView& view, CombinedSource source, int cluster, int group_clusters) {
  CombinedPlan plan;
  plan.cluster = cluster;
  plan.group_clusters = group_clusters;
  const int blocks = cluster * group_clusters;
  plan.share = (view.rows + cluster) / cluster;
  plan.tiles = (view.value_tiles + blocks - 1) / blocks;
  const auto lay_out_plan = [&] {
    return static_cast<int>(lay_out(view, source == CombinedSource::pairs ? 2 : 1, plan));
  };
  if (!combined_stays(view)) {
    lay_out_plan();
    return plan;
  }
  plan.held_tiles = held_in_registers;
  const int bytes = lay_out_plan(), tile = 2 * view.row_tiles * 512;
  const int left = std::max(0, plan.tiles - plan.held_tiles);
  plan.shared_tiles = std::clamp((most_shared_bytes() - bytes) / tile, 0, left + left % 2) / 2 * 2;
  lay_out_plan();
  return plan;
}

int combined_active_clusters(const CombinedPlan& plan, const CombinedView& view, CombinedSource source,
                             std::size_t shared_bytes) {
  const Kernel kernel = kernel_of(plan, source);
  if (!prepare(kernel, plan, shared_bytes)) return 0;
  const auto function = reinterpret_cast<const void*>(kernel);
  // code compiled for GPUs without clusters also runs on newer ones, but without clusters; other code requires them
  cudaFuncAttributes made{};
  cudaFuncGetAttributes(&made, function);
  const bool knows_clusters = made.ptxVersion == 0 || made.ptxVersion >= 90;
  if (knows_clusters != (plan.cluster > 1)) return 0;
  int device = 0, multiprocessors = 0, each = 0, count = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, function, threads, shared_bytes) != cudaSuccess) each = 0;
  count = each * multiprocessors / plan.cluster;
  if (plan.cluster > 1) {
    int clusters = 0;
    const Launch launch(plan, plan.group_clusters, shared_bytes, nullptr, false);
    if (cudaOccupancyMaxActiveClusters(&clusters, function, &launch.config) != cudaSuccess) clusters = 0;
    count = std::min(count, clusters);
  }
  cudaGetLastError();
  return count;
}

void launch_combined(const CombinedPlan& plan, CombinedSource source, const CombinedView& view,
                     const CombinedBatch& batch, std::size_t shared_bytes, cudaStream_t stream,
                     cuda::TimedKernel& launcher) {
  // clusters that wait for each other must all run at once, or none
  const Launch launch(plan, batch.groups * plan.group_clusters, shared_bytes, stream, plan.group_clusters > 1);
  launcher.launch(launch.config, kernel_of(plan, source), view, batch, plan);
}

}  // namespace kinema::face
