// The kernel of algorithm 1: how its blocks are laid out, and what is in their shared memory.
#pragma once

#include "face/combined_cuda.cuh"

#include <cstddef>
#include <type_traits>

namespace kinema::face::combined {

inline constexpr int threads = 512, warps = threads / 32;
inline constexpr int resident_row_tiles = 7;  // 112 rows: up to 52 modes
inline constexpr unsigned whole_warp = ~0u;
inline constexpr unsigned no_pixel = 1u << 31;

__host__ __device__ inline std::size_t align16(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

// Shared memory of a block. `columns`: damping factors, rounded up to 4 or 8.
struct Room {
  float* small;  // modes x small_width; null: it stays in global memory
  CombinedTask* task;
  float4* pixels;    // of this block
  float2* shapes;    // columns x landmarks, in the source
  float* tried;      // modes x columns: c of each factor
  float* by_c;       // (2 m + 4) x columns: [Qg; R] Qg^T c
  float* warp_sums;  // warps x row tiles x 16 x columns
  float* inbox;      // cluster x share: what the blocks of the cluster have of the sums that this one adds
  float* totals;     // (rows + 1) x columns: all blocks'
  float* c;          // modes: the best so far
  float* dp;         // modes + 4
  float* by_mean;    // rows
  float* by_one;     // rows
  float* unscale;    // rows
  float* most;       // modes
  float* mean_shape;
  uint4* slices;   // of the matrix: shared tiles of each warp x row tiles x 32
  uint4* columns;  // where the matrix is not resident: the columns of each warp's tiles, as the product takes them
  double* poses;   // (columns + 1) x 4: of each factor, then of the best so far
  double* errors;  // columns: E
  float2* scales;  // columns: offset and factor
};

// Sums that each block of a cluster adds.
__host__ __device__ inline int share_of(int count, int cluster) { return (count + cluster - 1) / cluster; }

__host__ __device__ inline std::size_t lay_out(const CombinedView& v, int columns, bool resident, int warp_tiles,
                                               int shared_tiles, int channels, int cluster, bool small_shared,
                                               char* base, Room* room) {
  std::size_t at = 0;
  Room r{};
  const auto take = [&](auto*& pointer, std::size_t count) {
    using T = std::remove_reference_t<decltype(*pointer)>;
    pointer = reinterpret_cast<T*>(base + at);
    at = align16(at + count * sizeof(T));
  };
  const int row_tiles = resident ? resident_row_tiles : v.row_tiles;
  const int chunk = row_tiles < resident_row_tiles ? row_tiles : resident_row_tiles;
  take(r.task, 1);
  if (small_shared) take(r.small, static_cast<std::size_t>(v.modes) * v.small_width);
  take(r.pixels, static_cast<std::size_t>(warps * warp_tiles * 16 / channels));
  take(r.shapes, static_cast<std::size_t>(columns * v.landmarks));
  take(r.tried, static_cast<std::size_t>(v.modes * columns));
  take(r.by_c, static_cast<std::size_t>((2 * v.modes + 4) * columns));
  take(r.warp_sums, static_cast<std::size_t>(warps * chunk * 16 * columns));
  take(r.inbox, static_cast<std::size_t>(cluster * share_of((v.rows + 1) * columns, cluster)));
  take(r.totals, static_cast<std::size_t>((v.rows + 1) * columns));
  take(r.c, static_cast<std::size_t>(v.modes));
  take(r.dp, static_cast<std::size_t>(v.modes + 4));
  take(r.by_mean, static_cast<std::size_t>(v.rows));
  take(r.by_one, static_cast<std::size_t>(v.rows));
  take(r.unscale, static_cast<std::size_t>(v.rows));
  take(r.most, static_cast<std::size_t>(v.modes));
  take(r.mean_shape, static_cast<std::size_t>(2 * v.landmarks));
  take(r.slices, static_cast<std::size_t>(warps * shared_tiles * resident_row_tiles * 32));
  if (!resident) take(r.columns, static_cast<std::size_t>(warps * warp_tiles * 32));
  take(r.poses, static_cast<std::size_t>((columns + 1) * 4));
  take(r.errors, static_cast<std::size_t>(columns));
  take(r.scales, static_cast<std::size_t>(columns));
  if (room != nullptr) *room = r;
  return at;
}

inline constexpr std::size_t most_small_bytes =
    150 * 1024;  // beyond that the small matrices are read through the cache
__host__ __device__ inline bool small_is_shared(const CombinedView& v) {
  return static_cast<std::size_t>(v.modes) * v.small_width * sizeof(float) <= most_small_bytes;
}

}  // namespace kinema::face::combined
