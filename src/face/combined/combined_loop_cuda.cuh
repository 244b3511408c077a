// Algorithm 1 on the GPU: the kernel. A group of blocks fits one face after the other; each block owns some of the
// texture's values, and thus a slice of [R; Qg; g0; 1] that stays in its registers and shared memory from the first
// iteration to the last. An iteration computes the shapes of all damping factors, samples the block's values at each of
// them, multiplies the slice with these columns on the tensor cores, exchanges sums between the blocks, and chooses the
// factor, which every block does on its own from the same sums.
#pragma once

#include "face/combined/combined_copy_cuda.cuh"
#include "face/combined/combined_exchange_cuda.cuh"
#include "face/combined/combined_sampling_cuda.cuh"
#include "face/combined/combined_step_cuda.cuh"

#include <algorithm>

namespace kinema::face::combined {

// The matrix has two halves: numbers rounded to 16 bits, and the remainders. A warp's job is 16 rows of both, of every
// second tile of values. `held_tiles`: every warp has at most one job, and keeps its slice of this many tiles in
// registers; 0: it keeps nothing.
template <CombinedSource kind, int held_tiles, int columns>
__global__ void __launch_bounds__(threads, 1)
    fit_faces(const CombinedView v, const __grid_constant__ CombinedBatch batch,
              const __grid_constant__ CombinedPlan plan) {
  constexpr int channels = Texel<kind>::channels, held = std::max(held_tiles, 1);
  constexpr bool resident = held_tiles > 0;
  extern __shared__ __align__(16) char memory[];
  const SharedMemory shared = shared_memory_at(memory, v, plan);

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

  // tasks may lie on the host: they are fetched once per block, and ahead of use
  constexpr int task_words = sizeof(CombinedTask) / sizeof(int);
  int task_word = 0;
  if (thread < task_words && at.group < batch.faces)
    task_word = reinterpret_cast<const int*>(batch.faces == 1 ? &batch.only : batch.tasks + at.group)[thread];

  // no block writes to another before that one has started
  if (thread == 0) init_arrived(shared);
  cluster_arrive();

  // Data that stays on chip. First the input of the first samples: the pixels and the small arrays; then the slice of
  // the matrix, which is waited for at its first use. The small matrices follow, see start_small(). Short code, since
  // it runs once and has to be fetched first.
  const auto copy = [&](void* to, const void* from, std::size_t bytes) {
#pragma unroll 1
    for (unsigned i = threadIdx.x * 16u; i < bytes; i += threads * 16u)
      start_copy(static_cast<char*>(to) + i, static_cast<const char*>(from) + i);
  };
  copy(shared.pixels, v.pixels + first_tile * 16 / channels, static_cast<std::size_t>(tiles) * 16 / channels * 16);
  copy(shared.small_unscale, v.small_unscale, plan.at.array_bytes);
  end_copies();
  const uint4* matrix = v.fragments + static_cast<std::size_t>(first_tile) * jobs * 32 + lane;
  const auto fragment = [&](int t, int half, int row_tile) {
    return matrix + ((t * 2 + half) * v.row_tiles + row_tile) * 32;
  };
  const int own_rows_tile = warp % v.row_tiles, own_part = warp / v.row_tiles;
  uint4* shared_slice = shared.slices + warp * plan.shared_tiles * 32 + lane;
  uint4 slice[held];
  if constexpr (resident) {
    if (warp < jobs) {
#pragma unroll
      for (int i = 0; i < held; ++i) {
        const int t = i / 2 * 2 + own_part;
        slice[i] = t < tiles ? __ldg(fragment(t, i % 2, own_rows_tile)) : uint4{0, 0, 0, 0};
      }
      // each lane copies what it will read itself
#pragma unroll 1
      for (int i = 0; i < plan.shared_tiles; ++i) {
        const int t = held + i / 2 * 2 + own_part;
        if (t < tiles) start_copy(shared_slice + i * 32, fragment(t, i % 2, own_rows_tile));
      }
    }
#if __CUDA_ARCH__ < 900
    copy(shared.small, v.small, small_size(v) * sizeof(uint4));
#endif
  }
  end_copies();
  const uint4* small = resident ? shared.small : v.small;

  Destination own_destination;
  float own_scale = 0;
  bool own_sends = false;
  if constexpr (resident) {
    const int row = own_rows_tile * 16 + Sums<columns>::row(0);
    own_sends = warp < jobs && Sums<columns>::rows() == 1 && row < v.rows;
    if (own_sends) {
      own_destination = destination<columns>(shared, at, row, own_part);
      own_scale = __ldg(v.unscale + row);
    }
  }
  // input of the product in any case
  if constexpr (resident)
#pragma unroll 1
    for (int i = tiles * 32 + thread; i < held * 32; i += threads) shared.samples[i] = {0, 0};
  wait_for_copies<1>();
  cluster_wait();

  const int adds = own_rows(v, at);
  const std::size_t slot_count = static_cast<std::size_t>(at.members) * (v.rows + 1) * columns * 2;
  unsigned long long* slots = batch.exchange + at.group * 2 * slot_count;
  unsigned tag = batch.tag;
  const auto tried_at = [&](unsigned turn) { return shared.tried + (turn & 1) * v.modes * columns; };
  const auto trial_at = [&](unsigned turn) { return shared.trial + (turn & 1) * trial_size(v, columns); };

  // the products of 16 rows with every second of the block's tiles of samples; short partial sums are added at the end,
  // since E is a small difference of large sums
  const auto multiply_tiles = [&](int row_tile, int part, float(&sum)[4]) {
    const auto* samples = reinterpret_cast<const Fragment<columns>*>(shared.samples) + lane;
    int t = part;
#pragma unroll
    for (int i = 0; i < 4; ++i) sum[i] = 0;
    float high[2][4], low[2][4];  // independent of each other, so that none waits
    const auto begin = [&] {
#pragma unroll
      for (int i = 0; i < 8; ++i) high[i / 4][i % 4] = low[i / 4][i % 4] = 0;
    };
    const auto end_short_sum = [&] {
#pragma unroll
      for (int i = 0; i < 4; ++i) high[0][i] += high[1][i], low[0][i] += low[1][i];
      join_halves(high[0], low[0]);
#pragma unroll
      for (int i = 0; i < 4; ++i) sum[i] += high[0][i];
    };
    if constexpr (resident) {
      begin();
#pragma unroll
      for (int i = 0; i < held / 2; ++i) {
        const Fragment<columns> s = samples[(2 * i + part) * 32];
        multiply(high[i % 2], slice[2 * i], s);
        multiply(low[i % 2], slice[2 * i + 1], s);
      }
      end_short_sum();
      t += held;
      const int end = min(tiles, held + plan.shared_tiles);
      const uint4* a = shared_slice;
#pragma unroll 1
      for (; t < end; t += 4, a += 128) {
        begin();
        const Fragment<columns> s = samples[t * 32];
        multiply(high[0], a[0], s);
        multiply(low[0], a[32], s);
        if (t + 2 < end) {
          const Fragment<columns> next = samples[(t + 2) * 32];
          multiply(high[1], a[64], next);
          multiply(low[1], a[96], next);
        }
        end_short_sum();
      }
      t = held + plan.shared_tiles + part;
    }
#pragma unroll 1
    for (; t < tiles; t += 4) {
      const bool two = t + 2 < tiles;
      uint4 a[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) a[i] = __ldg(fragment(two ? t + i / 2 * 2 : t, i % 2, row_tile));
      begin();
      multiply(high[0], a[0], samples[t * 32]);
      multiply(low[0], a[1], samples[t * 32]);
      if (two) {
        multiply(high[1], a[2], samples[(t + 2) * 32]);
        multiply(low[1], a[3], samples[(t + 2) * 32]);
      }
      end_short_sum();
    }
  };

  // the sums of the textures at the first `active` shapes, sent to the blocks that add them
  const auto look_at_shapes = [&](const CombinedTask& task, float centre, int active, bool without_c,
                                  TilePixels<kind, columns>& pixels) {
    float squares = 0;
#pragma unroll 1
    for (int t = warp; t < tiles; t += warps) {
      if (t != warp) pixels = {shared, t};
      reinterpret_cast<Fragment<columns>*>(shared.samples)[t * 32 + lane] =
          sample_tile<kind, columns>(task, centre, shared, v.landmarks, active, pixels, squares);
    }
    shared.squares[thread] = squares;
    if (tag == batch.tag) wait_for_copies<0>();
    __syncthreads();
    if constexpr (resident)
      if (tag == batch.tag && thread == threads - 1) start_small(v, shared);
    if constexpr (resident) {
      if (warp < jobs) {
        float sum[4];
        multiply_tiles(own_rows_tile, own_part, sum);
        const Sums<columns> sums(sum);
        if (own_sends) send(own_destination.to, own_destination.barrier, sums.of(0, own_scale));
      }
    } else {
#pragma unroll 1
      for (int job = warp; job < jobs; job += warps) {
        float sum[4];
        multiply_tiles(job % v.row_tiles, job / v.row_tiles, sum);
        const Sums<columns> sums(sum);
        for (int i = 0; i < Sums<columns>::rows(); ++i) {
          const int row = job % v.row_tiles * 16 + Sums<columns>::row(i);
          if (row >= v.rows) continue;
          const Destination to = destination<columns>(shared, at, row, job / v.row_tiles);
          send(to.to + Sums<columns>::offset(), to.barrier, sums.of(i, __ldg(v.unscale + row)));
        }
      }
    }
    if (warp >= warps - 2) {
      // the squares, in two parts as well
      const int half = warp - (warps - 2);
      const float4 sum = add_squares<columns>(shared.squares, half);
      const Destination to = destination<columns>(shared, at, v.rows, half);
      if (lane < columns / 4) send(to.to + static_cast<unsigned>(lane * sizeof(float4)), to.barrier, sum);
    }
    block_barrier_without_clusters();
    if (warp >= other_threads / 32) {
      if (thread == other_threads) expect(shared, 0, 2 * at.cluster * adds * columns * static_cast<int>(sizeof(float)));
      add_parts<columns>(v, shared, at, adds, slots, tag, tag - batch.tag);
    } else {
      if (thread == 0) expect(shared, 1, (v.rows + 1) * columns * static_cast<int>(sizeof(double)));
      if (!without_c) look_ahead<columns>(v, shared, small, trial_at(tag));
    }
    __syncthreads();  // of all warps: the adding ones need none, but the race checker misjudges barriers of some
    ++tag;
  };

  for (int face = at.group; face < batch.faces; face += batch.groups) {
    __syncthreads();  // the previous face no longer uses its memory
    if (thread < task_words) {
      reinterpret_cast<int*>(shared.task)[thread] = task_word;
      if (face + batch.groups < batch.faces)
        task_word = reinterpret_cast<const int*>(batch.tasks + face + batch.groups)[thread];
    }
    __syncthreads();
    const CombinedTask& task = *shared.task;
    if (thread < 4) {
      shared.poses[thread] = task.pose[thread];
      reinterpret_cast<float*>(shared.placing)[thread] = static_cast<float>(task.pose[thread]);
    }

    // the offset subtracted from samples, to preserve precision in sums: for bytes the middle, for floats the value at
    // the landmarks
    float centre = 0;
    if (task.centred) {
      if constexpr (kind == CombinedSource::bytes) centre = 128;
      // every warp computes it on its own: the same number, without a wait
      if constexpr (kind == CombinedSource::floats)
        centre = centre_of<float>(v, shared, task, batch.shapes + static_cast<std::size_t>(face) * v.landmarks * 2);
    }

    // line 3: c = 0 at a mean shape; otherwise c of the current shape, and of the texture there
    if (task.from_shape)
#pragma unroll 1
      for (int i = thread; i < v.landmarks; i += threads) {
        const float* p = batch.shapes + (static_cast<std::size_t>(face) * v.landmarks + i) * 2;
        shared.shapes[i] = {p[0], p[1]};
      }
#pragma unroll 1
    for (int i = thread; i < 2 * v.modes * columns; i += threads) shared.tried[i] = 0;
#pragma unroll 1
    for (int i = thread; i < 2 * trial_size(v, columns); i += threads) shared.trial[i] = {0, 0};
#pragma unroll 1
    for (int i = thread; i < (2 * v.modes + 4) * columns; i += threads) shared.by_c[i] = 0;
#pragma unroll 1
    for (int i = thread; i < v.modes; i += threads)
      shared.expected[i] = {2 * shared.by_mean[v.modes + 4 + i], shared.by_one[v.modes + 4 + i]};
    if (thread >= 4 && thread < 4 * columns) {
      shared.poses[thread] = 0;
      reinterpret_cast<float*>(shared.placing)[thread] = 0;
    }
    if (thread == 0) *shared.stage = task.from_shape ? unsettled : first_look;
    __syncthreads();

    double error = 0;  // this and the iterations are known to the threads that make the step
    int iterations = 0, converged = 0;
    constexpr int pose_warp = other_threads / 32 - 1;
    const bool steps = warp == pose_warp || (warp < pose_warp && warp * 32 < v.modes);
    const auto end_turn = [&] {
      // the first turn: from now on the small matrices are needed
      if constexpr (resident)
        if (tag - batch.tag == 1) wait_for(shared, 2, 0);
      __syncthreads();
      return *shared.stage;
    };
    for (int next = *shared.stage; next != finished; next = end_turn()) {
      const bool without_c = next == unsettled || (next == first_look && !task.from_shape);
      if (!without_c) make_shapes<columns>(v, shared, small, trial_at(tag));
      if (next == first_look && without_c) place_mean(v, shared);
      TilePixels<kind, columns> pixels(shared, min(warp, max(0, tiles - 1)));
      if (next != unsettled) __syncthreads();
      const int active = next == iterate ? v.factors : 1;
      look_at_shapes(task, centre, active, without_c, pixels);
      if (!steps) continue;
      const double* tried = tried_at(tag - 1);  // the next ones are stored elsewhere: others may still be reading these
      const double2 known = quadratic<columns, resident>(v, shared, tried);
      wait_for(shared, 1, tag - 1 - batch.tag);
      if (next == unsettled) {
        double unused;
        const Scale scale = normalise<columns>(v, shared, 0, unused);
#pragma unroll 1
        for (int i = thread; warp < pose_warp && i < v.modes; i += pose_warp * 32) {
          const int row = v.modes + 4 + i;
          const float c = batch.shape_parts[static_cast<std::size_t>(face) * v.modes + i] +
                          static_cast<float>(product<columns>(shared, row, 0, scale)) - shared.by_mean[row];
          float first[columns] = {fminf(fmaxf(c, -shared.most[i]), shared.most[i])};
          put_c<columns>(v, shared, tag, i, first);
        }
        if (thread == 0) *shared.stage = first_look;
        continue;
      }

      // the first factor that lowers E is taken; the loop ends if the gain is small, or there is no such factor
      Scale scale;
      const double own_error = find_error<columns, resident>(v, shared, tried, known, scale), before = error;
      constexpr int lanes = 32 / columns;  // of a factor
      const unsigned better =
          __ballot_sync(whole_warp, next == first_look ? lane < lanes : lane / lanes < active && own_error < before);
      const int taken = better != 0 ? (__ffs(static_cast<int>(better)) - 1) / lanes : -1, from = max(taken, 0) * lanes;
      if (const double best = __shfl_sync(whole_warp, own_error, from); taken >= 0) error = best;
      if (next == iterate) {
        ++iterations;
        converged = v.threshold >= 0 && (taken < 0 || before - error < v.threshold * before) ? 1 : 0;
      }
      if (thread == 0) *shared.stage = iterations < v.iterations && converged == 0 ? iterate : finished;
      scale.offset = __shfl_sync(whole_warp, scale.offset, from);
      scale.factor = __shfl_sync(whole_warp, scale.factor, from);

      // line 6: dp = -R r = R g0 + R Qg^T c - R g, and line 8 for every factor
      const auto step = [&](int row) {
        return taken < 0 ? shared.dp[row]
                         : static_cast<float>(static_cast<double>(shared.by_mean[row]) -
                                              product<columns>(shared, row, taken, scale) +
                                              static_cast<double>(shared.by_c[row * columns + taken]));
      };
      if (warp < pose_warp) {
#pragma unroll 1
        for (int i = thread; i < v.modes; i += pose_warp * 32) {
          const float by = step(i), most = shared.most[i];
          const float c = taken < 0 ? shared.c[i] : static_cast<float>(tried[i * columns + taken]);
          shared.dp[i] = by;
          shared.c[i] = c;
          float next_c[columns];
#pragma unroll
          for (int k = 0; k < columns; ++k)
            next_c[k] = k < v.factors ? fminf(fmaxf(fmaf(v.factor[k], by, c), -most), most) : 0;
          put_c<columns>(v, shared, tag, i, next_c);
        }
      } else {
        // one lane per parameter of the step, then one lane per factor
        const float d = lane < 4 ? step(v.modes + lane) : 0;
        const float d0 = __shfl_sync(whole_warp, d, 0), d1 = __shfl_sync(whole_warp, d, 1);
        const float d2 = __shfl_sync(whole_warp, d, 2), d3 = __shfl_sync(whole_warp, d, 3);
        const double* best = shared.poses + 4 * (taken < 0 ? columns : taken);
        const double t0 = best[0], t1 = best[1], t2 = best[2], t3 = best[3];
        __syncwarp();
        if (lane < 4) shared.dp[v.modes + lane] = d;
        if (lane < v.factors) {
          const double f = v.factor[lane], a = 1 + f * d0, b = f * d1, x = f * d2, y = f * d3;
          double* to = shared.poses + 4 * lane;
          to[0] = t0 * a - t1 * b, to[1] = t0 * b + t1 * a;
          to[2] = t0 * x - t1 * y + t2, to[3] = t1 * x + t0 * y + t3;
          shared.placing[lane] = {static_cast<float>(to[0]), static_cast<float>(to[1]), static_cast<float>(to[2]),
                                  static_cast<float>(to[3])};
        }
        if (lane == 31) {
          double* to = shared.poses + 4 * columns;
          to[0] = t0, to[1] = t1, to[2] = t2, to[3] = t3;
        }
      }
    }
    if (block != 0) continue;
#pragma unroll 1
    for (int i = thread; i < v.modes; i += threads)
      batch.parameters[static_cast<std::size_t>(face) * v.modes + i] = shared.c[i];
    if (thread == 0) {
      CombinedResult result{{}, error / v.values, iterations, converged};
      for (int j = 0; j < 4; ++j) result.pose[j] = shared.poses[4 * columns + j];
      batch.results[face] = result;
    }
  }
}

}  // namespace kinema::face::combined
