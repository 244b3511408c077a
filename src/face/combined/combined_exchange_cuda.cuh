// The kernel of algorithm 1: sums over all blocks, in a fixed order. Blocks of a cluster write into each other's shared
// memory, and each write signals a barrier there; clusters exchange through global memory.
#pragma once

#include "face/combined/combined_shared_cuda.cuh"

#include <cstdint>

namespace kinema::face::combined {

struct Place {
  int cluster, rank;           // blocks of a cluster, and this one's number in it
  int share;                   // rows added by each of them
  int group, member, members;  // clusters of a group
};

__device__ inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// A barrier of the cluster in two parts: work between them hides its latency. It orders no memory except what
// init_arrived() says.
__device__ inline void cluster_arrive() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
#endif
}
__device__ inline void cluster_wait() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

// The address in another block of what this one has at `local`.
__device__ inline unsigned of_rank(unsigned local, int rank) {
#if __CUDA_ARCH__ >= 900
  unsigned remote;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(local), "r"(rank));
  return remote;
#else
  return local;
#endif
}

__device__ inline void init_arrived(const SharedMemory& shared) {
#if __CUDA_ARCH__ >= 900
  for (int i = 0; i < 3; ++i)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(shared.arrived + i)) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

// One thread states how many bytes to expect.
__device__ inline void expect(const SharedMemory& shared, int which, int bytes) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(shared.arrived + which)),
               "r"(bytes)
               : "memory");
#endif
}

// Waits until everything expected has arrived. Without clusters, a block barrier must precede this.
__device__ inline void wait_for(const SharedMemory& shared, int which, unsigned turn) {
#if __CUDA_ARCH__ >= 900
  const unsigned barrier = shared_address(shared.arrived + which);
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

// The destination of a row's sums: the block that adds them, and the position of this block's part in its inbox.
struct Destination {
  unsigned to = 0, barrier = 0;
};
__device__ inline Destination destination(const SharedMemory& shared, const Place& at, int row, int part) {
  const int owner = row / at.share;
  const float* local = shared.inbox + ((2 * at.rank + part) * at.share + row - owner * at.share) * columns;
  return {of_rank(shared_address(local), owner), of_rank(shared_address(shared.arrived), owner)};
}

// The rows that this block adds: its inbox gets two parts of each from every block of the cluster.
__device__ inline int own_rows(const CombinedView& v, const Place& at) {
  return max(0, min(at.share, v.rows + 1 - at.rank * at.share));
}

// A number in global memory is two floats, each tagged with the exchange it belongs to.
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

// The sum over all clusters of a group, of two columns; `lanes` lanes hold that of this cluster, and share the work.
template <int lanes>
__device__ inline double2 meet(const CombinedView& v, const Place& at, unsigned long long* slots, unsigned tag,
                               double2 sum, int pair, int own, bool used) {
  // two alternating sets of slots: the writer of the next but one has read this one
  const int all = (v.rows + 1) * columns;
  unsigned long long* set = slots + static_cast<std::size_t>((tag & 1) * at.members * all + pair) * 2;
  if (used && own == 0) {
    deposit(set + at.member * all * 2, sum.x, tag);
    deposit(set + at.member * all * 2 + 2, sum.y, tag);
  }
  sum = {0, 0};
#pragma unroll 1
  for (int member = own; used && member < at.members; member += lanes) {
    sum.x += collect(set + member * all * 2, tag);
    sum.y += collect(set + member * all * 2 + 2, tag);
  }
#pragma unroll
  for (int by = lanes / 2; by > 0; by /= 2) {
    sum.x += __shfl_xor_sync(whole_warp, sum.x, by);
    sum.y += __shfl_xor_sync(whole_warp, sum.y, by);
  }
  return sum;
}

// Adds the rows of this block once all parts have arrived: `lanes` lanes take two columns of a row, each `parts` of its
// parts, and send the totals to the blocks of the cluster, each to two of them if there is more than one. `exactly`:
// there are no fewer parts than that.
template <int lanes, int parts, bool exactly>
__device__ inline void add_parts(const CombinedView& v, const SharedMemory& shared, const Place& at, int rows,
                                 unsigned long long* slots, unsigned tag, unsigned turn) {
  constexpr int pairs = columns / 2, step = adding_threads / lanes;
  const int own = static_cast<int>(threadIdx.x % static_cast<unsigned>(lanes)), units = rows * pairs;
  const int first_unit = static_cast<int>((threadIdx.x - other_threads) / static_cast<unsigned>(lanes));
  const int apart = lanes * at.share * pairs;  // from one part of a lane to the next
  const auto* inbox = reinterpret_cast<const float2*>(shared.inbox) + own * at.share * pairs + first_unit;
  const unsigned totals = shared_address(shared.totals + at.rank * at.share * columns + first_unit * 2);
  unsigned to[2], arrived[2];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    to[i] = of_rank(totals, own + i * lanes);
    arrived[i] = of_rank(shared_address(shared.arrived + 1), own + i * lanes);
  }
  wait_for(shared, 0, turn);
#pragma unroll 1
  for (int first = 0; first < units; first += step) {
    const bool used = first_unit + first < units;
    float2 part[parts];
#pragma unroll
    for (int i = 0; i < parts; ++i) {
      part[i] = {0, 0};
      if (used && (exactly || own + i * lanes < 2 * at.cluster)) part[i] = inbox[i * apart + first];
    }
    double2 sum{part[0].x, part[0].y}, more{part[1].x, part[1].y};
#pragma unroll
    for (int i = 2; i < parts; i += 2) {
      sum.x += part[i].x, sum.y += part[i].y;
      more.x += part[i + 1].x, more.y += part[i + 1].y;
    }
    sum.x += more.x, sum.y += more.y;
#pragma unroll
    for (int by = lanes / 2; by > 0; by /= 2) {
      sum.x += __shfl_xor_sync(whole_warp, sum.x, by);
      sum.y += __shfl_xor_sync(whole_warp, sum.y, by);
    }
    if (lanes == 8 && at.members > 1)
      sum = meet<lanes>(v, at, slots, tag, sum, at.rank * at.share * columns + (first_unit + first) * 2, own, used);
    if (used)
#pragma unroll
      for (int i = 0; i < 2; ++i)
        if (own + i * lanes < at.cluster) send(to[i] + static_cast<unsigned>(first * sizeof(double2)), arrived[i], sum);
  }
}

__device__ inline void add_parts(const CombinedView& v, const SharedMemory& shared, const Place& at, int rows,
                                 unsigned long long* slots, unsigned tag, unsigned turn) {
  if (at.cluster == 16) return add_parts<8, 4, true>(v, shared, at, rows, slots, tag, turn);
  if (at.members > 1) return add_parts<8, 4, false>(v, shared, at, rows, slots, tag, turn);
  switch (at.cluster) {
    case 8:
      return add_parts<4, 4, true>(v, shared, at, rows, slots, tag, turn);
    case 4:
      return add_parts<2, 4, true>(v, shared, at, rows, slots, tag, turn);
    case 2:
      return add_parts<1, 4, true>(v, shared, at, rows, slots, tag, turn);
    default:
      return add_parts<1, 2, true>(v, shared, at, rows, slots, tag, turn);
  }
}

}  // namespace kinema::face::combined
