// The kernel of algorithm 1: sums of all blocks, in a fixed order. Blocks of a cluster write into one another's shared
// memory, and each write tells a barrier there that it has come; clusters meet in global memory.
#pragma once

#include "face/combined_room_cuda.cuh"

#include <cooperative_groups.h>

#include <cstdint>

namespace kinema::face::combined {

struct Place {
  int cluster, rank;           // blocks of a cluster, and this one's number in it
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
__device__ inline Destination destination(const CombinedView& v, const Room& room, const Place& at, int row, int part) {
  const int share = share_of(v, at.cluster), owner = row / share;
  const float* local = room.inbox + ((2 * at.rank + part) * share + row - owner * share) * columns;
  return {of_rank(shared_address(local), owner), of_rank(shared_address(room.arrived), owner)};
}

// What this block's inbox gets: of each block of the cluster two parts of every row that this one adds.
__device__ inline int own_rows(const CombinedView& v, const Place& at) {
  const int share = share_of(v, at.cluster);
  return max(0, min(share, v.rows + 1 - at.rank * share));
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

// What a thread that adds has to do, from the first face to the last. A group of lanes takes four columns of a row, a lane
// the parts of a block or two; each half of the group then has the whole of two columns, and sends them to all blocks.
template <int columns>
struct Adding {
  static constexpr int quads = columns / 4;
  int lanes, lane, half, units, step, first;
  bool upper;

  __device__ Adding(const CombinedView& v, const Place& at) {
    const int thread = static_cast<int>(threadIdx.x) - other_threads;
    lanes = at.members > 1 ? 16 : at.cluster, lane = thread % lanes, half = lanes / 2;
    upper = (lane & half) != 0;
    units = own_rows(v, at) * quads;
    first = thread / lanes, step = adding_threads / lanes;
  }

  __device__ void add(const CombinedView& v, const Room& room, const Place& at, unsigned long long* slots,
                      unsigned tag) const {
    const int share = share_of(v, at.cluster);
    const unsigned totals = shared_address(room.totals), arrived = shared_address(room.arrived + 1);
#pragma unroll 1
    for (int unit = first; unit - first < units; unit += step) {
      const bool used = unit < units;
      double2 low{0, 0}, high{0, 0};
      if (used) {
        const float4* from = reinterpret_cast<const float4*>(room.inbox) + lane * share * quads + unit;
#pragma unroll 2
        for (int part = lane; part < 2 * at.cluster; part += lanes, from += lanes * share * quads) {
          const float4 p = *from;
          low.x += p.x, low.y += p.y, high.x += p.z, high.y += p.w;
        }
      }
      const int place = at.rank * share * columns + unit * 4;
      if (lanes == 1) {
        if (!used) continue;
        send(totals + static_cast<unsigned>(place * sizeof(double)), arrived, low);
        send(totals + static_cast<unsigned>((place + 2) * sizeof(double)), arrived, high);
        continue;
      }
      double2 sum = upper ? high : low;
      const double2 given = upper ? low : high;
      sum.x += __shfl_xor_sync(whole_warp, given.x, half);
      sum.y += __shfl_xor_sync(whole_warp, given.y, half);
      add_lanes(sum);
      const int own = lane & (half - 1), pair = place + (upper ? 2 : 0);
      if (at.members > 1) sum = meet(v, at, slots, tag, sum, pair, own, used);
      if (used)
        for (int rank = own; rank < at.cluster; rank += half)
          send(of_rank(totals + static_cast<unsigned>(pair * sizeof(double)), rank), of_rank(arrived, rank), sum);
    }
  }

private:
  __device__ void add_lanes(double2& sum) const {
    for (int by = half / 2; by > 0; by /= 2) {
      sum.x += __shfl_xor_sync(whole_warp, sum.x, by);
      sum.y += __shfl_xor_sync(whole_warp, sum.y, by);
    }
  }

  // The sum over all clusters of the group.
  __device__ double2 meet(const CombinedView& v, const Place& at, unsigned long long* slots, unsigned tag, double2 sum,
                          int pair, int own, bool used) const {
    // two sets of slots in turns: whoever writes the next but one has read this one
    const int all = (v.rows + 1) * columns;
    unsigned long long* set = slots + static_cast<std::size_t>((tag & 1) * at.members * all + pair) * 2;
    if (used && own == 0) {
      deposit(set + at.member * all * 2, sum.x, tag);
      deposit(set + at.member * all * 2 + 2, sum.y, tag);
    }
    sum = {0, 0};
#pragma unroll 1
    for (int member = own; used && member < at.members; member += half) {
      sum.x += collect(set + member * all * 2, tag);
      sum.y += collect(set + member * all * 2 + 2, tag);
    }
    add_lanes(sum);
    return sum;
  }
};

}  // namespace kinema::face::combined
