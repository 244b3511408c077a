// The kernel of algorithm 1: sums of all blocks, in a fixed order. Blocks of a cluster write into one another's shared
// memory, and each write tells a barrier there that it has come; clusters meet in global memory.
#pragma once

#include "face/combined_room_cuda.cuh"

#include <cooperative_groups.h>

#include <cstdint>

namespace kinema::face::combined {

struct Place {
  int cluster, rank;           // blocks of a cluster, and this one's number in it
  int share;                   // rows that each of them adds
  int group, member, members;  // clusters of a group
};

__device__ inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ inline void cluster_barrier() {
#if __CUDA_ARCH__ >= 900
  cooperative_groups::this_cluster().sync();
#else
  __syncthreads();
#endif
}

// The address of another block's copy of what this one has at `local`.
__device__ inline unsigned of_rank(unsigned local, int rank) {
#if __CUDA_ARCH__ >= 900
  unsigned remote;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(local), "r"(rank));
  return remote;
#else
  return local;
#endif
}

__device__ inline void init_arrived(const Room& room) {
#if __CUDA_ARCH__ >= 900
  for (int i = 0; i < 2; ++i)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(room.arrived + i)) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

// One thread says how much is to come.
__device__ inline void expect(const Room& room, int which, int bytes) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(room.arrived + which)),
               "r"(bytes)
               : "memory");
#endif
}

// All that was expected is there. Without clusters, a barrier of the block stands before this.
__device__ inline void wait_for(const Room& room, int which, unsigned turn) {
#if __CUDA_ARCH__ >= 900
  const unsigned barrier = shared_address(room.arrived + which);
  unsigned done;
  do {
    asm volatile("{\n .reg .pred p;\n mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n selp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done)
                 : "r"(barrier), "r"(turn & 1)
                 : "memory");
  } while (done == 0);
#endif
}

__device__ inline void block_barrier_without_clusters() {
#if __CUDA_ARCH__ < 900
  __syncthreads();
#endif
}

__device__ inline void send(unsigned to, unsigned barrier, float2 v) {
#if __CUDA_ARCH__ >= 900
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];" ::"r"(to),
               "r"(__float_as_uint(v.x)), "r"(__float_as_uint(v.y)), "r"(barrier)
               : "memory");
#else
  asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(to), "f"(v.x), "f"(v.y) : "memory");
#endif
}

__device__ inline void send(unsigned to, unsigned barrier, float4 v) {
#if __CUDA_ARCH__ >= 900
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(to),
               "r"(__float_as_uint(v.x)), "r"(__float_as_uint(v.y)), "r"(__float_as_uint(v.z)),
               "r"(__float_as_uint(v.w)), "r"(barrier)
               : "memory");
#else
  asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(to), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory");
#endif
}

__device__ inline void send(unsigned to, unsigned barrier, double2 v) {
#if __CUDA_ARCH__ >= 900
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [%0], {%1, %2}, [%3];" ::"r"(to),
               "l"(__double_as_longlong(v.x)), "l"(__double_as_longlong(v.y)), "r"(barrier)
               : "memory");
#else
  asm volatile("st.shared.v2.f64 [%0], {%1, %2};" ::"r"(to), "d"(v.x), "d"(v.y) : "memory");
#endif
}

// Where a row's sums go: the block that adds them, and the place of this block's part in its inbox.
struct Destination {
  unsigned to = 0, barrier = 0;
};
template <int columns>
__device__ inline Destination destination(const Room& room, const Place& at, int row, int part) {
  const int owner = row / at.share;
  const float* local = room.inbox + ((2 * at.rank + part) * at.share + row - owner * at.share) * columns;
  return {of_rank(shared_address(local), owner), of_rank(shared_address(room.arrived), owner)};
}

// What this block's inbox gets: of each block of the cluster two parts of every row that this one adds.
__device__ inline int own_rows(const CombinedView& v, const Place& at) {
  return max(0, min(at.share, v.rows + 1 - at.rank * at.share));
}

// A number in global memory is two floats, each with a tag that says which exchange it belongs to.
__device__ inline void deposit(unsigned long long* to, double value, unsigned tag) {
  const auto high = static_cast<float>(value);
  const auto low = static_cast<float>(value - static_cast<double>(high));
  const unsigned long long mark = static_cast<unsigned long long>(tag) << 32;
  asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(mark | __float_as_uint(high)),
               "l"(mark | __float_as_uint(low))
               : "memory");
}
__device__ inline double collect(const unsigned long long* from, unsigned tag) {
  unsigned long long high, low;
  do {
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(high), "=l"(low) : "l"(from) : "memory");
  } while (static_cast<unsigned>(high >> 32) != tag || static_cast<unsigned>(low >> 32) != tag);
  return static_cast<double>(__uint_as_float(static_cast<unsigned>(high))) +
         static_cast<double>(__uint_as_float(static_cast<unsigned>(low)));
}

// The sum over all clusters of a group, of two columns.
template <int columns, int lanes>
__device__ inline double2 meet(const CombinedView& v, const Place& at, unsigned long long* slots, unsigned tag,
                               double2 sum, int pair, int own, bool used) {
  // two sets of slots in turns: whoever writes the next but one has read this one
  const int all = (v.rows + 1) * columns;
  unsigned long long* set = slots + static_cast<std::size_t>((tag & 1) * at.members * all + pair) * 2;
  if (used && own == 0) {
    deposit(set + at.member * all * 2, sum.x, tag);
    deposit(set + at.member * all * 2 + 2, sum.y, tag);
  }
  sum = {0, 0};
#pragma unroll 1
  for (int member = own; used && member < at.members; member += lanes / 2) {
    sum.x += collect(set + member * all * 2, tag);
    sum.y += collect(set + member * all * 2 + 2, tag);
  }
#pragma unroll
  for (int by = lanes / 4; by > 0; by /= 2) {
    sum.x += __shfl_xor_sync(whole_warp, sum.x, by);
    sum.y += __shfl_xor_sync(whole_warp, sum.y, by);
  }
  return sum;
}

// Adds up the rows that are this block's: `lanes` lanes take four columns of a row, a lane the parts of a block or more;
// each half of them then has the whole of two columns, and sends them to all blocks.
template <int columns, int lanes>
__device__ inline void add_parts(const CombinedView& v, const Room& room, const Place& at, int rows,
                                 unsigned long long* slots, unsigned tag) {
  constexpr int quads = columns / 4, half = lanes / 2, step = adding_threads / lanes;
  const int thread = static_cast<int>((threadIdx.x - other_threads) / static_cast<unsigned>(lanes));
  const int lane = static_cast<int>(threadIdx.x % static_cast<unsigned>(lanes)), units = rows * quads;
  const unsigned totals = shared_address(room.totals), arrived = shared_address(room.arrived + 1);
#pragma unroll 1
  for (int first = 0; first < units; first += step) {
    const int unit = first + thread;
    const bool used = unit < units;
    double2 low{0, 0}, high{0, 0};
    if (used)
#pragma unroll 2
      for (int part = lane; part < 2 * at.cluster; part += lanes) {
        const float4 p = reinterpret_cast<const float4*>(room.inbox)[part * at.share * quads + unit];
        low.x += p.x, low.y += p.y, high.x += p.z, high.y += p.w;
      }
    const int place = at.rank * at.share * columns + unit * 4;
    if constexpr (lanes == 1) {
      if (!used) continue;
      send(totals + static_cast<unsigned>(place * sizeof(double)), arrived, low);
      send(totals + static_cast<unsigned>((place + 2) * sizeof(double)), arrived, high);
    } else {
      const bool upper = (lane & half) != 0;
      double2 sum = upper ? high : low;
      const double2 given = upper ? low : high;
      sum.x += __shfl_xor_sync(whole_warp, given.x, half);
      sum.y += __shfl_xor_sync(whole_warp, given.y, half);
#pragma unroll
      for (int by = half / 2; by > 0; by /= 2) {
        sum.x += __shfl_xor_sync(whole_warp, sum.x, by);
        sum.y += __shfl_xor_sync(whole_warp, sum.y, by);
      }
      const int own = lane & (half - 1), pair = place + (upper ? 2 : 0);
      if (lanes == 16 && at.members > 1) sum = meet<columns, lanes>(v, at, slots, tag, sum, pair, own, used);
      const unsigned to = totals + static_cast<unsigned>(pair * sizeof(double));
      if (used)
#pragma unroll
        for (int i = 0; i < 2; ++i)
          if (const int rank = own + i * half; rank < at.cluster) send(of_rank(to, rank), of_rank(arrived, rank), sum);
    }
  }
}

template <int columns>
__device__ inline void add_parts(const CombinedView& v, const Room& room, const Place& at, int rows,
                                 unsigned long long* slots, unsigned tag) {
  switch (at.members > 1 ? 16 : at.cluster) {
    case 16:
      return add_parts<columns, 16>(v, room, at, rows, slots, tag);
    case 8:
      return add_parts<columns, 8>(v, room, at, rows, slots, tag);
    case 4:
      return add_parts<columns, 4>(v, room, at, rows, slots, tag);
    case 2:
      return add_parts<columns, 2>(v, room, at, rows, slots, tag);
    default:
      return add_parts<columns, 1>(v, room, at, rows, slots, tag);
  }
}

}  // namespace kinema::face::combined
