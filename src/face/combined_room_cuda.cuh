// The kernel of algorithm 1: how its blocks are laid out, and what is in their shared memory.
#pragma once

#include "face/combined_cuda.cuh"

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace kinema::face::combined {

inline constexpr int threads = 512, warps = threads / 32;
// The last warps add up what the blocks of the cluster send, while the others go on.
inline constexpr int adding_threads = 128, other_threads = threads - adding_threads;
inline constexpr unsigned whole_warp = ~0u;
inline constexpr unsigned no_pixel = 1u << 31;

// Of a thread: its number, its lane and its warp.
__device__ inline int thread_id() { return static_cast<int>(threadIdx.x); }
__device__ inline int lane_id() { return static_cast<int>(threadIdx.x % 32u); }
__device__ inline int warp_id() { return static_cast<int>(threadIdx.x / 32u); }

// Shared memory of a block. `columns`: damping factors, rounded up to 4 or 8.
struct Room {
  CombinedTask* task;
  unsigned long long* arrived;  // three barriers: all of the inbox is there; all of the totals; the small matrices
  uint4* small;                 // as CombinedView::small, which is used where this is null
  float4* pixels;               // of this block
  float2* shapes;               // columns x landmarks, in the source
  double* tried;                // 2 x modes x columns: c of each factor, of this iteration and the next in turns
  uint2* trial;                 // 2 x mode tiles x 32, twice with 8 columns: the same, as products take it
  float* by_c;                  // (2 m + 4) x columns: [R; Qg] Qg^T c
  float* squares;               // of each thread's samples
  uint2* samples;               // tiles x 32, twice with 8 columns: as the product takes them
  float* inbox;                 // parts x share x columns: what others have of the rows that this block adds
  double* totals;               // (rows + 1) x columns: all blocks'
  float* c;                     // modes: the best so far
  float* dp;                    // modes + 4
  double2* expected;            // modes: 2 Qg g0 and Qg 1
  float* small_unscale;         // 16 a tile of rows
  float* mode_scale;            // modes
  float* mean_shape;
  float* by_mean;   // rows
  float* by_one;    // rows
  float* most;      // modes
  uint4* slices;    // of the matrix: jobs x shared tiles x 32
  double* poses;    // (columns + 1) x 4: of each factor, then of the best so far
  float4* placing;  // columns: the same
  int* stage;       // what comes next, see Next
};

// What the blocks do next: look at the texture of a given shape, which c follows from; look at the start; iterate; or it
// is done.
enum Next : int { unsettled, first_look, iterate, finished };

// Pieces of 8 bytes that hold c of all factors as products take it.
__host__ __device__ inline int trial_size(const CombinedView& v, int columns) {
  return v.mode_tiles * 32 * columns / 4;
}

__host__ __device__ inline std::size_t small_size(const CombinedView& v) {
  return static_cast<std::size_t>((v.shape_tiles + v.step_tiles) * v.mode_tiles) * 64;
}

// Bytes of shared memory, and where its parts lie. The small matrices are in it where some of the large one is.
inline std::size_t lay_out(const CombinedView& v, int columns, int channels, CombinedPlan& plan) {
  std::size_t at = 0;
  CombinedOffsets& o = plan.at;
  const auto take = [&](unsigned& offset, auto* type, int count) {
    offset = static_cast<unsigned>(at);
    at = (at + static_cast<std::size_t>(count) * sizeof(*type) + 15) / 16 * 16;
  };
  const Room r{};
  take(o.task, r.task, 1);
  take(o.arrived, r.arrived, 3);
  take(o.small, r.small, plan.held_tiles > 0 ? static_cast<int>(small_size(v)) : 0);
  take(o.pixels, r.pixels, plan.tiles * 16 / channels);
  take(o.shapes, r.shapes, columns * v.landmarks);
  take(o.tried, r.tried, 2 * v.modes * columns);
  take(o.trial, r.trial, 2 * trial_size(v, columns));
  take(o.by_c, r.by_c, (2 * v.modes + 4) * columns);
  take(o.squares, r.squares, threads);
  take(o.samples, r.samples, std::max(plan.tiles, plan.held_tiles) * 32 * columns / 4);
  take(o.inbox, r.inbox, 2 * plan.cluster * plan.share * columns);
  take(o.totals, r.totals, (v.rows + 1) * columns);
  take(o.c, r.c, v.modes);
  take(o.dp, r.dp, v.modes + 4);
  take(o.expected, r.expected, v.modes);
  take(o.small_unscale, r.small_unscale, (v.shape_tiles + v.step_tiles) * 16);
  take(o.mode_scale, r.mode_scale, v.modes);
  take(o.mean_shape, r.mean_shape, 2 * v.landmarks);
  take(o.by_mean, r.by_mean, v.rows);
  take(o.by_one, r.by_one, v.rows);
  take(o.most, r.most, v.modes);
  take(o.slices, r.slices, 2 * v.row_tiles * plan.shared_tiles * 32);
  take(o.poses, r.poses, (columns + 1) * 4);
  take(o.placing, r.placing, columns);
  take(o.stage, r.stage, 1);
  return at;
}

__device__ inline Room room_at(char* base, const CombinedOffsets& o) {
  Room r;
  const auto find = [base](auto*& part, unsigned offset) {
    part = reinterpret_cast<std::remove_reference_t<decltype(part)>>(base + offset);
  };
  find(r.task, o.task);
  find(r.arrived, o.arrived);
  find(r.small, o.small);
  find(r.pixels, o.pixels);
  find(r.shapes, o.shapes);
  find(r.tried, o.tried);
  find(r.trial, o.trial);
  find(r.by_c, o.by_c);
  find(r.squares, o.squares);
  find(r.samples, o.samples);
  find(r.inbox, o.inbox);
  find(r.totals, o.totals);
  find(r.c, o.c);
  find(r.dp, o.dp);
  find(r.expected, o.expected);
  find(r.small_unscale, o.small_unscale);
  find(r.mode_scale, o.mode_scale);
  find(r.mean_shape, o.mean_shape);
  find(r.by_mean, o.by_mean);
  find(r.by_one, o.by_one);
  find(r.most, o.most);
  find(r.slices, o.slices);
  find(r.poses, o.poses);
  find(r.placing, o.placing);
  find(r.stage, o.stage);
  return r;
}

}  // namespace kinema::face::combined
