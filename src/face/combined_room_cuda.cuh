// The kernel of algorithm 1: how its blocks are laid out, and what is in their shared memory.
#pragma once

#include "face/combined_cuda.cuh"

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

__host__ __device__ inline std::size_t align16(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

// Shared memory of a block. `columns`: damping factors, rounded up to 4 or 8; `padded`: modes, rounded up to 4.
struct Room {
  CombinedTask* task;
  unsigned long long* arrived;  // two barriers: all of the inbox is there; all of the totals are
  float* small;                 // padded x small_width: [Qs, Qg R^T, Qg Qg^T]; null: it stays in global memory
  float4* pixels;               // of this block
  float2* shapes;               // columns x landmarks, in the source
  float* tried;                 // 2 x padded x columns: c of each factor, of this iteration and the next in turns
  float* by_c;                  // (2 m + 4) x columns: [R; Qg] Qg^T c
  float* squares;               // warps x columns: of the samples
  uint2* samples;               // tiles x 32, twice with 8 columns: as the product takes them
  float* inbox;                 // parts x share x columns: what others have of the rows that this block adds
  double* totals;               // (rows + 1) x columns: all blocks'
  float* c;                     // modes: the best so far
  float* dp;                    // modes + 4
  float* by_mean;               // rows
  float* by_one;                // rows
  float* most;                  // modes
  float* mean_shape;
  uint4* slices;    // of the matrix: jobs x shared tiles x 32
  double* poses;    // (columns + 1) x 4: of each factor, then of the best so far
  float4* placing;  // columns: the same
  int* stage;       // what comes next, see Next
};

// What the blocks do next: look at the texture of a given shape, which c follows from; look at the start; iterate; or it
// is done.
enum Next : int { unsettled, first_look, iterate, finished };

__host__ __device__ inline int padded_modes(const CombinedView& v) { return (v.modes + 3) / 4 * 4; }

__host__ __device__ inline std::size_t small_bytes(const CombinedView& v) {
  return static_cast<std::size_t>(padded_modes(v)) * static_cast<std::size_t>(v.small_width) * sizeof(float);
}

__host__ __device__ inline std::size_t lay_out(const CombinedView& v, int columns, bool resident,
                                               const CombinedPlan& plan, int channels, char* base, Room* room) {
  std::size_t at = 0;
  Room r{};
  const auto take = [&](auto*& pointer, std::size_t count) {
    using T = std::remove_reference_t<decltype(*pointer)>;
    pointer = reinterpret_cast<T*>(base + at);
    at = align16(at + count * sizeof(T));
  };
  const auto size = [](int count) { return static_cast<std::size_t>(count); };
  take(r.task, 1);
  take(r.arrived, 2);
  if (resident) take(r.small, small_bytes(v) / sizeof(float));
  take(r.pixels, size(plan.tiles * 16 / channels));
  take(r.shapes, size(columns * v.landmarks));
  take(r.tried, size(2 * padded_modes(v) * columns));
  take(r.by_c, size((2 * v.modes + 4) * columns));
  take(r.squares, size(warps * columns));
  take(r.samples, size((plan.tiles > plan.held_tiles ? plan.tiles : plan.held_tiles) * 32 * columns / 4));
  take(r.inbox, size(2 * plan.cluster * plan.share * columns));
  take(r.totals, size((v.rows + 1) * columns));
  take(r.c, size(v.modes));
  take(r.dp, size(v.modes + 4));
  take(r.by_mean, size(v.rows));
  take(r.by_one, size(v.rows));
  take(r.most, size(v.modes));
  take(r.mean_shape, size(2 * v.landmarks));
  take(r.slices, size(2 * v.row_tiles * plan.shared_tiles * 32));
  take(r.poses, size((columns + 1) * 4));
  take(r.placing, size(columns));
  take(r.stage, 1);
  if (room != nullptr) *room = r;
  return at;
}

}  // namespace kinema::face::combined
