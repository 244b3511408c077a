// Algorithm 1 on the GPU. A group of blocks fits one face after the other; each block owns some of the texture's values,
// and with them a slice of [R; Qg; g0; 1] that stays in its registers from the first iteration to the last. An iteration
// is: shapes of all damping factors, samples of the block's values at each of them, one product of the slice with these
// columns on the tensor cores, an exchange of sums between the blocks, and the choice of the factor, which every block
// makes for itself from the same sums.
#include "face/combined_cuda.cuh"
#include "face/combined_exchange_cuda.cuh"
#include "face/combined_sampling_cuda.cuh"
#include "face/combined_step_cuda.cuh"

#include <algorithm>

namespace kinema::face {
namespace {

using namespace combined;

// `register_tiles`: of each warp, those whose part of the matrix stays in registers; 0: no part stays anywhere.
template <CombinedSource kind, int register_tiles, int columns>
__global__ void __launch_bounds__(threads, 1)
    fit_faces(const CombinedView v, const CombinedBatch batch, int warp_tiles, int cluster) {
  constexpr bool resident = register_tiles > 0;
  constexpr int held = resident ? register_tiles : 1;
  constexpr int channels = Texel<kind>::channels;
  const int shared_tiles = resident ? warp_tiles - register_tiles : 0;
  extern __shared__ __align__(16) char memory[];
  Room room;
  lay_out(v, columns, resident, warp_tiles, shared_tiles, channels, cluster, small_is_shared(v), memory, &room);

  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const int number = static_cast<int>(blockIdx.x) / cluster;
  const Place at{cluster, static_cast<int>(blockIdx.x) % cluster, number / batch.group_clusters,
                 number % batch.group_clusters, batch.group_clusters};
  const int block = at.member * cluster + at.rank;  // within the group
  const int first_tile = (block * warps + warp) * warp_tiles;

  // tasks may lie on the host: they are fetched once a block, and ahead
  constexpr int task_words = sizeof(CombinedTask) / sizeof(int);
  int task_word = 0;
  if (thread < task_words && at.group < batch.faces)
    task_word = reinterpret_cast<const int*>(batch.tasks + at.group)[thread];

  // what stays: this block's pixels, its slice of the matrix, and the small matrices
  const auto fragment = [&](int t, int r) {
    return first_tile + t < v.value_tiles && r < v.row_tiles
               ? __ldg(v.fragments + (static_cast<std::size_t>(first_tile + t) * v.row_tiles + r) * 32 + lane)
               : uint4{0, 0, 0, 0};
  };
  uint4 slice[held][resident_row_tiles];
  uint4* shared_slice = room.slices + warp * shared_tiles * resident_row_tiles * 32 + lane;
  if constexpr (resident) {
#pragma unroll
    for (int t = 0; t < held; ++t)
#pragma unroll
      for (int r = 0; r < resident_row_tiles; ++r) slice[t][r] = fragment(t, r);
    for (int t = 0; t < shared_tiles; ++t)
#pragma unroll
      for (int r = 0; r < resident_row_tiles; ++r)
        shared_slice[(t * resident_row_tiles + r) * 32] = fragment(held + t, r);
  }
  const int block_pixels = warps * warp_tiles * 16 / channels;
#pragma unroll 1
  for (int i = thread; i < block_pixels; i += threads) {
    const int pixel = block * block_pixels + i;
    room.pixels[i] =
        pixel < v.value_tiles * 16 / channels ? __ldg(v.pixels + pixel) : float4{0, 0, 0, __uint_as_float(no_pixel)};
  }
  const auto copy = [&](float* to, const float* from, int count) {
#pragma unroll 1
    for (int i = thread; i < count; i += threads) to[i] = __ldg(from + i);
  };
  if (small_is_shared(v)) {
    const auto from = reinterpret_cast<const float4*>(v.small);
    const auto to = reinterpret_cast<float4*>(room.small);
#pragma unroll 4
    for (int i = thread; i < v.modes * v.small_width / 4; i += threads) to[i] = __ldg(from + i);
  }
  const float* small = small_is_shared(v) ? room.small : v.small;
  copy(room.by_mean, v.by_mean, v.rows);
  copy(room.by_one, v.by_one, v.rows);
  copy(room.unscale, v.unscale, v.rows);
  copy(room.most, v.most, v.modes);
  copy(room.mean_shape, v.mean_shape, 2 * v.landmarks);

  // no block writes to another before that one has begun
  cluster_barrier();

  const int sums = (v.rows + 1) * columns;
  unsigned long long* slots = batch.exchange + static_cast<std::size_t>(at.group) * 2 * at.members * sums;
  unsigned tag = batch.tag;

  // the sums of the textures at the first `active` shapes, of all blocks
  const auto look_at_shapes = [&](const CombinedTask& task, float centre, int active) {
    float squares = 0;
    if constexpr (resident) {
      float sum[resident_row_tiles][4] = {};
#pragma unroll
      for (int t = 0; t < held; ++t) {
        const uint4 b =
            sample_tile<kind, columns>(task, centre, room, v.landmarks, active, warp * warp_tiles + t, squares);
#pragma unroll
        for (int r = 0; r < resident_row_tiles; ++r) multiply(sum[r], slice[t][r], b);
      }
#pragma unroll 1
      for (int t = 0; t < shared_tiles; ++t) {
        const uint4 b =
            sample_tile<kind, columns>(task, centre, room, v.landmarks, active, warp * warp_tiles + held + t, squares);
#pragma unroll
        for (int r = 0; r < resident_row_tiles; ++r)
          multiply(sum[r], shared_slice[(t * resident_row_tiles + r) * 32], b);
      }
      float* own = room.warp_sums + warp * resident_row_tiles * 16 * columns;
#pragma unroll
      for (int r = 0; r < resident_row_tiles; ++r) store_sums<columns>(sum[r], own + r * 16 * columns);
      __syncwarp();
      store_squares<columns>(squares, own + v.rows * columns);
      __syncthreads();
      add_warps<columns>(room, at, resident_row_tiles * 16, 0, v.rows + 1, sums);
    } else {
      for (int t = 0; t < warp_tiles; ++t)
        room.columns[(warp * warp_tiles + t) * 32 + lane] =
            sample_tile<kind, columns>(task, centre, room, v.landmarks, active, warp * warp_tiles + t, squares);
      for (int first = 0; first < v.row_tiles; first += resident_row_tiles) {
        const int count = min(resident_row_tiles, v.row_tiles - first);
        const int chunk_rows = min(v.row_tiles, resident_row_tiles) * 16;
        float sum[resident_row_tiles][4] = {};
        for (int t = 0; t < warp_tiles && first_tile + t < v.value_tiles; ++t) {
          const uint4 b = room.columns[(warp * warp_tiles + t) * 32 + lane];
          const uint4* a = v.fragments + (static_cast<std::size_t>(first_tile + t) * v.row_tiles + first) * 32 + lane;
#pragma unroll
          for (int r = 0; r < resident_row_tiles; ++r)
            if (r < count) multiply(sum[r], __ldg(a + r * 32), b);
        }
        float* own = room.warp_sums + warp * chunk_rows * columns;
        __syncthreads();  // the sums of the rows before have been read
#pragma unroll
        for (int r = 0; r < resident_row_tiles; ++r)
          if (r < count) store_sums<columns>(sum[r], own + r * 16 * columns);
        __syncwarp();
        if (v.rows >= first * 16 && v.rows < (first + count) * 16)
          store_squares<columns>(squares, own + (v.rows - first * 16) * columns);
        __syncthreads();
        add_warps<columns>(room, at, chunk_rows, first * 16, min(count * 16, v.rows + 1 - first * 16), sums);
      }
    }
    exchange(room, at, sums, slots, tag++);
  };

  for (int face = at.group; face < batch.faces; face += batch.groups) {
    __syncthreads();  // the face before is done with its room
    if (thread < task_words) {
      reinterpret_cast<int*>(room.task)[thread] = task_word;
      if (face + batch.groups < batch.faces)
        task_word = reinterpret_cast<const int*>(batch.tasks + face + batch.groups)[thread];
    }
    __syncthreads();
    const CombinedTask& task = *room.task;
    if (thread < 4) room.poses[thread] = task.pose[thread];

    float centre = 0;
    if constexpr (channels == 1) {
      using T = typename Texel<kind>::Type;
      // every warp finds it for itself: the same number, and no wait
      if (task.centred)
        centre = centre_of<T>(v, room, task, batch.shapes + static_cast<std::size_t>(face) * v.landmarks * 2);
    }

    // line 3: c = 0 at a mean shape; else that of the shape so far, and of the texture there
    if (task.from_shape)
#pragma unroll 1
      for (int i = thread; i < v.landmarks; i += threads) {
        const float* p = batch.shapes + (static_cast<std::size_t>(face) * v.landmarks + i) * 2;
        room.shapes[i] = {p[0], p[1]};
      }
#pragma unroll 1
    for (int i = thread; i < v.modes * columns; i += threads) room.tried[i] = 0;
    if (thread >= 4 && thread < 4 * columns) room.poses[thread] = 0;
    __syncthreads();

    double error = 0;
    int iterations = 0;
    bool converged = false, settled = !task.from_shape, start = true;
    while (start || (iterations < v.iterations && !converged)) {
      if (settled) {
        make_shapes<columns>(v, room, small);
        __syncthreads();
      }
      const int active = start ? 1 : v.factors;
      look_at_shapes(task, centre, active);
      if (!settled) {
#pragma unroll 1
        for (int i = thread; i < v.modes; i += threads) {
          const int row = v.modes + 4 + i;
          double unused;
          const float2 scale = normalise<columns>(v, room, 0, unused);
          const float c = batch.shape_parts[static_cast<std::size_t>(face) * v.modes + i] +
                          product<columns>(room, row, 0, scale) - room.by_mean[row];
          room.tried[i * columns] = fminf(fmaxf(c, -room.most[i]), room.most[i]);
        }
        settled = true;
        __syncthreads();
        continue;
      }
      find_errors<columns>(v, room, active);
      __syncthreads();

      // the first factor that lowers E is taken; the loop ends when that gains little, or there is none
      int taken = start ? 0 : -1;
      for (int k = 0; k < active && taken < 0; ++k)
        if (room.errors[k] < error) taken = k;
      if (!start) {
        ++iterations;
        converged = v.threshold >= 0 && (taken < 0 || error - room.errors[taken] < v.threshold * error);
      }
      if (taken >= 0) error = room.errors[taken];
      const float2 scale = room.scales[max(taken, 0)];

      // line 6: dp = -R r = R g0 + R Qg^T c - R g, and line 8 for every factor
      const auto step = [&](int row) {
        return taken < 0 ? room.dp[row]
                         : room.by_mean[row] + room.by_c[(v.modes + row) * columns + taken] -
                               product<columns>(room, row, taken, scale);
      };
#pragma unroll 1
      for (int i = thread; i < v.modes; i += threads) {
        const float by = step(i), c = taken < 0 ? room.c[i] : room.tried[i * columns + taken], most = room.most[i];
        room.dp[i] = by;
        room.c[i] = c;
#pragma unroll
        for (int k = 0; k < columns; ++k)
          room.tried[i * columns + k] = k < v.factors ? fminf(fmaxf(fmaf(v.factor[k], by, c), -most), most) : 0;
      }
      if (warp == warps - 1) {
        // a lane a parameter of the step, then a lane a factor
        const float d = lane < 4 ? step(v.modes + lane) : 0;
        const float d0 = __shfl_sync(whole_warp, d, 0), d1 = __shfl_sync(whole_warp, d, 1);
        const float d2 = __shfl_sync(whole_warp, d, 2), d3 = __shfl_sync(whole_warp, d, 3);
        const double* best = room.poses + 4 * (taken < 0 ? columns : taken);
        const double t0 = best[0], t1 = best[1], t2 = best[2], t3 = best[3];
        __syncwarp();
        if (lane < 4) room.dp[v.modes + lane] = d;
        if (lane < v.factors) {
          const double f = v.factor[lane], a = 1 + f * d0, b = f * d1, x = f * d2, y = f * d3;
          double* to = room.poses + 4 * lane;
          to[0] = t0 * a - t1 * b, to[1] = t0 * b + t1 * a;
          to[2] = t0 * x - t1 * y + t2, to[3] = t1 * x + t0 * y + t3;
        }
        if (lane == 31) {
          double* to = room.poses + 4 * columns;
          to[0] = t0, to[1] = t1, to[2] = t2, to[3] = t3;
        }
      }
      start = false;
      __syncthreads();
    }
    if (block != 0) continue;
#pragma unroll 1
    for (int i = thread; i < v.modes; i += threads)
      batch.parameters[static_cast<std::size_t>(face) * v.modes + i] = room.c[i];
    if (thread == 0) {
      CombinedResult result{{}, error / v.values, iterations, converged};
      for (int j = 0; j < 4; ++j) result.pose[j] = room.poses[4 * columns + j];
      batch.results[face] = result;
    }
  }
}

// Every kernel that there is, by what it is made for.
using Kernel = void (*)(CombinedView, CombinedBatch, int, int);

template <CombinedSource kind>
Kernel kernel_of(const CombinedPlan& plan, int columns) {
  if (!plan.resident) return columns == 4 ? fit_faces<kind, 0, 4> : fit_faces<kind, 0, 8>;
  if (columns != 4) return nullptr;
  return plan.warp_tiles == 1 ? fit_faces<kind, 1, 4> : fit_faces<kind, 2, 4>;
}

Kernel kernel_of(const CombinedPlan& plan, CombinedSource source, int factors) {
  const int columns = factors <= 4 ? 4 : 8;
  switch (source) {
    case CombinedSource::bytes:
      return kernel_of<CombinedSource::bytes>(plan, columns);
    case CombinedSource::floats:
      return kernel_of<CombinedSource::floats>(plan, columns);
    case CombinedSource::pairs:
      break;
  }
  return kernel_of<CombinedSource::pairs>(plan, columns);
}

bool prepare(Kernel kernel, const CombinedPlan& plan, std::size_t shared_bytes) {
  const auto function = reinterpret_cast<const void*>(kernel);
  bool ready = cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(shared_bytes)) == cudaSuccess;
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

std::size_t combined_shared_bytes(const CombinedPlan& plan, const CombinedView& view, CombinedSource source) {
  const int channels = source == CombinedSource::pairs ? 2 : 1;
  const int shared_tiles = plan.resident ? std::max(0, plan.warp_tiles - 2) : 0;
  return lay_out(view, view.factors <= 4 ? 4 : 8, plan.resident, plan.warp_tiles, shared_tiles, channels, plan.cluster,
                 small_is_shared(view), nullptr, nullptr);
}

int combined_active_clusters(const CombinedPlan& plan, CombinedSource source, int factors, std::size_t shared_bytes) {
  const Kernel kernel = kernel_of(plan, source, factors);
  if (kernel == nullptr || !prepare(kernel, plan, shared_bytes)) return 0;
  const auto function = reinterpret_cast<const void*>(kernel);
  int count = 0;
  if (plan.cluster > 1) {
    const Launch launch(plan, plan.group_clusters, shared_bytes, nullptr, false);
    if (cudaOccupancyMaxActiveClusters(&count, function, &launch.config) != cudaSuccess) count = 0;
  } else {
    int device = 0, multiprocessors = 0, each = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, function, threads, shared_bytes) != cudaSuccess) each = 0;
    count = each * multiprocessors;
  }
  cudaGetLastError();
  return count;
}

void launch_combined(const CombinedPlan& plan, CombinedSource source, const CombinedView& view,
                     const CombinedBatch& batch, std::size_t shared_bytes, cudaStream_t stream) {
  const Kernel kernel = kernel_of(plan, source, view.factors);
  // clusters that wait for one another must all run at once, or none
  const Launch launch(plan, batch.groups * batch.group_clusters, shared_bytes, stream, batch.group_clusters > 1);
  cuda::check(cudaLaunchKernelEx(&launch.config, kernel, view, batch, plan.warp_tiles, plan.cluster), "fitting faces");
}

}  // namespace kinema::face
