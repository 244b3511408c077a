// Algorithm 1 on the GPU. A group of blocks fits one face after the other; each block owns some of the texture's values,
// and with them a slice of [R; Qg; g0; 1] that stays in its registers and shared memory from the first iteration to the
// last. An iteration is: shapes of all damping factors, samples of the block's values at each of them, one product of the
// slice with these columns on the tensor cores, an exchange of sums between the blocks, and the choice of the factor,
// which every block makes for itself from the same sums.
#include "face/combined_cuda.cuh"
#include "face/combined_exchange_cuda.cuh"
#include "face/combined_sampling_cuda.cuh"
#include "face/combined_step_cuda.cuh"

#include <algorithm>

namespace kinema::face {
namespace {

using namespace combined;

// The matrix has two halves, numbers and what 16 bits left of them, so that a warp's job is 16 rows of one half.
// `resident`: every warp has one job at most, and keeps what it can of its slice.
template <CombinedSource kind, bool resident, int columns>
__global__ void __launch_bounds__(threads, 1)
    fit_faces(const CombinedView v, const __grid_constant__ CombinedBatch batch, const CombinedPlan plan) {
  constexpr int channels = Texel<kind>::channels, held = resident ? held_tiles : 1;
  extern __shared__ __align__(16) char memory[];
  Room room;
  lay_out(v, columns, resident, plan, channels, memory, &room);

  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const int number = static_cast<int>(blockIdx.x) / plan.cluster;
  const Place at{plan.cluster, static_cast<int>(blockIdx.x) % plan.cluster, number / plan.group_clusters,
                 number % plan.group_clusters, plan.group_clusters};
  const int block = at.member * plan.cluster + at.rank;  // within the group
  const int first_tile = block * plan.tiles, tiles = max(0, min(plan.tiles, v.value_tiles - first_tile));
  const int jobs = 2 * v.row_tiles;

  // tasks may lie on the host: they are fetched once a block, and ahead
  constexpr int task_words = sizeof(CombinedTask) / sizeof(int);
  int task_word = 0;
  if (thread < task_words && at.group < batch.faces)
    task_word = reinterpret_cast<const int*>(batch.faces == 1 ? &batch.only : batch.tasks + at.group)[thread];

  // what stays: this block's pixels, its slice of the matrix, and the small matrices
  const uint4* matrix = v.fragments + static_cast<std::size_t>(first_tile) * jobs * 32 + lane;
  const auto fragment = [&](int t, int job) { return __ldg(matrix + (t * jobs + job) * 32); };
  const auto copy = [&](void* to, const void* from, std::size_t bytes) {
    for (unsigned i = threadIdx.x * 16u; i < bytes; i += threads * 16u) {
#if __CUDA_ARCH__ >= 800
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(static_cast<char*>(to) + i)),
                   "l"(static_cast<const char*>(from) + i)
                   : "memory");
#else
      *reinterpret_cast<uint4*>(static_cast<char*>(to) + i) =
          *reinterpret_cast<const uint4*>(static_cast<const char*>(from) + i);
#endif
    }
  };
  if constexpr (resident) copy(room.small, v.small, small_bytes(v));
  const float* small = resident ? room.small : v.small;
  copy(room.by_mean, v.by_mean, v.rows * sizeof(float));
  copy(room.by_one, v.by_one, v.rows * sizeof(float));
  copy(room.most, v.most, v.modes * sizeof(float));
  copy(room.mean_shape, v.mean_shape, 2 * v.landmarks * sizeof(float));
  copy(room.pixels, v.pixels + first_tile * 16 / channels, static_cast<std::size_t>(tiles) * 16 / channels * 16);
  uint4* shared_slice = room.slices + warp * plan.shared_tiles * 32 + lane;
  uint4 slice[held];
  if constexpr (resident) {
    if (warp < jobs) {
#pragma unroll
      for (int t = 0; t < held; ++t) slice[t] = t < tiles ? fragment(t, warp) : uint4{0, 0, 0, 0};
      for (int t = 0; t < plan.shared_tiles && held + t < tiles; ++t) shared_slice[t * 32] = fragment(held + t, warp);
    }
  }
  if (thread == 0) init_arrived(room);
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  // no block writes to another before that one has begun
  cluster_barrier();

  Destination own_destination;
  float own_scale = 0;
  if constexpr (resident && columns == 4)
    if (warp < jobs) {
      const int row = min(warp % v.row_tiles * 16 + Sums<columns>::row(0), v.rows - 1);
      own_destination = destination<columns>(v, room, at, row, warp / v.row_tiles);
      own_scale = __ldg(v.unscale + warp / v.row_tiles * v.rows + row);
    }

  const Adding<columns> adding(v, at);
  const std::size_t slot_count = static_cast<std::size_t>(at.members) * (v.rows + 1) * columns * 2;
  unsigned long long* slots = batch.exchange + at.group * 2 * slot_count;
  unsigned tag = batch.tag, turn = 0;

  // the products of a job's rows with the samples of the block
  const auto multiply_job = [&](int job, float(&sum)[4]) {
    const auto* samples = reinterpret_cast<const Fragment<columns>*>(room.samples) + lane;
    float part[4][4] = {};  // independent of one another, so that none waits
    int t = 0;
    if constexpr (resident) {
#pragma unroll
      for (int i = 0; i < held; ++i)
        if (i < tiles) multiply(part[i % 4], slice[i], samples[i * 32]);
      t = held;
      const int end = min(tiles, held + plan.shared_tiles);
#pragma unroll 2
      for (; t + 1 < end; t += 2) {
        multiply(part[0], shared_slice[(t - held) * 32], samples[t * 32]);
        multiply(part[1], shared_slice[(t + 1 - held) * 32], samples[(t + 1) * 32]);
      }
      if (t < end) multiply(part[2], shared_slice[(t - held) * 32], samples[t * 32]), ++t;
    }
#pragma unroll 1
    for (; t + 3 < tiles; t += 4) {
      uint4 a[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) a[i] = fragment(t + i, job);
#pragma unroll
      for (int i = 0; i < 4; ++i) multiply(part[i], a[i], samples[(t + i) * 32]);
    }
#pragma unroll 1
    for (; t < tiles; ++t) multiply(part[3], fragment(t, job), samples[t * 32]);
#pragma unroll
    for (int i = 0; i < 4; ++i) sum[i] = (part[0][i] + part[1][i]) + (part[2][i] + part[3][i]);
  };

  // the sums of the textures at the first `active` shapes, sent to the blocks that add them up
  const auto look_at_shapes = [&](const CombinedTask& task, float centre, int active) {
    float squares = 0;
#pragma unroll 1
    for (int t = warp; t < tiles; t += warps)
      reinterpret_cast<Fragment<columns>*>(room.samples)[t * 32 + lane] =
          sample_tile<kind, columns>(task, centre, room, v.landmarks, active, t, squares);
    store_squares<columns>(squares, room.squares + warp * columns);
    __syncthreads();
#pragma unroll 1
    for (int job = warp; job < jobs; job += warps) {
      float sum[4];
      multiply_job(job, sum);
      const Sums<columns> sums(sum);
      const int half = job / v.row_tiles;
      for (int i = 0; i < Sums<columns>::rows(); ++i) {
        const int row = job % v.row_tiles * 16 + Sums<columns>::row(i);
        if (row >= v.rows) continue;
        if constexpr (resident && columns == 4) {
          send(own_destination.to, own_destination.barrier, sums.of(i, own_scale));
        } else {
          const Destination to = destination<columns>(v, room, at, row, half);
          send(to.to + Sums<columns>::offset(), to.barrier, sums.of(i, __ldg(v.unscale + half * v.rows + row)));
        }
      }
    }
    if (warp == warps - 1 && lane < 2 * columns / 4) {
      // the squares, in two parts as well
      const int quad = lane / 2;
      float4 sum{0, 0, 0, 0};
#pragma unroll
      for (int w = 0; w < warps / 2; ++w) {
        const float4 p = reinterpret_cast<const float4*>(room.squares)[(lane % 2 * warps / 2 + w) * columns / 4 + quad];
        sum.x += p.x, sum.y += p.y, sum.z += p.z, sum.w += p.w;
      }
      const Destination to = destination<columns>(v, room, at, v.rows, lane % 2);
      send(to.to + static_cast<unsigned>(quad * sizeof(float4)), to.barrier, sum);
    }
    block_barrier_without_clusters();
    if (warp >= other_threads / 32) {
      if (thread == other_threads)
        expect(room, 0, 2 * at.cluster * own_rows(v, at) * columns * static_cast<int>(sizeof(float)));
      wait_for(room, 0, turn);
      adding.add(v, room, at, slots, tag);
    } else {
      if (thread == 0) expect(room, 1, (v.rows + 1) * columns * static_cast<int>(sizeof(double)));
      look_ahead<columns>(v, room, small);
    }
    block_barrier_without_clusters();
    ++tag, ++turn;
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
    if (thread < 4) {
      room.poses[thread] = task.pose[thread];
      reinterpret_cast<float*>(room.placing)[thread] = static_cast<float>(task.pose[thread]);
    }

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
    for (int i = thread; i < padded_modes(v) * columns; i += threads) room.tried[i] = 0;
    if (thread >= 4 && thread < 4 * columns) {
      room.poses[thread] = 0;
      reinterpret_cast<float*>(room.placing)[thread] = 0;
    }
    if (thread == 0) *room.converged = 0;
    __syncthreads();

    double error = 0;  // known to those who make the step
    int iterations = 0;
    bool settled = !task.from_shape, start = true;
    constexpr int pose_warp = other_threads / 32 - 1;
    const bool steps = warp == pose_warp || (warp < pose_warp && warp * 32 < v.modes);
    while (start || (iterations < v.iterations && *room.converged == 0)) {
      if (settled) {
        make_shapes<columns>(v, room, small);
        __syncthreads();
      }
      const int active = start ? 1 : v.factors;
      look_at_shapes(task, centre, active);
      if (!steps) {
        iterations += settled && !start ? 1 : 0;
        start &= !settled;
        settled = true;
        __syncthreads();
        continue;
      }
      const double2 known = quadratic<columns>(v, room);
      wait_for(room, 1, turn - 1);
      if (!settled) {
        double unused;
        const Scale scale = normalise<columns>(v, room, 0, unused);
#pragma unroll 1
        for (int i = thread; warp < pose_warp && i < v.modes; i += pose_warp * 32) {
          const int row = v.modes + 4 + i;
          const float c = batch.shape_parts[static_cast<std::size_t>(face) * v.modes + i] +
                          static_cast<float>(product<columns>(room, row, 0, scale)) - room.by_mean[row];
          room.tried[i * columns] = fminf(fmaxf(c, -room.most[i]), room.most[i]);
        }
        settled = true;
        __syncthreads();
        continue;
      }

      // the first factor that lowers E is taken; the loop ends when that gains little, or there is none
      Scale scale;
      const double own_error = find_error<columns>(v, room, known, scale), before = error;
      int taken = start ? 0 : -1;
      if (start) error = __shfl_sync(whole_warp, own_error, 0);
#pragma unroll
      for (int k = 0; k < columns; ++k) {
        const double one = __shfl_sync(whole_warp, own_error, k * (32 / columns));
        if (k < active && taken < 0 && one < before) taken = k, error = one;
      }
      if (!start) {
        ++iterations;
        if (thread == 0)
          *room.converged = v.threshold >= 0 && (taken < 0 || before - error < v.threshold * before) ? 1 : 0;
      }
      const int from = max(taken, 0) * (32 / columns);
      scale.offset = __shfl_sync(whole_warp, scale.offset, from);
      scale.factor = __shfl_sync(whole_warp, scale.factor, from);

      // line 6: dp = -R r = R g0 + R Qg^T c - R g, and line 8 for every factor
      const auto step = [&](int row) {
        return taken < 0 ? room.dp[row]
                         : static_cast<float>(static_cast<double>(room.by_mean[row]) -
                                              product<columns>(room, row, taken, scale) +
                                              static_cast<double>(room.by_c[row * columns + taken]));
      };
      if (warp < pose_warp) {
#pragma unroll 1
        for (int i = thread; i < v.modes; i += pose_warp * 32) {
          const float by = step(i), c = taken < 0 ? room.c[i] : room.tried[i * columns + taken], most = room.most[i];
          room.dp[i] = by;
          room.c[i] = c;
#pragma unroll
          for (int k = 0; k < columns; ++k)
            room.tried[i * columns + k] = k < v.factors ? fminf(fmaxf(fmaf(v.factor[k], by, c), -most), most) : 0;
        }
      } else {
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
          room.placing[lane] = {static_cast<float>(to[0]), static_cast<float>(to[1]), static_cast<float>(to[2]),
                                static_cast<float>(to[3])};
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
      CombinedResult result{{}, error / v.values, iterations, *room.converged};
      for (int j = 0; j < 4; ++j) result.pose[j] = room.poses[4 * columns + j];
      batch.results[face] = result;
    }
  }
}

// Every kernel that there is, by what it is made for.
using Kernel = void (*)(CombinedView, CombinedBatch, CombinedPlan);

template <CombinedSource kind>
Kernel kernel_of(bool resident, int columns) {
  if (columns == 8) return fit_faces<kind, false, 8>;
  return resident ? fit_faces<kind, true, 4> : fit_faces<kind, false, 4>;
}

int columns_of(const CombinedView& view) { return view.factors <= 4 ? 4 : 8; }

Kernel kernel_of(const CombinedView& view, CombinedSource source) {
  const int columns = columns_of(view);
  const bool resident = combined_stays(view);
  switch (source) {
    case CombinedSource::bytes:
      return kernel_of<CombinedSource::bytes>(resident, columns);
    case CombinedSource::floats:
      return kernel_of<CombinedSource::floats>(resident, columns);
    case CombinedSource::pairs:
      break;
  }
  return kernel_of<CombinedSource::pairs>(resident, columns);
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

// Up to 4 factors, at most a job a warp, and small matrices that leave room for others.
bool combined_stays(const CombinedView& view) {
  return view.factors <= 4 && 2 * view.row_tiles <= warps && small_bytes(view) <= 100 * 1024;
}

std::size_t combined_shared_bytes(const CombinedPlan& plan, const CombinedView& view, CombinedSource source) {
  return lay_out(view, columns_of(view), combined_stays(view), plan, source == CombinedSource::pairs ? 2 : 1, nullptr,
                 nullptr);
}

CombinedPlan combined_plan(const CombinedView& view, CombinedSource source, int cluster, int group_clusters) {
  CombinedPlan plan;
  plan.cluster = cluster;
  plan.group_clusters = group_clusters;
  const int blocks = cluster * group_clusters;
  plan.tiles = (view.value_tiles + blocks - 1) / blocks;
  int device = 0, most = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  const auto bytes = static_cast<int>(combined_shared_bytes(plan, view, source)), tile = 2 * view.row_tiles * 512;
  if (combined_stays(view))
    plan.shared_tiles = std::clamp((most - bytes) / tile, 0, std::max(0, plan.tiles - held_tiles));
  return plan;
}

int combined_active_clusters(const CombinedPlan& plan, const CombinedView& view, CombinedSource source,
                             std::size_t shared_bytes) {
  const Kernel kernel = kernel_of(view, source);
  if (!prepare(kernel, plan, shared_bytes)) return 0;
  const auto function = reinterpret_cast<const void*>(kernel);
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
  cuda::check(cudaLaunchKernelEx(&launch.config, kernel_of(view, source), view, batch, plan), "fitting faces");
}

}  // namespace kinema::face
