// Algorithm 1 on the GPU: how its kernel is divided and launched.
#include "face/combined_cuda.cuh"
#include "face/combined_loop_cuda.cuh"

#include <algorithm>

namespace kinema::face {
namespace {

using namespace combined;

// Every kernel that there is, by what it is made for.
using Kernel = void (*)(CombinedView, CombinedBatch, CombinedPlan);

template <CombinedSource kind>
Kernel kernel_of(int held_tiles, int columns) {
  if (columns == 8) return fit_faces<kind, 0, 8>;
  return held_tiles == 0 ? fit_faces<kind, 0, 4> : held_tiles == 12 ? fit_faces<kind, 12, 4> : fit_faces<kind, 16, 4>;
}

int columns_of(const CombinedView& view) { return view.factors <= 4 ? 4 : 8; }

Kernel kernel_of(const CombinedPlan& plan, const CombinedView& view, CombinedSource source) {
  const int columns = columns_of(view);
  switch (source) {
    case CombinedSource::bytes:
      return kernel_of<CombinedSource::bytes>(plan.held_tiles, columns);
    case CombinedSource::floats:
      return kernel_of<CombinedSource::floats>(plan.held_tiles, columns);
    case CombinedSource::pairs:
      break;
  }
  return kernel_of<CombinedSource::pairs>(plan.held_tiles, columns);
}

int most_shared_bytes() {
  int device = 0, most = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  return most;
}

// What a kernel is allowed holds for all who launch it, so it is always the same.
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

// Up to 4 factors, at most a job a warp, and small matrices that leave room for others.
bool combined_stays(const CombinedView& view) {
  return view.factors <= 4 && 2 * view.row_tiles <= warps && small_bytes(view) <= 100 * 1024;
}

std::size_t combined_shared_bytes(const CombinedPlan& plan, const CombinedView& view, CombinedSource source) {
  return lay_out(view, columns_of(view), plan.held_tiles > 0, plan, source == CombinedSource::pairs ? 2 : 1, nullptr,
                 nullptr);
}

CombinedPlan combined_plan(const CombinedView& view, CombinedSource source, int cluster, int group_clusters,
                           int held_tiles) {
  CombinedPlan plan;
  plan.cluster = cluster;
  plan.group_clusters = group_clusters;
  const int blocks = cluster * group_clusters;
  plan.share = (view.rows + cluster) / cluster;
  plan.tiles = (view.value_tiles + blocks - 1) / blocks;
  if (!combined_stays(view)) return plan;
  // fewer in registers leave some for other work, and more tiles have no other place
  plan.held_tiles = held_tiles > 0 ? held_tiles : plan.tiles <= 16 ? 12 : 16;
  const auto bytes = static_cast<int>(combined_shared_bytes(plan, view, source)), tile = 2 * view.row_tiles * 512;
  plan.shared_tiles = std::clamp((most_shared_bytes() - bytes) / tile, 0, std::max(0, plan.tiles - plan.held_tiles));
  return plan;
}

int combined_active_clusters(const CombinedPlan& plan, const CombinedView& view, CombinedSource source,
                             std::size_t shared_bytes) {
  const Kernel kernel = kernel_of(plan, view, source);
  if (!prepare(kernel, plan, shared_bytes)) return 0;
  const auto function = reinterpret_cast<const void*>(kernel);
  // code that was made for GPUs without clusters runs on newer ones too, but knows no clusters; other code needs them
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
                     const CombinedBatch& batch, std::size_t shared_bytes, cudaStream_t stream) {
  // clusters that wait for one another must all run at once, or none
  const Launch launch(plan, batch.groups * plan.group_clusters, shared_bytes, stream, plan.group_clusters > 1);
  cuda::check(cudaLaunchKernelEx(&launch.config, kernel_of(plan, view, source), view, batch, plan), "fitting faces");
}

}  // namespace kinema::face
