// Algorithm 1 on the GPU. A group of blocks fits one face after the other; each block owns some of the texture's values,
// and with them a slice of [R; Qg; g0; 1] that stays in its registers from the first iteration to the last. An iteration
// is: shapes of all damping factors, samples of the block's values at each of them, one product of the slice with these
// columns on the tensor cores, an exchange of sums between the blocks, and the choice of the factor, which every block
// makes for itself from the same sums.
#include "face/combined_cuda.cuh"
#include "face/flat_texture.h"
#include "kinema/error.h"

#include <cooperative_groups.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <type_traits>

namespace kinema::face {
namespace {

namespace cg = cooperative_groups;

constexpr int threads = 512, warps = threads / 32;
constexpr int resident_row_tiles = 7;  // 112 rows: up to 52 modes
constexpr unsigned whole_warp = ~0u;
constexpr unsigned no_pixel = 1u << 31;

__host__ __device__ inline std::size_t align16(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

// Shared memory of a block. `columns`: damping factors, rounded up to 4 or 8.
struct Room {
  float* small;     // modes x small_width; null: it stays in global memory
  CombinedTask* task;
  float4* pixels;   // of this block
  float2* shapes;   // columns x landmarks, in the source
  float* tried;     // modes x columns: c of each factor
  float* by_c;      // (2 m + 4) x columns: [Qg; R] Qg^T c
  float* warp_sums; // warps x row tiles x 16 x columns
  float* inbox;     // cluster x share: what the blocks of the cluster have of the sums that this one adds
  float* totals;    // (rows + 1) x columns: all blocks'
  float* c;         // modes: the best so far
  float* dp;        // modes + 4
  float* by_mean;   // rows
  float* by_one;    // rows
  float* unscale;   // rows
  float* most;      // modes
  float* mean_shape;
  uint4* slices;    // of the matrix: shared tiles of each warp x row tiles x 32
  uint4* columns;   // where the matrix is not resident: the columns of each warp's tiles, as the product takes them
  double* poses;    // (columns + 1) x 4: of each factor, then of the best so far
  double* errors;   // columns: E
  float2* scales;   // columns: offset and factor
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

constexpr std::size_t most_small_bytes = 150 * 1024;  // beyond that the small matrices are read through the cache
__host__ __device__ inline bool small_is_shared(const CombinedView& v) {
  return static_cast<std::size_t>(v.modes) * v.small_width * sizeof(float) <= most_small_bytes;
}

template <CombinedSource kind>
struct Texel;
template <>
struct Texel<CombinedSource::bytes> {
  using Type = unsigned char;
  static constexpr int channels = 1;
};
template <>
struct Texel<CombinedSource::floats> {
  using Type = float;
  static constexpr int channels = 1;
};
template <>
struct Texel<CombinedSource::pairs> {
  using Type = float2;
  static constexpr int channels = 2;
};

__device__ inline float blend(float a, float b, float by) { return fmaf(by, b - a, a); }

// Bilinear at (x, y), coordinates cut off at the border.
template <class T>
__device__ inline auto look(const CombinedTask& task, float centre, float x, float y) {
  // a coordinate that is no number becomes 0
  x = fminf(fmaxf(x, 0.0f), static_cast<float>(task.width - 1));
  y = fminf(fmaxf(y, 0.0f), static_cast<float>(task.height - 1));
  const int u = min(static_cast<int>(x), max(task.width - 2, 0)), v = min(static_cast<int>(y), max(task.height - 2, 0));
  const float fx = x - static_cast<float>(u), fy = y - static_cast<float>(v);
  const T* p = static_cast<const T*>(task.source) + static_cast<std::size_t>(v) * task.stride + u;
  const int right = task.width > 1 ? 1 : 0, below = task.height > 1 ? task.stride : 0;
  const T a = __ldg(p), b = __ldg(p + right), c = __ldg(p + below), d = __ldg(p + below + right);
  if constexpr (std::is_same_v<T, float2>)
    return float2{blend(blend(a.x, b.x, fx), blend(c.x, d.x, fx), fy), blend(blend(a.y, b.y, fx), blend(c.y, d.y, fx), fy)};
  else
    return blend(blend(static_cast<float>(a), static_cast<float>(b), fx),
                 blend(static_cast<float>(c), static_cast<float>(d), fx), fy) -
           centre;
}

// The mean of a source at the landmarks of the start; a warp's work.
template <class T>
__device__ inline float centre_of(const CombinedView& v, const Room& room, const CombinedTask& task, const float* shape) {
  float sum = 0;
  for (int i = static_cast<int>(threadIdx.x) % 32; i < v.landmarks; i += 32) {
    const float mx = room.mean_shape[2 * i], my = room.mean_shape[2 * i + 1];
    const auto a = static_cast<float>(task.pose[0]), b = static_cast<float>(task.pose[1]);
    float x = a * mx - b * my + static_cast<float>(task.pose[2]), y = b * mx + a * my + static_cast<float>(task.pose[3]);
    if (task.from_shape) x = shape[2 * i], y = shape[2 * i + 1];
    const int u = static_cast<int>(fminf(fmaxf(x, 0.0f), static_cast<float>(task.width - 1)));
    const int w = static_cast<int>(fminf(fmaxf(y, 0.0f), static_cast<float>(task.height - 1)));
    sum += static_cast<float>(__ldg(static_cast<const T*>(task.source) + static_cast<std::size_t>(w) * task.stride + u));
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(whole_warp, sum, step);
  return sum / static_cast<float>(v.landmarks);
}

// Where a pixel lies, given the shape.
__device__ inline float2 place(const float4& pixel, const float2* shape) {
  const unsigned corners = __float_as_uint(pixel.w);
  const float2 a = shape[corners & 1023], b = shape[corners >> 10 & 1023], c = shape[corners >> 20 & 1023];
  return {fmaf(pixel.x, a.x, fmaf(pixel.y, b.x, pixel.z * c.x)), fmaf(pixel.x, a.y, fmaf(pixel.y, b.y, pixel.z * c.y))};
}

// Values 2 `pair` and 2 `pair` + 1 of the block's tile, at a shape.
template <CombinedSource kind>
__device__ inline float2 sample_pair(const CombinedTask& task, float centre, const Room& room, const float2* shape,
                                     int pair) {
  using T = typename Texel<kind>::Type;
  if constexpr (Texel<kind>::channels == 2) {
    const float4 pixel = room.pixels[pair];
    const float2 at = place(pixel, shape);
    const float2 value = look<T>(task, centre, at.x, at.y);
    return __float_as_uint(pixel.w) & no_pixel ? float2{0, 0} : value;
  } else {
    const float4 first = room.pixels[2 * pair], second = room.pixels[2 * pair + 1];
    const float2 at = place(first, shape), next = place(second, shape);
    const float value = look<T>(task, centre, at.x, at.y), beside = look<T>(task, centre, next.x, next.y);
    return {__float_as_uint(first.w) & no_pixel ? 0 : value, __float_as_uint(second.w) & no_pixel ? 0 : beside};
  }
}

__device__ inline unsigned bits(half2 h) { return *reinterpret_cast<unsigned*>(&h); }

// A number as the sum of two halves: 22 bits, nearly what a float holds.
__device__ inline uint2 halves(float2 value) {
  const half2 high = __floats2half2_rn(value.x, value.y);
  const float2 kept = __half22float2(high);
  return {bits(high), bits(__floats2half2_rn(value.x - kept.x, value.y - kept.y))};
}

__device__ inline void multiply(float (&sum)[4], const uint4& a, unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
}

// 16 rows by a tile's columns, high halves and low.
__device__ inline void multiply(float (&sum)[4], const uint4& a, const uint4& b) {
  multiply(sum, a, b.x, b.y);
  multiply(sum, a, b.z, b.w);
}

// A tile's columns as the product takes them: lane l has values 2 (l % 4) + {0, 1} and, after them, + {8, 9} of column
// l / 4; high halves, then low. With up to 4 columns, the upper half of the warp samples what the lower is going to hold.
template <CombinedSource kind, int columns>
__device__ inline uint4 sample_tile(const CombinedTask& task, float centre, const Room& room, int landmarks, int active,
                                    int tile, float& squares) {
  const int lane = static_cast<int>(threadIdx.x) % 32, q = lane % 4;
  uint4 b{0, 0, 0, 0};
  if constexpr (columns == 4) {
    const int column = lane / 4 % 4, half = lane / 16;
    float2 value{0, 0};
    if (column < active)
      value = sample_pair<kind>(task, centre, room, room.shapes + column * landmarks, tile * 8 + q + 4 * half);
    squares = fmaf(value.x, value.x, fmaf(value.y, value.y, squares));
    const uint2 own = halves(value);
    const uint2 other{__shfl_down_sync(whole_warp, own.x, 16), __shfl_down_sync(whole_warp, own.y, 16)};
    if (half == 0) b = {own.x, other.x, own.y, other.y};
  } else {
    const int column = lane / 4;
    if (column < active) {
      const float2* shape = room.shapes + column * landmarks;
      const float2 first = sample_pair<kind>(task, centre, room, shape, tile * 8 + q);
      const float2 second = sample_pair<kind>(task, centre, room, shape, tile * 8 + q + 4);
      squares = fmaf(first.x, first.x, fmaf(first.y, first.y, squares));
      squares = fmaf(second.x, second.x, fmaf(second.y, second.y, squares));
      const uint2 one = halves(first), two = halves(second);
      b = {one.x, two.x, one.y, two.y};
    }
  }
  return b;
}

// A warp's sums of 16 rows go where the block adds them up.
template <int columns>
__device__ inline void store_sums(const float (&sum)[4], float* rows) {
  const int lane = static_cast<int>(threadIdx.x) % 32, q = lane % 4, row = lane / 4;
  if (columns == 4 && q >= 2) return;
  *reinterpret_cast<float2*>(rows + row * columns + 2 * q) = {sum[0], sum[1]};
  *reinterpret_cast<float2*>(rows + (row + 8) * columns + 2 * q) = {sum[2], sum[3]};
}

template <int columns>
__device__ inline void store_squares(float squares, float* row) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  squares += __shfl_xor_sync(whole_warp, squares, 1);
  squares += __shfl_xor_sync(whole_warp, squares, 2);
  if (columns == 4) squares += __shfl_xor_sync(whole_warp, squares, 16);
  if (lane % 4 == 0 && lane / 4 < columns) row[lane / 4] = squares;
}

__device__ inline void send(unsigned long long* to, float value, unsigned tag) {
  const unsigned long long word = static_cast<unsigned long long>(tag) << 32 | __float_as_uint(value);
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
}
__device__ inline float receive(const unsigned long long* from, unsigned tag) {
  unsigned long long word;
  do {
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
  } while (static_cast<unsigned>(word >> 32) != tag);
  return __uint_as_float(static_cast<unsigned>(word));
}

__device__ inline void cluster_barrier() {
#if __CUDA_ARCH__ >= 900
  cg::this_cluster().sync();
#else
  __syncthreads();
#endif
}

__device__ inline float* of_rank(float* local, int rank) {
#if __CUDA_ARCH__ >= 900
  return cg::this_cluster().map_shared_rank(local, static_cast<unsigned>(rank));
#else
  return local;
#endif
}

struct Place {
  int cluster, rank;           // blocks of a cluster, and this one's number in it
  int group, member, members;  // clusters of a group
};

// The sum over the block's warps, in their order, sent to whichever block of the cluster adds it to the others'.
template <int columns>
__device__ inline void add_warps(const Room& room, const Place& at, int chunk_rows, int first_row, int count, int all) {
  const int share = share_of(all, at.cluster);
  for (int i = static_cast<int>(threadIdx.x); i < count * columns; i += threads) {
    float sum = 0;
#pragma unroll
    for (int w = 0; w < warps; ++w) sum += room.warp_sums[w * chunk_rows * columns + i];
    const int number = first_row * columns + i, rank = number / share;
    of_rank(room.inbox, rank)[at.rank * share + number - rank * share] = sum;
  }
}

// The sum over 16 neighbouring lanes; all of them get it, to the bit.
__device__ inline float add_lanes(float value) {
  for (int step = 8; step > 0; step /= 2) value += __shfl_xor_sync(whole_warp, value, step);
  return value;
}

// Sums over all blocks of the group, in an order that is fixed. Each block of a cluster adds a share of them: 16 lanes a
// sum, a lane for each block that had a part of it, and then for each that is to have the whole.
__device__ inline void exchange(const Room& room, const Place& at, int count, unsigned long long* slots, unsigned tag) {
  cluster_barrier();
  const int share = share_of(count, at.cluster), first = at.rank * share, last = min(count, first + share);
  if (at.cluster * at.members == 1) {
    for (int i = static_cast<int>(threadIdx.x); i < count; i += threads) room.totals[i] = room.inbox[i];
    __syncthreads();
    return;
  }
  const int lane = static_cast<int>(threadIdx.x) % 16;
  float* whole = of_rank(room.totals, min(lane, at.cluster - 1));
  // two sets of slots in turns: whoever writes the next but one has read this one
  unsigned long long* set = slots + static_cast<std::size_t>(tag & 1) * at.members * count;
  for (int begin = first; begin < last; begin += threads / 16) {
    const int i = begin + static_cast<int>(threadIdx.x) / 16;
    const bool used = i < last;
    float sum = add_lanes(used && lane < at.cluster ? room.inbox[lane * share + i - first] : 0);
    if (at.members > 1) {
      if (used && lane == 0) send(set + at.member * count + i, sum, tag);
      sum = 0;
      for (int member = lane; member < at.members; member += 16)
        if (used) sum += receive(set + member * count + i, tag);
      sum = add_lanes(sum);
    }
    if (used && lane < at.cluster) whole[i] = sum;
  }
  cluster_barrier();
}

// [Qs, Qg Qg^T, Qg R^T] of every factor's c, and the shapes in the source. Four threads share two columns.
template <int columns>
__device__ inline void make_shapes(const CombinedView& v, const Room& room, const float* small) {
  const int part = static_cast<int>(threadIdx.x) % 4;
  const int units = v.landmarks + v.modes + 2;
  for (int first = 0; first < units; first += threads / 4) {
    const int unit = first + static_cast<int>(threadIdx.x) / 4;
    float sum[2][columns] = {};
    if (unit < units)
      for (int i = part; i < v.modes; i += 4) {
        const float2 a = *reinterpret_cast<const float2*>(small + static_cast<std::size_t>(i) * v.small_width + 2 * unit);
#pragma unroll
        for (int k = 0; k < columns; k += 4) {
          const float4 c = *reinterpret_cast<const float4*>(room.tried + i * columns + k);
          sum[0][k] = fmaf(a.x, c.x, sum[0][k]), sum[1][k] = fmaf(a.y, c.x, sum[1][k]);
          sum[0][k + 1] = fmaf(a.x, c.y, sum[0][k + 1]), sum[1][k + 1] = fmaf(a.y, c.y, sum[1][k + 1]);
          sum[0][k + 2] = fmaf(a.x, c.z, sum[0][k + 2]), sum[1][k + 2] = fmaf(a.y, c.z, sum[1][k + 2]);
          sum[0][k + 3] = fmaf(a.x, c.w, sum[0][k + 3]), sum[1][k + 3] = fmaf(a.y, c.w, sum[1][k + 3]);
        }
      }
#pragma unroll
    for (int k = 0; k < columns; ++k)
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        sum[j][k] += __shfl_xor_sync(whole_warp, sum[j][k], 1);
        sum[j][k] += __shfl_xor_sync(whole_warp, sum[j][k], 2);
      }
    if (unit >= units) continue;
    // each of the four goes on with a factor of its own
#pragma unroll
    for (int k = 0; k < columns; k += 4) {
      const auto own = [&](const float(&of)[columns]) {
        const float low = part & 1 ? of[k + 1] : of[k], high = part & 1 ? of[k + 3] : of[k + 2];
        return part & 2 ? high : low;
      };
      const float first_sum = own(sum[0]), second_sum = own(sum[1]);
      if (unit < v.landmarks) {
        const float x = room.mean_shape[2 * unit] + first_sum, y = room.mean_shape[2 * unit + 1] + second_sum;
        const double* t = room.poses + 4 * (k + part);
        const auto a = static_cast<float>(t[0]), b = static_cast<float>(t[1]);
        room.shapes[(k + part) * v.landmarks + unit] = {fmaf(a, x, fmaf(-b, y, static_cast<float>(t[2]))),
                                                        fmaf(b, x, fmaf(a, y, static_cast<float>(t[3])))};
      } else {
        const int row = 2 * (unit - v.landmarks);
        room.by_c[row * columns + k + part] = first_sum;
        room.by_c[(row + 1) * columns + k + part] = second_sum;
      }
    }
  }
}

// A row's product with the texture of a column, as it was sampled.
template <int columns>
__device__ inline float total(const Room& room, int row, int k) {
  return room.totals[row * columns + k] * room.unscale[row];
}

// And with the normalised texture.
template <int columns>
__device__ inline float product(const Room& room, int row, int k, float2 scale) {
  return fmaf(-scale.x, room.by_one[row], total<columns>(room, row, k)) * scale.y;
}

// See normalised() in texture_sums.h: offset and factor of a column, and what E has of it alone: g.g - 2 g.g0 + g0.g0. What
// cancels there is double.
template <int columns>
__device__ inline float2 normalise(const CombinedView& v, const Room& room, int k, double& error) {
  const double square = room.totals[v.rows * columns + k], by_mean = total<columns>(room, v.rows - 2, k);
  float2 scale{0, 1};
  double left = square, along = by_mean;
  if (v.photometric) {
    const double offset = total<columns>(room, v.rows - 1, k) * v.share;
    left = fmax(0.0, square - total<columns>(room, v.rows - 1, k) * offset);
    along = by_mean - offset * room.by_one[v.rows - 2];
    const float deviation = sqrtf(static_cast<float>(left * v.share));
    const float alpha = fmaxf(static_cast<float>(along * v.share), 0.1f * deviation);
    scale.x = static_cast<float>(offset);
    const float flat = fmaf(static_cast<float>(flat_share), fabsf(scale.x), static_cast<float>(flat_least));
    scale.y = deviation > flat ? 1 / alpha : 0;
  }
  const double factor = scale.y;
  error = (left * factor - 2 * along) * factor + v.mean_square;
  return scale;
}

// E of every factor, a warp each: r.r from the products alone.
template <int columns>
__device__ inline void find_errors(const CombinedView& v, const Room& room, int active) {
  const int k = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  if (k >= active) return;
  double error;
  const float2 scale = normalise<columns>(v, room, k, error);
  float sum = 0;
  for (int i = lane; i < v.modes; i += 32) {
    const int row = v.modes + 4 + i;
    const float term = 2 * (room.by_mean[row] - product<columns>(room, row, k, scale)) + room.by_c[i * columns + k];
    sum = fmaf(room.tried[i * columns + k], term, sum);
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(whole_warp, sum, step);
  if (lane != 0) return;
  room.errors[k] = error + sum;
  room.scales[k] = scale;
}

// `register_tiles`: of each warp, those whose part of the matrix stays in registers; 0: no part stays anywhere.
template <CombinedSource kind, int register_tiles, int columns>
__global__ void __launch_bounds__(threads, 1)
    fit_faces(const CombinedView v, const CombinedBatch batch, int warp_tiles, int cluster) {
  constexpr bool resident = register_tiles > 0;
  constexpr int held = resident ? register_tiles : 1;
  constexpr int channels = Texel<kind>::channels;
  const int shared_tiles = resident ? warp_tiles - register_tiles : 0;
  extern __shared__ __align__(16) char memory[];
  Room room;
  lay_out(v, columns, resident, warp_tiles, shared_tiles, channels, cluster, small_is_shared(v), memory, &room);

  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const int number = static_cast<int>(blockIdx.x) / cluster;
  const Place at{cluster, static_cast<int>(blockIdx.x) % cluster, number / batch.group_clusters,
                 number % batch.group_clusters, batch.group_clusters};
  const int block = at.member * cluster + at.rank;  // within the group
  const int first_tile = (block * warps + warp) * warp_tiles;

  // tasks may lie on the host: they are fetched once a block, and ahead
  constexpr int task_words = sizeof(CombinedTask) / sizeof(int);
  int task_word = 0;
  if (thread < task_words && at.group < batch.faces)
    task_word = reinterpret_cast<const int*>(batch.tasks + at.group)[thread];

  // what stays: this block's pixels, its slice of the matrix, and the small matrices
  const auto fragment = [&](int t, int r) {
    return first_tile + t < v.value_tiles && r < v.row_tiles
               ? __ldg(v.fragments + (static_cast<std::size_t>(first_tile + t) * v.row_tiles + r) * 32 + lane)
               : uint4{0, 0, 0, 0};
  };
  uint4 slice[held][resident_row_tiles];
  uint4* shared_slice = room.slices + warp * shared_tiles * resident_row_tiles * 32 + lane;
  if constexpr (resident) {
#pragma unroll
    for (int t = 0; t < held; ++t)
#pragma unroll
      for (int r = 0; r < resident_row_tiles; ++r) slice[t][r] = fragment(t, r);
    for (int t = 0; t < shared_tiles; ++t)
#pragma unroll
      for (int r = 0; r < resident_row_tiles; ++r)
        shared_slice[(t * resident_row_tiles + r) * 32] = fragment(held + t, r);
  }
  const int block_pixels = warps * warp_tiles * 16 / channels;
  for (int i = thread; i < block_pixels; i += threads) {
    const int pixel = block * block_pixels + i;
    room.pixels[i] = pixel < v.value_tiles * 16 / channels ? __ldg(v.pixels + pixel)
                                                           : float4{0, 0, 0, __uint_as_float(no_pixel)};
  }
  const auto copy = [&](float* to, const float* from, int count) {
    for (int i = thread; i < count; i += threads) to[i] = __ldg(from + i);
  };
  if (small_is_shared(v)) {
    const auto from = reinterpret_cast<const float4*>(v.small);
    const auto to = reinterpret_cast<float4*>(room.small);
#pragma unroll 8
    for (int i = thread; i < v.modes * v.small_width / 4; i += threads) to[i] = __ldg(from + i);
  }
  const float* small = small_is_shared(v) ? room.small : v.small;
  copy(room.by_mean, v.by_mean, v.rows);
  copy(room.by_one, v.by_one, v.rows);
  copy(room.unscale, v.unscale, v.rows);
  copy(room.most, v.most, v.modes);
  copy(room.mean_shape, v.mean_shape, 2 * v.landmarks);

  // no block writes to another before that one has begun
  cluster_barrier();

  const int sums = (v.rows + 1) * columns;
  unsigned long long* slots = batch.exchange + static_cast<std::size_t>(at.group) * 2 * at.members * sums;
  unsigned tag = batch.tag;

  // the sums of the textures at the first `active` shapes, of all blocks
  const auto look_at_shapes = [&](const CombinedTask& task, float centre, int active) {
    float squares = 0;
    if constexpr (resident) {
      float sum[resident_row_tiles][4] = {};
#pragma unroll
      for (int t = 0; t < held; ++t) {
        const uint4 b = sample_tile<kind, columns>(task, centre, room, v.landmarks, active, warp * warp_tiles + t, squares);
#pragma unroll
        for (int r = 0; r < resident_row_tiles; ++r) multiply(sum[r], slice[t][r], b);
      }
      for (int t = 0; t < shared_tiles; ++t) {
        const uint4 b =
            sample_tile<kind, columns>(task, centre, room, v.landmarks, active, warp * warp_tiles + held + t, squares);
#pragma unroll
        for (int r = 0; r < resident_row_tiles; ++r)
          multiply(sum[r], shared_slice[(t * resident_row_tiles + r) * 32], b);
      }
      float* own = room.warp_sums + warp * resident_row_tiles * 16 * columns;
#pragma unroll
      for (int r = 0; r < resident_row_tiles; ++r) store_sums<columns>(sum[r], own + r * 16 * columns);
      __syncwarp();
      store_squares<columns>(squares, own + v.rows * columns);
      __syncthreads();
      add_warps<columns>(room, at, resident_row_tiles * 16, 0, v.rows + 1, sums);
    } else {
      for (int t = 0; t < warp_tiles; ++t)
        room.columns[(warp * warp_tiles + t) * 32 + lane] =
            sample_tile<kind, columns>(task, centre, room, v.landmarks, active, warp * warp_tiles + t, squares);
      for (int first = 0; first < v.row_tiles; first += resident_row_tiles) {
        const int count = min(resident_row_tiles, v.row_tiles - first);
        const int chunk_rows = min(v.row_tiles, resident_row_tiles) * 16;
        float sum[resident_row_tiles][4] = {};
        for (int t = 0; t < warp_tiles && first_tile + t < v.value_tiles; ++t) {
          const uint4 b = room.columns[(warp * warp_tiles + t) * 32 + lane];
          const uint4* a = v.fragments + (static_cast<std::size_t>(first_tile + t) * v.row_tiles + first) * 32 + lane;
#pragma unroll
          for (int r = 0; r < resident_row_tiles; ++r)
            if (r < count) multiply(sum[r], __ldg(a + r * 32), b);
        }
        float* own = room.warp_sums + warp * chunk_rows * columns;
        __syncthreads();  // the sums of the rows before have been read
#pragma unroll
        for (int r = 0; r < resident_row_tiles; ++r)
          if (r < count) store_sums<columns>(sum[r], own + r * 16 * columns);
        __syncwarp();
        if (v.rows >= first * 16 && v.rows < (first + count) * 16)
          store_squares<columns>(squares, own + (v.rows - first * 16) * columns);
        __syncthreads();
        add_warps<columns>(room, at, chunk_rows, first * 16, min(count * 16, v.rows + 1 - first * 16), sums);
      }
    }
    exchange(room, at, sums, slots, tag++);
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
    if (thread < 4) room.poses[thread] = task.pose[thread];

    float centre = 0;
    if constexpr (channels == 1) {
      using T = typename Texel<kind>::Type;
      // every warp finds it for itself: the same number, and no wait
      if (task.centred)
        centre = centre_of<T>(v, room, task, batch.shapes + static_cast<std::size_t>(face) * v.landmarks * 2);
    }

    // line 3: c = 0 at a mean shape; else that of the shape so far, and of the texture there
    if (task.from_shape)
      for (int i = thread; i < v.landmarks; i += threads) {
        const float* p = batch.shapes + (static_cast<std::size_t>(face) * v.landmarks + i) * 2;
        room.shapes[i] = {p[0], p[1]};
      }
    for (int i = thread; i < v.modes * columns; i += threads) room.tried[i] = 0;
    if (thread >= 4 && thread < 4 * columns) room.poses[thread] = 0;
    __syncthreads();

    double error = 0;
    int iterations = 0;
    bool converged = false, settled = !task.from_shape, start = true;
    while (start || (iterations < v.iterations && !converged)) {
      if (settled) {
        make_shapes<columns>(v, room, small);
        __syncthreads();
      }
      const int active = start ? 1 : v.factors;
      look_at_shapes(task, centre, active);
      if (!settled) {
        for (int i = thread; i < v.modes; i += threads) {
          const int row = v.modes + 4 + i;
          double unused;
          const float2 scale = normalise<columns>(v, room, 0, unused);
          const float c = batch.shape_parts[static_cast<std::size_t>(face) * v.modes + i] +
                          product<columns>(room, row, 0, scale) - room.by_mean[row];
          room.tried[i * columns] = fminf(fmaxf(c, -room.most[i]), room.most[i]);
        }
        settled = true;
        __syncthreads();
        continue;
      }
      find_errors<columns>(v, room, active);
      __syncthreads();

      // the first factor that lowers E is taken; the loop ends when that gains little, or there is none
      int taken = start ? 0 : -1;
      for (int k = 0; k < active && taken < 0; ++k)
        if (room.errors[k] < error) taken = k;
      if (!start) {
        ++iterations;
        converged = v.threshold >= 0 && (taken < 0 || error - room.errors[taken] < v.threshold * error);
      }
      if (taken >= 0) error = room.errors[taken];
      const float2 scale = room.scales[max(taken, 0)];

      // line 6: dp = -R r = R g0 + R Qg^T c - R g, and line 8 for every factor
      const auto step = [&](int row) {
        return taken < 0 ? room.dp[row]
                         : room.by_mean[row] + room.by_c[(v.modes + row) * columns + taken] -
                               product<columns>(room, row, taken, scale);
      };
      for (int i = thread; i < v.modes; i += threads) {
        const float by = step(i), c = taken < 0 ? room.c[i] : room.tried[i * columns + taken], most = room.most[i];
        room.dp[i] = by;
        room.c[i] = c;
#pragma unroll
        for (int k = 0; k < columns; ++k)
          room.tried[i * columns + k] = k < v.factors ? fminf(fmaxf(fmaf(v.factor[k], by, c), -most), most) : 0;
      }
      if (warp == warps - 1) {
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
        }
        if (lane == 31) {
          double* to = room.poses + 4 * columns;
          to[0] = t0, to[1] = t1, to[2] = t2, to[3] = t3;
        }
      }
      start = false;
      __syncthreads();
    }
    if (block != 0) continue;
    for (int i = thread; i < v.modes; i += threads)
      batch.parameters[static_cast<std::size_t>(face) * v.modes + i] = room.c[i];
    if (thread == 0) {
      CombinedResult result{{}, error / v.values, iterations, converged};
      for (int j = 0; j < 4; ++j) result.pose[j] = room.poses[4 * columns + j];
      batch.results[face] = result;
    }
  }
}

// Every kernel that there is, by what it is made for.
using Kernel = void (*)(CombinedView, CombinedBatch, int, int);

template <CombinedSource kind>
Kernel kernel_of(const CombinedPlan& plan, int columns) {
  if (!plan.resident) return columns == 4 ? fit_faces<kind, 0, 4> : fit_faces<kind, 0, 8>;
  if (columns != 4) return nullptr;
  return plan.warp_tiles == 1 ? fit_faces<kind, 1, 4> : fit_faces<kind, 2, 4>;
}

Kernel kernel_of(const CombinedPlan& plan, CombinedSource source, int factors) {
  const int columns = factors <= 4 ? 4 : 8;
  switch (source) {
    case CombinedSource::bytes:
      return kernel_of<CombinedSource::bytes>(plan, columns);
    case CombinedSource::floats:
      return kernel_of<CombinedSource::floats>(plan, columns);
    case CombinedSource::pairs:
      break;
  }
  return kernel_of<CombinedSource::pairs>(plan, columns);
}

bool prepare(Kernel kernel, const CombinedPlan& plan, std::size_t shared_bytes) {
  const auto function = reinterpret_cast<const void*>(kernel);
  bool ready = cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(shared_bytes)) == cudaSuccess;
  if (plan.cluster > 8)
    ready &= cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) == cudaSuccess;
  cudaGetLastError();
  return ready;
}

struct Launch {
  cudaLaunchConfig_t config{};
  cudaLaunchAttribute attributes[2]{};

  Launch(const CombinedPlan& plan, int clusters, std::size_t shared_bytes, cudaStream_t stream, bool together) {
    config.gridDim = dim3(static_cast<unsigned>(clusters * plan.cluster));
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = attributes;
    if (plan.cluster > 1) {
      attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
      attributes[config.numAttrs].val.clusterDim.x = static_cast<unsigned>(plan.cluster);
      attributes[config.numAttrs].val.clusterDim.y = attributes[config.numAttrs].val.clusterDim.z = 1;
      ++config.numAttrs;
    }
    if (together) {
      attributes[config.numAttrs].id = cudaLaunchAttributeCooperative;
      attributes[config.numAttrs].val.cooperative = 1;
      ++config.numAttrs;
    }
  }
};

}  // namespace

std::size_t combined_shared_bytes(const CombinedPlan& plan, const CombinedView& view, CombinedSource source) {
  const int channels = source == CombinedSource::pairs ? 2 : 1;
  const int shared_tiles = plan.resident ? std::max(0, plan.warp_tiles - 2) : 0;
  return lay_out(view, view.factors <= 4 ? 4 : 8, plan.resident, plan.warp_tiles, shared_tiles, channels,
                 plan.cluster, small_is_shared(view), nullptr, nullptr);
}

int combined_active_clusters(const CombinedPlan& plan, CombinedSource source, int factors, std::size_t shared_bytes) {
  const Kernel kernel = kernel_of(plan, source, factors);
  if (kernel == nullptr || !prepare(kernel, plan, shared_bytes)) return 0;
  const auto function = reinterpret_cast<const void*>(kernel);
  int count = 0;
  if (plan.cluster > 1) {
    const Launch launch(plan, plan.group_clusters, shared_bytes, nullptr, false);
    if (cudaOccupancyMaxActiveClusters(&count, function, &launch.config) != cudaSuccess) count = 0;
  } else {
    int device = 0, multiprocessors = 0, each = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, function, threads, shared_bytes) != cudaSuccess) each = 0;
    count = each * multiprocessors;
  }
  cudaGetLastError();
  return count;
}

void launch_combined(const CombinedPlan& plan, CombinedSource source, const CombinedView& view,
                     const CombinedBatch& batch, std::size_t shared_bytes, cudaStream_t stream) {
  const Kernel kernel = kernel_of(plan, source, view.factors);
  // clusters that wait for one another must all run at once, or none
  const Launch launch(plan, batch.groups * batch.group_clusters, shared_bytes, stream, batch.group_clusters > 1);
  cuda::check(cudaLaunchKernelEx(&launch.config, kernel, view, batch, plan.warp_tiles, plan.cluster), "fitting faces");
}

}  // namespace kinema::face
