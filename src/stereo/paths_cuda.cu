#include "stereo/paths_cuda.cuh"

#include "core/cuda/buffer.h"
#include "stereo/matcher_backends.h"

#include <type_traits>

namespace kinema::stereo {
namespace {

constexpr int tile = 16;            // of pixels, a block of threads
constexpr int cost_warps = 8;       // that compute costs
constexpr int warps_per_block = 4;  // that follow paths
constexpr int row_warps = 16;       // that choose the disparities of a row
constexpr unsigned full = 0xffffffffu;

dim3 tiles(int width, int height) {
  return {static_cast<unsigned>((width + tile - 1) / tile), static_cast<unsigned>((height + tile - 1) / tile)};
}

__device__ int clamped(int value, int low, int high) { return min(max(value, low), high); }

__global__ void align_kernel(const std::uint8_t* right, std::uint8_t* out, int width, int height, RowShift shift) {
  const int x = static_cast<int>(blockIdx.x * tile + threadIdx.x),
            y = static_cast<int>(blockIdx.y * tile + threadIdx.y);
  if (x >= width || y >= height) return;
  const int below = static_cast<int>(floorf(64 * rows_below(shift, x, y, width, height) + 0.5f));
  const int upper = clamped(y + (below >> 6), 0, height - 1), lower = min(upper + 1, height - 1), part = below & 63;
  out[y * width + x] =
      static_cast<std::uint8_t>(((64 - part) * right[upper * width + x] + part * right[lower * width + x] + 32) >> 6);
}

// Both at once: a tile of pixels is smoothed with a margin for the census.
__global__ void census_kernel(const std::uint8_t* picture, std::uint16_t* smooth, std::uint32_t* census, int width,
                              int height) {
  constexpr int side = tile + 2 * census_reach;
  __shared__ std::uint16_t near[side][side];
  const int left = static_cast<int>(blockIdx.x) * tile - census_reach,
            top = static_cast<int>(blockIdx.y) * tile - census_reach;
  for (int i = static_cast<int>(threadIdx.y * tile + threadIdx.x); i < side * side; i += tile * tile) {
    // beyond the border, the smoothed picture repeats itself
    const int x = clamped(left + i % side, 0, width - 1), y = clamped(top + i / side, 0, height - 1);
    int sum = 0;
    for (int dy = -1; dy <= 1; ++dy) {
      const std::uint8_t* row = picture + clamped(y + dy, 0, height - 1) * width;
      const int three = row[max(x - 1, 0)] + 2 * row[x] + row[min(x + 1, width - 1)];
      sum += dy == 0 ? 2 * three : three;
    }
    near[i / side][i % side] = static_cast<std::uint16_t>(sum);
  }
  __syncthreads();
  const int x = left + census_reach + static_cast<int>(threadIdx.x),
            y = top + census_reach + static_cast<int>(threadIdx.y);
  if (x >= width || y >= height) return;
  const int u = static_cast<int>(threadIdx.x) + census_reach, v = static_cast<int>(threadIdx.y) + census_reach;
  std::uint32_t bits = 0;
  int bit = 0;
#pragma unroll
  for (int dy = 0; dy <= census_reach; ++dy) {
#pragma unroll
    for (int dx = -census_reach; dx <= census_reach; ++dx) {
      if (dy == 0 && dx < 1) continue;
      bits |= (near[v + dy][u + dx] > near[v - dy][u - dx] ? 1u : 0u) << bit++;
    }
  }
  smooth[y * width + x] = near[v][u];
  census[y * width + x] = bits;
}

struct PathStart {
  int x, y, dx, dy;
};

// Path number `n` of all: those along rows, along columns, and along both diagonals, both ways.
__device__ bool start_of(int n, int columns, int rows, int& direction, PathStart& start) {
  for (direction = 0; direction < 4; ++direction) {
    const bool ahead = direction % 2 == 0;
    const int count = direction < 2 ? rows : columns;
    if (n < count) {
      start = direction < 2 ? PathStart{ahead ? 0 : columns - 1, n, ahead ? 1 : -1, 0}
                            : PathStart{n, ahead ? 0 : rows - 1, 0, ahead ? 1 : -1};
      return true;
    }
    n -= count;
  }
  const int count = columns + rows - 1;
  for (; direction < 8; ++direction) {
    if (n < count) {
      const int dx = direction % 2 == 0 ? 1 : -1, dy = direction < 6 ? 1 : -1;
      // first those that begin in a row, then those that begin at the side
      const int row = dy > 0 ? 0 : rows - 1, side = dx > 0 ? 0 : columns - 1;
      start = n < columns ? PathStart{n, row, dx, dy} : PathStart{side, row + dy * (n - columns + 1), dx, dy};
      return true;
    }
    n -= count;
  }
  return false;
}

// The bytes of a lane, `each` of them, four in a register.
template <int each>
struct LaneBytes {
  static constexpr int count = (each + 3) / 4;
  using Word = std::conditional_t<each == 1, std::uint8_t, std::conditional_t<each == 2, std::uint16_t, std::uint32_t>>;
  static constexpr int stride = count * static_cast<int>(sizeof(Word));  // from lane to lane
  std::uint32_t four[count];

  __device__ static LaneBytes read(const std::uint8_t* from) {
    LaneBytes bytes;
#pragma unroll
    for (int i = 0; i < count; ++i) bytes.four[i] = reinterpret_cast<const Word*>(from)[i];
    return bytes;
  }

  __device__ void write(std::uint8_t* to) const {
#pragma unroll
    for (int i = 0; i < count; ++i) reinterpret_cast<Word*>(to)[i] = static_cast<Word>(four[i]);
  }

  // Bytes 2 i and 2 i + 1 as two numbers of 16 bits.
  __device__ unsigned two(int i) const { return __byte_perm(four[i / 2], 0, i % 2 == 0 ? 0x4140 : 0x4342); }
};

// Cost of all disparities of the window's pixels: what the paths share. A warp has a pixel at a time.
template <int each>
__global__ void __launch_bounds__(32 * cost_warps) cost_kernel(DevicePair pair) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int y = static_cast<int>(blockIdx.y);
  for (int x = static_cast<int>(blockIdx.x) * cost_warps + static_cast<int>(threadIdx.x) / 32; x < pair.columns;
       x += static_cast<int>(gridDim.x) * cost_warps) {
    const int column = pair.x + x, index = (pair.y + y) * pair.width + column;
    const std::uint32_t own = pair.left[index];
    LaneBytes<each> cost{};
#pragma unroll
    for (int i = 0; i < each; ++i) {
      const int d = pair.first + lane * each + i;
      const auto differing = static_cast<unsigned>(column >= d ? __popc(own ^ pair.right[index - d]) : outside_cost);
      cost.four[i / 4] |= differing << 8 * (i % 4);
    }
    cost.write(pair.costs +
               (static_cast<std::size_t>(y) * static_cast<std::size_t>(pair.columns) + static_cast<std::size_t>(x)) *
                   static_cast<std::size_t>(pair.pixel_bytes()) +
               lane * LaneBytes<each>::stride);
  }
}

// Two numbers of 16 bits in one register, both below 2^15.
__device__ unsigned twice(int value) { return static_cast<unsigned>(value) * 0x10001u; }

// A warp follows a path; each lane has `each` successive disparities, two in a register.
template <int each>
__global__ void __launch_bounds__(32 * warps_per_block) path_kernel(DevicePair pair) {
  constexpr int registers = (each + 1) / 2;
  constexpr unsigned never = 0x4000u;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  int direction = 0;
  PathStart at{};
  const int path = static_cast<int>(blockIdx.x) * warps_per_block + static_cast<int>(threadIdx.x) / 32;
  if (!start_of(path, pair.columns, pair.rows, direction, at)) return;
  const int along_x = at.dx > 0   ? pair.columns - at.x
                      : at.dx < 0 ? at.x + 1
                                  : pair.rows,
            along_y = at.dy > 0   ? pair.rows - at.y
                      : at.dy < 0 ? at.y + 1
                                  : pair.columns;

  const unsigned small = twice(pair.small_step);
  // Before the first pixel all values are 0, and so is a step of any size. The second half of a last register that is half
  // used is never the smallest.
  unsigned value[registers];
#pragma unroll
  for (int i = 0; i < registers; ++i) value[i] = each % 2 == 1 && i + 1 == registers ? never << 16 : 0;
  int least = 0;
  const std::uint16_t* smooth = pair.smooth + (pair.y + at.y) * pair.width + pair.x + at.x;
  int before = *smooth;
  const std::size_t first =
      (static_cast<std::size_t>(at.y) * static_cast<std::size_t>(pair.columns) + static_cast<std::size_t>(at.x)) *
          static_cast<std::size_t>(pair.pixel_bytes()) +
      static_cast<std::size_t>(lane * LaneBytes<each>::stride);
  const std::uint8_t* costs = pair.costs + first;
  std::uint8_t* out = pair.paths + static_cast<std::size_t>(direction) * pair.volume() + first;
  const int smooth_further = at.dy * pair.width + at.dx;
  const std::ptrdiff_t further = static_cast<std::ptrdiff_t>(at.dy * pair.columns + at.dx) * pair.pixel_bytes();
  // what the next pixel needs is read while this one is computed
  LaneBytes<each> next_cost = LaneBytes<each>::read(costs);
  int next_grey = before;
  for (int left = min(along_x, along_y); left > 0; --left) {
    const LaneBytes<each> cost = next_cost;
    const int grey = next_grey;
    if (left > 1) {
      costs += further;
      smooth += smooth_further;
      next_cost = LaneBytes<each>::read(costs);
      next_grey = *smooth;
    }
    const unsigned large = twice(least + pair.large_step[abs(grey - before) >> 4]), less = twice(least);
    before = grey;
    // the neighbours of a lane's first and last disparity
    const unsigned last = each % 2 == 0 ? value[registers - 1] >> 16 : value[registers - 1] & 0xffffu;
    unsigned below = __shfl_up_sync(full, last, 1), above = __shfl_down_sync(full, value[0], 1) & 0xffffu;
    if (lane == 0) below = never;
    if (lane == 31) above = never;
    unsigned smallest = never << 16 | never;
    LaneBytes<each> packed{};
    unsigned previous = below << 16;  // of it, the upper half is the neighbour below
#pragma unroll
    for (int i = 0; i < registers; ++i) {
      const bool two = 2 * i + 1 < each;
      const unsigned here = value[i];
      const unsigned lower = __byte_perm(previous, here, 0x5432);  // (previous.hi, here.lo)
      const unsigned following = i + 1 < registers ? value[i + 1] : above;
      unsigned upper = __byte_perm(here, following, 0x5432);  // (here.hi, following.lo)
      if (!two) upper = above | never << 16;
      const unsigned beside = __vminu2(lower, upper);
      unsigned best = __viaddmin_u16x2(beside, small, __vminu2(here, large));
      previous = here;
      best = best - less + cost.two(i);
      if (!two) best = (best & 0xffffu) | never << 16;
      value[i] = best;
      smallest = __vminu2(smallest, best);
      if (i % 2 == 0)
        packed.four[i / 2] = __byte_perm(best, 0, 0x4420);
      else
        packed.four[i / 2] |= __byte_perm(best, 0, 0x2044);
    }
    least = static_cast<int>(__reduce_min_sync(full, min(smallest & 0xffffu, smallest >> 16)));
    packed.write(out);
    out += further;
  }
}

// A block has a row, a warp a part of it. A sum of eight paths and its disparity in one number: the smallest of them is the
// best, of equal ones the farthest.
template <int each>
__global__ void __launch_bounds__(32 * row_warps) choose_kernel(DevicePair pair, float* disparity) {
  extern __shared__ unsigned seen[];  // by the right picture: columns + disparities, from the right
  unsigned short* whole =
      reinterpret_cast<unsigned short*>(seen + pair.columns + pair.disparities);  // (columns), 0: none
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int y = static_cast<int>(blockIdx.x), length = pair.columns + pair.disparities;
  for (int i = static_cast<int>(threadIdx.x); i < length; i += static_cast<int>(blockDim.x)) seen[i] = ~0u;
  __syncthreads();
  const int part = (pair.columns + row_warps - 1) / row_warps, begin = min(warp * part, pair.columns),
            end = min(begin + part, pair.columns);
  const std::size_t volume = pair.volume();
  const std::uint8_t* from =
      pair.paths +
      (static_cast<std::size_t>(y) * static_cast<std::size_t>(pair.columns) + static_cast<std::size_t>(begin)) *
          static_cast<std::size_t>(pair.pixel_bytes()) +
      lane * LaneBytes<each>::stride;
  float* out = disparity + static_cast<std::size_t>(y) * static_cast<std::size_t>(pair.columns);
  // Of the right picture's pixels, the best so far: lane and register have the pixel that is their disparity to the left of x,
  // so that with each x all of them move on by one disparity.
  unsigned best_seen[each];
#pragma unroll
  for (int i = 0; i < each; ++i) best_seen[i] = ~0u;
  // what the next pixel needs is read while this one is computed
  LaneBytes<each> next[8];
  const auto read_next = [&] {
#pragma unroll
    for (int k = 0; k < 8; ++k) next[k] = LaneBytes<each>::read(from + static_cast<std::size_t>(k) * volume);
    from += pair.pixel_bytes();
  };
  if (begin < end) read_next();
  for (int x = begin; x < end; ++x) {
    unsigned pairs[2 * LaneBytes<each>::count] = {};  // two sums of 16 bits in each
#pragma unroll
    for (int k = 0; k < 8; ++k) {
#pragma unroll
      for (int i = 0; i < LaneBytes<each>::count; ++i) {
        pairs[2 * i] += next[k].two(2 * i);
        pairs[2 * i + 1] += next[k].two(2 * i + 1);
      }
    }
    if (x + 1 < end) read_next();
    unsigned sum[each], best = ~0u;
    unsigned moved = __shfl_up_sync(full, best_seen[each - 1], 1);
    if (lane == 0) moved = ~0u;
    if (lane == 31 && x > begin) atomicMin(seen + (pair.columns - x) + pair.disparities - 1, best_seen[each - 1]);
#pragma unroll
    for (int i = 0; i < each; ++i) {
      sum[i] = i % 2 == 0 ? pairs[i / 2] & 0xffffu : pairs[i / 2] >> 16;
      const unsigned key = sum[i] << 16 | static_cast<unsigned>(lane * each + i);
      best = min(best, key);
      const unsigned former = best_seen[i];
      best_seen[i] = min(moved, key);
      moved = former;
    }
    best = __reduce_min_sync(full, best);
    const int chosen = static_cast<int>(best & 0xffffu);
    const auto least = static_cast<int>(best >> 16);
    unsigned second = ~0u, before = 0, after = 0;
#pragma unroll
    for (int i = 0; i < each; ++i) {
      const int d = lane * each + i;
      if (abs(d - chosen) > 1) second = min(second, sum[i]);
      if (d == chosen - 1) before = sum[i];
      if (d == chosen + 1) after = sum[i];
    }
    second = __reduce_min_sync(full, second);
    const unsigned beside = __reduce_add_sync(full, before | after << 16);
    before = beside & 0xffffu;
    after = beside >> 16;
    if (lane == 0) {
      const bool valid =
          chosen >= 1 && chosen + 1 < pair.disparities && pair.first + chosen <= pair.x + x &&
          static_cast<float>(static_cast<int>(second) - least) >= pair.uniqueness * static_cast<float>(least);
      const int bend = static_cast<int>(before + after) - 2 * least;
      const float nearer = bend > 0 ? 0.5f * static_cast<float>(static_cast<int>(before) - static_cast<int>(after)) /
                                          static_cast<float>(bend)
                                    : 0.0f;
      whole[x] = static_cast<unsigned short>(valid ? chosen : 0);
      out[x] = valid ? static_cast<float>(pair.first + chosen) + nearer : 0.0f;
    }
  }
  if (end > begin)
#pragma unroll
    for (int i = 0; i < each; ++i) atomicMin(seen + (pair.columns - end) + lane * each + i, best_seen[i]);
  __syncthreads();
  for (int x = static_cast<int>(threadIdx.x); x < pair.columns; x += static_cast<int>(blockDim.x)) {
    const int own = whole[x];
    if (own == 0) continue;
    const unsigned key = seen[pair.columns - 1 - x + own];
    if (abs(static_cast<int>(key & 0xffffu) - own) > 1) out[x] = 0;
  }
}

template <template <int> class Launch, class... Arguments>
void by_disparities(int disparities, const Arguments&... arguments) {
  switch (disparities / 32) {
    case 1:
      return Launch<1>::run(arguments...);
    case 2:
      return Launch<2>::run(arguments...);
    case 3:
      return Launch<3>::run(arguments...);
    case 4:
      return Launch<4>::run(arguments...);
    case 5:
      return Launch<5>::run(arguments...);
    case 6:
      return Launch<6>::run(arguments...);
    case 7:
      return Launch<7>::run(arguments...);
    case 8:
      return Launch<8>::run(arguments...);
    case 9:
      return Launch<9>::run(arguments...);
    case 10:
      return Launch<10>::run(arguments...);
    case 11:
      return Launch<11>::run(arguments...);
    default:
      return Launch<12>::run(arguments...);
  }
}

template <int each>
struct Follow {
  static void run(const DevicePair& pair, cudaStream_t stream) {
    const dim3 parts(static_cast<unsigned>((pair.columns + 8 * cost_warps - 1) / (8 * cost_warps)),
                     static_cast<unsigned>(pair.rows));
    cost_kernel<each><<<parts, 32 * cost_warps, 0, stream>>>(pair);
    const int paths = 2 * pair.rows + 2 * pair.columns + 4 * (pair.columns + pair.rows - 1);
    path_kernel<each><<<(paths + warps_per_block - 1) / warps_per_block, 32 * warps_per_block, 0, stream>>>(pair);
  }
};

template <int each>
struct Choose {
  static void run(const DevicePair& pair, float* disparity, cudaStream_t stream) {
    const std::size_t shared = static_cast<std::size_t>(pair.columns + pair.disparities) * sizeof(unsigned) +
                               static_cast<std::size_t>(pair.columns) * sizeof(unsigned short);
    choose_kernel<each><<<static_cast<unsigned>(pair.rows), 32 * row_warps, shared, stream>>>(pair, disparity);
  }
};

}  // namespace

void align_rows(const std::uint8_t* right, std::uint8_t* out, int width, int height, double a, double b, double c,
                cudaStream_t stream) {
  align_kernel<<<tiles(width, height), dim3(tile, tile), 0, stream>>>(right, out, width, height, RowShift{a, b, c});
  cuda::check_launch("aligning rows");
}

void take_census(const std::uint8_t* picture, std::uint16_t* smooth, std::uint32_t* census, int width, int height,
                 cudaStream_t stream) {
  census_kernel<<<tiles(width, height), dim3(tile, tile), 0, stream>>>(picture, smooth, census, width, height);
  cuda::check_launch("the census");
}

void follow_paths(const DevicePair& pair, cudaStream_t stream) {
  by_disparities<Follow>(pair.disparities, pair, stream);
  cuda::check_launch("following paths");
}

void choose_disparities(const DevicePair& pair, float* disparity, cudaStream_t stream) {
  by_disparities<Choose>(pair.disparities, pair, disparity, stream);
  cuda::check_launch("choosing disparities");
}

}  // namespace kinema::stereo
