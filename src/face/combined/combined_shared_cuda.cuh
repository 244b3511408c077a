// The kernel of algorithm 1: the layout of its blocks, the contents of their shared memory, and their products.
#pragma once

#include "face/combined/combined_cuda.cuh"

#include <cuda_fp16.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace kinema::face::combined {

inline constexpr int threads = 512, warps = threads / 32;
// The last warps add what the blocks of the cluster send, while the others continue.
inline constexpr int adding_threads = 128, other_threads = threads - adding_threads;
inline constexpr unsigned whole_warp = ~0u;
inline constexpr unsigned no_pixel = 1u << 31;
// Of products: one for each damping factor.
inline constexpr int columns = combined_factors;

// Of a thread: its index, its lane and its warp.
__device__ inline int thread_id() { return static_cast<int>(threadIdx.x); }
__device__ inline int lane_id() { return static_cast<int>(threadIdx.x % 32u); }
__device__ inline int warp_id() { return static_cast<int>(threadIdx.x / 32u); }

// Shared memory of a block. visit_parts() gives the size of each part.
struct SharedMemory : CombinedArrays<float*> {
  CombinedTask* task;
  unsigned long long* arrived;  // three barriers: inbox complete; totals complete; small matrices there
  uint4* small;                 // as CombinedView::small, which is used if this is null
  float4* pixels;               // of this block
  float2* shapes;               // columns x landmarks, in the source
  double* tried;      // 2 x modes x columns: c of each factor, alternating between this iteration and the next
  uint2* trial;       // 2 x mode tiles x 32: the same, as operands of products
  float* by_c;        // (2 m + 4) x columns: [R; Qg] Qg^T c
  float* squares;     // of each thread's samples
  uint2* samples;     // tiles x 32: as operands of the product
  float* inbox;       // parts x share x columns: parts from other blocks of the rows that this block adds
  double* totals;     // (rows + 1) x columns: totals of all blocks
  float* c;           // modes: the best so far
  float* dp;          // modes + 4
  double2* expected;  // modes: 2 Qg g0 and Qg 1
  uint4* slices;      // of the matrix: jobs x shared tiles x 32
  double* poses;      // (columns + 1) x 4: of each factor, then of the best so far
  float4* placing;    // columns: the same
  int* stage;         // the next step, see Next
};

// The next step of the blocks: sample the texture of a given shape, from which c follows; sample the start; iterate; or
// stop.
enum Next : int { unsettled, first_look, iterate, finished };

// Pieces of 8 bytes that hold c of all factors as operands of products.
__host__ __device__ inline int trial_size(const CombinedView& v) { return v.mode_tiles * 32; }

__host__ __device__ inline std::size_t small_size(const CombinedView& v) {
  return static_cast<std::size_t>((v.shape_tiles + v.step_tiles) * v.mode_tiles) * 64;
}

// What the sizes of the parts depend on.
struct Extents {
  const CombinedView& view;
  const CombinedPlan& plan;
  int channels;
};

// Elements of each array.
__host__ __device__ inline CombinedArrays<int> array_sizes(const CombinedView& v) {
  return {(v.shape_tiles + v.step_tiles) * 16, v.modes, 2 * v.landmarks, v.rows, v.rows, v.modes};
}

// Calls `visit` with each part and its number of elements, in their order in memory. The only list of the parts: it
// determines the layout on the host, and the addresses on the device.
#pragma nv_exec_check_disable
template <class Visit>
__host__ __device__ inline void visit_parts(SharedMemory& memory, const Extents& extents, Visit&& visit) {
  const CombinedView& v = extents.view;
  const CombinedPlan& plan = extents.plan;
  visit(memory.task, 1);
  visit(memory.arrived, 3);
  // the small matrices are there if a part of the large one is
  visit(memory.small, plan.held_tiles > 0 ? static_cast<int>(small_size(v)) : 0);
  visit(memory.pixels, plan.tiles * 16 / extents.channels);
  visit(memory.shapes, columns * v.landmarks);
  visit(memory.tried, 2 * v.modes * columns);
  visit(memory.trial, 2 * trial_size(v));
  visit(memory.by_c, (2 * v.modes + 4) * columns);
  visit(memory.squares, threads);
  visit(memory.samples, (plan.tiles > plan.held_tiles ? plan.tiles : plan.held_tiles) * 32);
  visit(memory.inbox, 2 * plan.cluster * plan.share * columns);
  visit(memory.totals, (v.rows + 1) * columns);
  visit(memory.c, v.modes);
  visit(memory.dp, v.modes + 4);
  visit(memory.expected, v.modes);
  CombinedArrays<int> sizes = array_sizes(v);
  visit_arrays(visit, memory, sizes);
  visit(memory.slices, 2 * v.row_tiles * plan.shared_tiles * 32);
  visit(memory.poses, (columns + 1) * 4);
  visit(memory.placing, columns);
  visit(memory.stage, 1);
}
static_assert(sizeof(SharedMemory) == CombinedOffsets::count * sizeof(void*), "visit_parts() names every part");

// The number of bytes; fills plan.at.
inline std::size_t lay_out(const CombinedView& v, int channels, CombinedPlan& plan) {
  SharedMemory unused{};
  std::size_t end = 0, part = 0;
  const auto take = [&](auto*& pointer, int count) {
    plan.at.part[part++] = static_cast<unsigned>(end);
    end = (end + static_cast<std::size_t>(count) * sizeof(*pointer) + 15) / 16 * 16;
  };
  visit_parts(unused, {v, plan, channels}, take);

  CombinedArrays<int> sizes = array_sizes(v);
  plan.at.array_bytes = 0;
  visit_arrays([&](int size) { plan.at.array_bytes += (static_cast<unsigned>(size) * sizeof(float) + 15) / 16 * 16; },
               sizes);
  return end;
}

__device__ inline SharedMemory shared_memory_at(char* base, const CombinedView& v, const CombinedPlan& plan) {
  SharedMemory memory;
  int part = 0;
  // the numbers of elements are not used here, and not computed
  visit_parts(memory, {v, plan, 1}, [&](auto*& pointer, int) {
    pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(base + plan.at.part[part++]);
  });
  return memory;
}

// Products on the tensor cores, of 16 rows with a tile of columns.

__device__ inline unsigned bits(half2 h) { return *reinterpret_cast<unsigned*>(&h); }

// A number as the sum of two halves: 22 bits, nearly what a float holds.
__device__ inline uint2 halves(float2 value) {
  const half2 high = __floats2half2_rn(value.x, value.y);
  const float2 kept = __half22float2(high);
  return {bits(high), bits(__floats2half2_rn(value.x - kept.x, value.y - kept.y))};
}

// 16 rows by a tile's numbers, which are the operand of a product of 8 columns: 4 of high halves and the same 4 of low
// ones.
__device__ inline void multiply(float (&sum)[4], const uint4& a, const uint2& b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
               : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y));
}

// Sums of both halves of a matrix.
__device__ inline void join_halves(float (&high)[4], const float (&low)[4]) {
#pragma unroll
  for (int i = 0; i < 4; ++i) high[i] = fmaf(low[i], 1 / pack_finer, high[i]);
}

// A lane's part of 16 rows' sums: those of one row, which every second lane has.
struct Sums {
  float4 all;

  __device__ explicit Sums(const float (&sum)[4]) {
    const int q = static_cast<int>(threadIdx.x % 4u);
    const bool low = q >= 2;  // low halves: this lane continues with the lower 8 rows
    float x = low ? sum[2] : sum[0], y = low ? sum[3] : sum[1];
    x += __shfl_xor_sync(whole_warp, low ? sum[0] : sum[2], 2);
    y += __shfl_xor_sync(whole_warp, low ? sum[1] : sum[3], 2);
    all = {x, y, __shfl_xor_sync(whole_warp, x, 1), __shfl_xor_sync(whole_warp, y, 1)};
  }
  __device__ static bool has_row() { return threadIdx.x % 2 == 0; }
  __device__ static int row() { return static_cast<int>(threadIdx.x % 32u / 4u) + (threadIdx.x % 4u >= 2u ? 8 : 0); }
  __device__ float4 times(float scale) const { return {all.x * scale, all.y * scale, all.z * scale, all.w * scale}; }
};

}  // namespace kinema::face::combined
