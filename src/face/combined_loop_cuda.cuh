// Algorithm 1 on the GPU: the kernel. A group of blocks fits one face after the other; each block owns some of the
// texture's values, and with them a slice of [R; Qg; g0; 1] that stays in its registers and shared memory from the first
// iteration to the last. An iteration is: shapes of all damping factors, samples of the block's values at each of them,
// one product of the slice with these columns on the tensor cores, an exchange of sums between the blocks, and the choice
// of the factor, which every block makes for itself from the same sums.
#pragma once

#include "face/combined_exchange_cuda.cuh"
#include "face/combined_sampling_cuda.cuh"
#include "face/combined_step_cuda.cuh"

#include <algorithm>

namespace kinema::face::combined {

// The matrix has two halves, numbers and what 16 bits left of them, so that a warp's job is 16 rows of one half.
// `held_tiles`: every warp has one job at most, and keeps its slice of so many tiles in registers; 0: it keeps nothing.
template <CombinedSource kind, int held_tiles, int columns>
__global__ void __launch_bounds__(threads, 1)
    fit_faces(const CombinedView v, const __grid_constant__ CombinedBatch batch, const CombinedPlan plan) {
  constexpr int channels = Texel<kind>::channels, held = std::max(held_tiles, 1);
  constexpr bool resident = held_tiles > 0;
  extern __shared__ __align__(16) char memory[];
  Room room;
  lay_out(v, columns, resident, plan, channels, memory, &room);

  const int thread = thread_id(), lane = lane_id(), warp = warp_id();
  const int number = static_cast<int>(blockIdx.x) / plan.cluster;
  const Place at{plan.cluster,
                 static_cast<int>(blockIdx.x) % plan.cluster,
                 plan.share,
                 number / plan.group_clusters,
                 number % plan.group_clusters,
                 plan.group_clusters};
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
  // what the product takes in any case
  if constexpr (resident)
#pragma unroll 1
    for (int i = tiles * 32 + thread; i < held * 32; i += threads) room.samples[i] = {0, 0};
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
      own_destination = destination<columns>(room, at, row, warp / v.row_tiles);
      own_scale = __ldg(v.unscale + warp / v.row_tiles * v.rows + row);
    }

  const int adds = own_rows(v, at);
  const std::size_t slot_count = static_cast<std::size_t>(at.members) * (v.rows + 1) * columns * 2;
  unsigned long long* slots = batch.exchange + at.group * 2 * slot_count;
  unsigned tag = batch.tag;
  const auto tried_at = [&](unsigned turn) { return room.tried + (turn & 1) * padded_modes(v) * columns; };

  // the products of a job's rows with the samples of the block
  const auto multiply_job = [&](int job, float(&sum)[4]) {
    const auto* samples = reinterpret_cast<const Fragment<columns>*>(room.samples) + lane;
    float part[4][4] = {};  // independent of one another, so that none waits
    int t = 0;
    if constexpr (resident) {
#pragma unroll
      for (int i = 0; i < held; ++i) multiply(part[i % 4], slice[i], samples[i * 32]);
      t = held;
      const int end = min(tiles, held + plan.shared_tiles);
#pragma unroll 1
      for (; t + 3 < end; t += 4)
#pragma unroll
        for (int i = 0; i < 4; ++i) multiply(part[i], shared_slice[(t - held + i) * 32], samples[(t + i) * 32]);
#pragma unroll 1
      for (; t < end; ++t) multiply(part[0], shared_slice[(t - held) * 32], samples[t * 32]);
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
          const Destination to = destination<columns>(room, at, row, half);
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
      const Destination to = destination<columns>(room, at, v.rows, lane % 2);
      send(to.to + static_cast<unsigned>(quad * sizeof(float4)), to.barrier, sum);
    }
    block_barrier_without_clusters();
    if (warp >= other_threads / 32) {
      if (thread == other_threads) expect(room, 0, 2 * at.cluster * adds * columns * static_cast<int>(sizeof(float)));
      wait_for(room, 0, tag - batch.tag);
      add_parts<columns>(v, room, at, adds, slots, tag);
    } else {
      if (thread == 0) expect(room, 1, (v.rows + 1) * columns * static_cast<int>(sizeof(double)));
      look_ahead<columns>(v, room, small, tried_at(tag));
    }
    block_barrier_without_clusters();
    ++tag;
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

    // what is subtracted from samples, so that sums lose little: of bytes the middle, of floats what is at the landmarks
    float centre = 0;
    if (task.centred) {
      if constexpr (kind == CombinedSource::bytes) centre = 128;
      // every warp finds it for itself: the same number, and no wait
      if constexpr (kind == CombinedSource::floats)
        centre = centre_of<float>(v, room, task, batch.shapes + static_cast<std::size_t>(face) * v.landmarks * 2);
    }

    // line 3: c = 0 at a mean shape; else that of the shape so far, and of the texture there
    if (task.from_shape)
#pragma unroll 1
      for (int i = thread; i < v.landmarks; i += threads) {
        const float* p = batch.shapes + (static_cast<std::size_t>(face) * v.landmarks + i) * 2;
        room.shapes[i] = {p[0], p[1]};
      }
#pragma unroll 1
    for (int i = thread; i < 2 * padded_modes(v) * columns; i += threads) room.tried[i] = 0;
    if (thread >= 4 && thread < 4 * columns) {
      room.poses[thread] = 0;
      reinterpret_cast<float*>(room.placing)[thread] = 0;
    }
    if (thread == 0) *room.stage = task.from_shape ? unsettled : first_look;
    __syncthreads();

    double error = 0;  // this and the iterations are known to those who make the step
    int iterations = 0, converged = 0;
    constexpr int pose_warp = other_threads / 32 - 1;
    const bool steps = warp == pose_warp || (warp < pose_warp && warp * 32 < v.modes);
    for (int next = *room.stage; next != finished; __syncthreads(), next = *room.stage) {
      if (next != unsettled) {
        make_shapes<columns>(v, room, small, tried_at(tag));
        __syncthreads();
      }
      const int active = next == iterate ? v.factors : 1;
      look_at_shapes(task, centre, active);
      if (!steps) continue;
      const float* tried = tried_at(tag - 1);
      float* next_tried = tried_at(tag);  // others may still be reading those of now
      const double2 known = quadratic<columns>(v, room, tried);
      wait_for(room, 1, tag - 1 - batch.tag);
      if (next == unsettled) {
        double unused;
        const Scale scale = normalise<columns>(v, room, 0, unused);
#pragma unroll 1
        for (int i = thread; warp < pose_warp && i < v.modes; i += pose_warp * 32) {
          const int row = v.modes + 4 + i;
          const float c = batch.shape_parts[static_cast<std::size_t>(face) * v.modes + i] +
                          static_cast<float>(product<columns>(room, row, 0, scale)) - room.by_mean[row];
          next_tried[i * columns] = fminf(fmaxf(c, -room.most[i]), room.most[i]);
        }
        if (thread == 0) *room.stage = first_look;
        continue;
      }

      // the first factor that lowers E is taken; the loop ends when that gains little, or there is none
      Scale scale;
      const double own_error = find_error<columns>(v, room, tried, known, scale), before = error;
      int taken = -1;
      if (next == first_look) taken = 0, error = __shfl_sync(whole_warp, own_error, 0);
#pragma unroll
      for (int k = 0; k < columns; ++k) {
        const double one = __shfl_sync(whole_warp, own_error, k * (32 / columns));
        if (k < active && taken < 0 && one < before) taken = k, error = one;
      }
      if (next == iterate) {
        ++iterations;
        converged = v.threshold >= 0 && (taken < 0 || before - error < v.threshold * before) ? 1 : 0;
      }
      if (thread == 0) *room.stage = iterations < v.iterations && converged == 0 ? iterate : finished;
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
          const float by = step(i), c = taken < 0 ? room.c[i] : tried[i * columns + taken], most = room.most[i];
          room.dp[i] = by;
          room.c[i] = c;
#pragma unroll
          for (int k = 0; k < columns; ++k)
            next_tried[i * columns + k] = k < v.factors ? fminf(fmaxf(fmaf(v.factor[k], by, c), -most), most) : 0;
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

}  // namespace kinema::face::combined
