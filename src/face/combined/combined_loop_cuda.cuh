// Algorithm 1 on the GPU: the kernel. A group of blocks fits one face after the other; each block owns some of the
// texture's values, and thus a slice of [R; Qg; g0; 1] that stays in its registers and shared memory from the first
// iteration to the last. An iteration computes the shapes of all damping factors, samples the block's values at each of
// them, multiplies the slice with these columns on the tensor cores, exchanges sums between the blocks, and chooses the
// factor, which every block does on its own from the same sums.
#pragma once

#include "face/combined/combined_exchange_cuda.cuh"
#include "face/combined/combined_sampling_cuda.cuh"
#include "face/combined/combined_slice_cuda.cuh"
#include "face/combined/combined_step_cuda.cuh"

namespace kinema::face::combined {

__device__ __forceinline__ Place place_of(const CombinedPlan& plan) {
  const int number = static_cast<int>(blockIdx.x) / plan.cluster;
  return {plan.cluster,
          static_cast<int>(blockIdx.x) % plan.cluster,
          plan.share,
          number / plan.group_clusters,
          number % plan.group_clusters,
          plan.group_clusters};
}

// What a thread of the kernel knows, and its part of the steps. `held_tiles` as of Slice.
template <CombinedSource kind, int held_tiles>
struct FaceLoop {
  using OwnSlice = Slice<held_tiles>;
  static constexpr bool resident = OwnSlice::resident;
  static constexpr int pose_warp = other_threads / 32 - 1;

  const CombinedView& v;
  const CombinedBatch& batch;
  const CombinedPlan& plan;
  const SharedMemory shared;
  const int thread = thread_id(), lane = lane_id(), warp = warp_id();
  const Place at = place_of(plan);
  const int block = at.member * plan.cluster + at.rank;  // within the group
  const int first_tile = block * plan.tiles, tiles = max(0, min(plan.tiles, v.value_tiles - first_tile));
  OwnSlice slice{v, plan, shared, first_tile, tiles};

  // where a warp sends its one sum of products
  Destination own_destination;
  float own_scale = 0;
  bool own_sends = false;

  int adds;                   // rows that the block adds
  unsigned long long* slots;  // in which clusters exchange their sums
  unsigned tag = batch.tag;

  // of a face; known to the threads that make the step
  double error = 0;
  int iterations = 0, converged = 0;

  __device__ __forceinline__ FaceLoop(const CombinedView& view, const CombinedBatch& faces, const CombinedPlan& given,
                                      char* memory)
      : v(view), batch(faces), plan(given), shared(shared_memory_at(memory, view, given)) {}

  __device__ __forceinline__ const uint4* small() const { return resident ? shared.small : v.small; }
  __device__ __forceinline__ double* tried_at(unsigned turn) const {
    return shared.tried + (turn & 1) * v.modes * columns;
  }
  __device__ __forceinline__ uint2* trial_at(unsigned turn) const { return shared.trial + (turn & 1) * trial_size(v); }

  // Fetches the data that stays on chip. First the input of the first samples: the pixels and the small arrays; then the
  // slice of the matrix, which is waited for at its first use. The small matrices follow, see start_small().
  __device__ __forceinline__ void start() {
    constexpr int channels = channels_of<kind>;
    // no block writes to another before that one has started
    if (thread == 0) init_arrived(shared);
    cluster_arrive();
    start_copies(shared.pixels, v.pixels + first_tile * 16 / channels,
                 static_cast<std::size_t>(tiles) * 16 / channels * 16);
    start_copies(shared.small_unscale, v.small_unscale, plan.at.array_bytes);
    end_copies();
    if constexpr (resident) {
      slice.start();
#if __CUDA_ARCH__ < 900
      start_copies(shared.small, v.small, small_size(v) * sizeof(uint4));
#endif
    }
    end_copies();
    if constexpr (resident) {
      const int row = slice.own_rows_tile * 16 + Sums::row();
      own_sends = warp < slice.jobs && Sums::has_row() && row < v.rows;
      if (own_sends) {
        own_destination = destination(shared, at, row, slice.own_part);
        own_scale = __ldg(v.unscale + row);
      }
      // input of the product in any case
#pragma unroll 1
      for (int i = tiles * 32 + thread; i < OwnSlice::held * 32; i += threads) shared.samples[i] = {0, 0};
    }
    wait_for_copies<1>();
    cluster_wait();
    adds = own_rows(v, at);
    const std::size_t slot_count = static_cast<std::size_t>(at.members) * (v.rows + 1) * columns * 2;
    slots = batch.exchange + at.group * 2 * slot_count;
  }

  // Sends the sums of products to the blocks that add them.
  __device__ __forceinline__ void send_products() {
    if constexpr (resident) {
      if (warp < slice.jobs) {
        float sum[4];
        slice.multiply_tiles(shared, slice.own_rows_tile, slice.own_part, sum);
        const Sums sums(sum);
        if (own_sends) send(own_destination.to, own_destination.barrier, sums.times(own_scale));
      }
    } else {
#pragma unroll 1
      for (int job = warp; job < slice.jobs; job += warps) {
        float sum[4];
        slice.multiply_tiles(shared, job % v.row_tiles, job / v.row_tiles, sum);
        const Sums sums(sum);
        const int row = job % v.row_tiles * 16 + Sums::row();
        if (!Sums::has_row() || row >= v.rows) continue;
        const Destination to = destination(shared, at, row, job / v.row_tiles);
        send(to.to, to.barrier, sums.times(__ldg(v.unscale + row)));
      }
    }
  }

  // The sums of the textures at the first `active` shapes, sent to the blocks that add them.
  __device__ __forceinline__ void look_at_shapes(const CombinedTask& task, float centre, int active, bool without_c,
                                                 TilePixels<kind>& pixels) {
    float squares = 0;
#pragma unroll 1
    for (int t = warp; t < tiles; t += warps) {
      if (t != warp) pixels = {shared, t};
      shared.samples[t * 32 + lane] = sample_tile<kind>(task, centre, shared, v.landmarks, active, pixels, squares);
    }
    shared.squares[thread] = squares;
    if (tag == batch.tag) wait_for_copies<0>();
    __syncthreads();
    if constexpr (resident)
      if (tag == batch.tag && thread == threads - 1) start_small(v, shared);
    send_products();
    if (warp >= warps - 2) {
      // the squares, in two parts as well
      const int half = warp - (warps - 2);
      const float4 sum = add_squares(shared.squares, half);
      const Destination to = destination(shared, at, v.rows, half);
      if (lane == 0) send(to.to, to.barrier, sum);
    }
    block_barrier_without_clusters();
    if (warp >= other_threads / 32) {
      if (thread == other_threads) expect(shared, 0, 2 * at.cluster * adds * columns * static_cast<int>(sizeof(float)));
      add_parts(v, shared, at, adds, slots, tag, tag - batch.tag);
    } else {
      if (thread == 0) expect(shared, 1, (v.rows + 1) * columns * static_cast<int>(sizeof(double)));
      if (!without_c) look_ahead(v, shared, small(), trial_at(tag));
    }
    __syncthreads();  // of all warps: the adding ones need none, but the race checker misjudges barriers of some
    ++tag;
  }

  // The offset subtracted from samples, to preserve precision in sums: for bytes the middle, for floats the value at the
  // landmarks.
  __device__ __forceinline__ float centre_at(int face, const CombinedTask& task) const {
    float centre = 0;
    if (task.centred) {
      if constexpr (kind == CombinedSource::bytes) centre = 128;
      // every warp computes it on its own: the same number, without a wait
      if constexpr (kind == CombinedSource::floats)
        centre = centre_of<float>(v, shared, task, batch.shapes + static_cast<std::size_t>(face) * v.landmarks * 2);
    }
    return centre;
  }

  // Line 3: c = 0 at a mean shape; otherwise c of the current shape, and of the texture there.
  __device__ __forceinline__ void start_face(int face, const CombinedTask& task) {
    if (task.from_shape)
#pragma unroll 1
      for (int i = thread; i < v.landmarks; i += threads) {
        const float* p = batch.shapes + (static_cast<std::size_t>(face) * v.landmarks + i) * 2;
        shared.shapes[i] = {p[0], p[1]};
      }
#pragma unroll 1
    for (int i = thread; i < 2 * v.modes * columns; i += threads) shared.tried[i] = 0;
#pragma unroll 1
    for (int i = thread; i < 2 * trial_size(v); i += threads) shared.trial[i] = {0, 0};
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
    error = 0, iterations = 0, converged = 0;
  }

  // c of the texture at the current shape.
  __device__ __forceinline__ void settle(int face) {
    double unused;
    const Scale scale = normalise(v, shared, 0, unused);
#pragma unroll 1
    for (int i = thread; warp < pose_warp && i < v.modes; i += pose_warp * 32) {
      const int row = v.modes + 4 + i;
      const float c = batch.shape_parts[static_cast<std::size_t>(face) * v.modes + i] +
                      static_cast<float>(product(shared, row, 0, scale)) - shared.by_mean[row];
      float first[columns] = {fminf(fmaxf(c, -shared.most[i]), shared.most[i])};
      put_c(v, shared, tag, i, first);
    }
    if (thread == 0) *shared.stage = first_look;
  }

  // The first factor that lowers E is taken (-1: none does), with its scale; the loop ends if the gain is small, or there
  // is no such factor.
  __device__ __forceinline__ int take_factor(int next, int active, const double* tried, double2 known, Scale& scale) {
    const double own_error = find_error<resident>(v, shared, tried, known, scale), before = error;
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
    return taken;
  }

  // Line 6: dp = -R r = R g0 + R Qg^T c - R g.
  __device__ __forceinline__ float step(int row, int taken, const Scale& scale) const {
    return taken < 0
               ? shared.dp[row]
               : static_cast<float>(static_cast<double>(shared.by_mean[row]) - product(shared, row, taken, scale) +
                                    static_cast<double>(shared.by_c[row * columns + taken]));
  }

  // Line 8 for every factor: the modes.
  __device__ __forceinline__ void step_modes(int taken, const double* tried, const Scale& scale) {
#pragma unroll 1
    for (int i = thread; i < v.modes; i += pose_warp * 32) {
      const float by = step(i, taken, scale), most = shared.most[i];
      const float c = taken < 0 ? shared.c[i] : static_cast<float>(tried[i * columns + taken]);
      shared.dp[i] = by;
      shared.c[i] = c;
      float next_c[columns];
#pragma unroll
      for (int k = 0; k < columns; ++k)
        next_c[k] = k < v.factors ? fminf(fmaxf(fmaf(v.factor[k], by, c), -most), most) : 0;
      put_c(v, shared, tag, i, next_c);
    }
  }

  // The pose likewise: one lane per parameter of the step, then one lane per factor.
  __device__ __forceinline__ void step_pose(int taken, const Scale& scale) {
    const float d = lane < 4 ? step(v.modes + lane, taken, scale) : 0;
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

  __device__ __forceinline__ int end_turn() const {
    // the first turn: from now on the small matrices are needed
    if constexpr (resident)
      if (tag - batch.tag == 1) wait_for(shared, 2, 0);
    __syncthreads();
    return *shared.stage;
  }

  __device__ __forceinline__ void fit(int face, const CombinedTask& task) {
    const float centre = centre_at(face, task);
    start_face(face, task);
    const bool steps = warp == pose_warp || (warp < pose_warp && warp * 32 < v.modes);
    for (int next = *shared.stage; next != finished; next = end_turn()) {
      const bool without_c = next == unsettled || (next == first_look && !task.from_shape);
      if (!without_c) make_shapes(v, shared, small(), trial_at(tag));
      if (next == first_look && without_c) place_mean(v, shared);
      TilePixels<kind> pixels(shared, min(warp, max(0, tiles - 1)));
      if (next != unsettled) __syncthreads();
      const int active = next == iterate ? v.factors : 1;
      look_at_shapes(task, centre, active, without_c, pixels);
      if (!steps) continue;
      const double* tried = tried_at(tag - 1);  // the next ones are stored elsewhere: others may still be reading these
      const double2 known = quadratic<resident>(v, shared, tried);
      wait_for(shared, 1, tag - 1 - batch.tag);
      if (next == unsettled) {
        settle(face);
        continue;
      }
      Scale scale;
      const int taken = take_factor(next, active, tried, known, scale);
      if (warp < pose_warp)
        step_modes(taken, tried, scale);
      else
        step_pose(taken, scale);
    }
  }

  // What the group found, by its first block.
  __device__ __forceinline__ void store(int face) const {
    if (block != 0) return;
#pragma unroll 1
    for (int i = thread; i < v.modes; i += threads)
      batch.parameters[static_cast<std::size_t>(face) * v.modes + i] = shared.c[i];
    if (thread == 0) {
      CombinedResult result{{}, error / v.values, iterations, converged};
      for (int j = 0; j < 4; ++j) result.pose[j] = shared.poses[4 * columns + j];
      batch.results[face] = result;
    }
  }
};

template <CombinedSource kind, int held_tiles>
__global__ void __launch_bounds__(threads, 1)
    fit_faces(const CombinedView v, const __grid_constant__ CombinedBatch batch,
              const __grid_constant__ CombinedPlan plan) {
  extern __shared__ __align__(16) char memory[];
  FaceLoop<kind, held_tiles> loop(v, batch, plan, memory);
  const int thread = loop.thread;
  const SharedMemory& shared = loop.shared;

  // tasks may lie on the host: they are fetched once per block, and ahead of use
  constexpr int task_words = sizeof(CombinedTask) / sizeof(int);
  int task_word = 0;
  if (thread < task_words && loop.at.group < batch.faces)
    task_word = reinterpret_cast<const int*>(batch.faces == 1 ? &batch.only : batch.tasks + loop.at.group)[thread];
  loop.start();

  for (int face = loop.at.group; face < batch.faces; face += batch.groups) {
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
    loop.fit(face, task);
    loop.store(face);
  }
}

}  // namespace kinema::face::combined
