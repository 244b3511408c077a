// From points to tiles in four steps: a key along a space-filling curve for each point, a radix sort, a k-d split
// within runs of 1024 (as good as one of the whole, and it fits into a block), and the tiles' bounds.
//
// The cost is the number of capsules that may matter to a tile. A wide tile meets more of them, a deep one hardly does,
// unless it mixes a surface with points far before or behind it. So points are separated by depth into coarse layers,
// the mean depth in the middle of one, and by direction alone within a layer.
#include "body/likelihood/likelihood_backends.h"
#include "body/likelihood/ray_tiles_cuda.cuh"

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <cstring>
#include <limits>

namespace kinema::body {
namespace {

constexpr int run = 1024;  // points split by one block

// results of the first pass: extremes as ordered integers, counts, and the sum of the foreground's depths, whose two
// words are one number
enum Statistic { min_u, min_v, max_u, max_v, foreground, background, depth_sum, statistic_count = depth_sum + 2 };

constexpr double depth_unit =
    1.0 / 256;                // of that sum, in tau: an integer, so that the order of summation does not matter
constexpr double layer = 16;  // the depth of a layer, in tau: that of a person

struct Camera3 {
  double x, y, z;
};

__device__ Vec3 to_point(const float* xyz, unsigned i, Camera3 camera) {
  return {xyz[3 * i] - camera.x, xyz[3 * i + 1] - camera.y, xyz[3 * i + 2] - camera.z};
}

// floats as integers of the same order, so that integer atomics find extremes
__device__ unsigned ordered(float x) {
  const unsigned bits = __float_as_uint(x);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}
__device__ float from_ordered(unsigned bits) {
  return __uint_as_float(bits & 0x80000000u ? bits & 0x7fffffffu : ~bits);
}

// a direction on the faces of an octahedron, unfolded to a square around +z
__device__ float2 unfold(Vec3 x) {
  const double size = fabs(x.x) + fabs(x.y) + fabs(x.z);
  double u = x.x / size, v = x.y / size;
  if (x.z < 0) {
    const double u0 = u;
    u = copysign(1 - fabs(v), u);
    v = copysign(1 - fabs(u0), v);
  }
  return {static_cast<float>(u), static_cast<float>(v)};
}

__device__ bool usable(double delta) { return isfinite(delta) && delta > 0; }

__global__ void find_extent(const float* xyz, const std::uint8_t* marks, unsigned count, Camera3 camera, double tau,
                            unsigned* statistics) {
  unsigned low[2] = {~0u, ~0u}, high[2] = {0, 0}, kinds[2] = {0, 0};
  unsigned long long depths = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    const Vec3 x = to_point(xyz, i, camera);
    const double delta = norm(x);
    if (!usable(delta)) continue;
    const float2 square = unfold(x);
    const float at[2] = {square.x, square.y};
    for (int k = 0; k < 2; ++k) {
      low[k] = min(low[k], ordered(at[k]));
      high[k] = max(high[k], ordered(at[k]));
    }
    const bool is_background = marks != nullptr && marks[i] != 0;
    ++kinds[is_background];
    if (!is_background) depths += static_cast<unsigned long long>(fmin(delta / tau, 1e9) / depth_unit);
  }
  for (int k = 0; k < 2; ++k) {
    low[k] = __reduce_min_sync(~0u, low[k]);
    high[k] = __reduce_max_sync(~0u, high[k]);
    kinds[k] = __reduce_add_sync(~0u, kinds[k]);
  }
  for (int step = 16; step > 0; step /= 2) depths += __shfl_xor_sync(~0u, depths, step);
  if (threadIdx.x % 32 != 0) return;
  for (int k = 0; k < 2; ++k) {
    atomicMin(&statistics[min_u + k], low[k]);
    atomicMax(&statistics[max_u + k], high[k]);
    atomicAdd(&statistics[foreground + k], kinds[k]);
  }
  atomicAdd(reinterpret_cast<unsigned long long*>(&statistics[depth_sum]), depths);
}

// A key has 24 bits, three passes of a sort: two give the kind of the point, then come layers and the curve. Runs are
// split again, so finer cells would gain nothing.
constexpr unsigned key_bits = 24, cells = 256, curve_bits = 16, middle_layer = 32, layers_known = 64;
constexpr unsigned dropped = (1u << key_bits) - 1, background_key = 1u << (key_bits - 2);
static_assert(cells * cells == 1u << curve_bits && layers_known << curve_bits == background_key);

// the index of a grid cell on the Hilbert curve
__device__ unsigned along_curve(unsigned x, unsigned y) {
  unsigned place = 0;
  for (unsigned side = cells / 2; side > 0; side /= 2) {
    const bool right = (x & side) != 0, up = (y & side) != 0;
    place += side * side * ((right ? 3u : 0u) ^ (up ? 1u : 0u));
    if (up) continue;
    if (right) {
      x = cells - 1 - x;
      y = cells - 1 - y;
    }
    const unsigned x0 = x;
    x = y;
    y = x0;
  }
  return place;
}

// foreground, background, then dropped points; each by layers of depth, and these along a curve over direction
__global__ void make_keys(const float* xyz, const std::uint8_t* marks, unsigned count, Camera3 camera, double tau,
                          const unsigned* statistics, unsigned* keys, unsigned* order) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Vec3 x = to_point(xyz, i, camera);
  const double delta = norm(x);
  unsigned key = dropped;
  if (usable(delta)) {
    const auto sum = *reinterpret_cast<const unsigned long long*>(&statistics[depth_sum]);
    const double mean = depth_unit * static_cast<double>(sum) / max(statistics[foreground], 1u);
    const double layers = floor((delta / tau - mean) / layer + 0.5);
    key = static_cast<unsigned>(fmin(fmax(layers + middle_layer, 0.0), layers_known - 1.0)) << curve_bits;
    if (marks != nullptr && marks[i] != 0) key |= background_key;

    const float low_u = from_ordered(statistics[min_u]), low_v = from_ordered(statistics[min_v]);
    const float extent = fmaxf(from_ordered(statistics[max_u]) - low_u, from_ordered(statistics[max_v]) - low_v);
    const float2 square = unfold(x);
    const auto cell = [extent](float from_low) {
      return extent > 0 ? min(cells - 1, static_cast<unsigned>(from_low / extent * cells)) : 0u;
    };
    key |= along_curve(cell(square.x - low_u), cell(square.y - low_v));
  }
  keys[i] = key;
  order[i] = i;
}

struct Item {
  float key;
  int at;
};

// the smaller or the larger of two, by key and then by index, so that the order is unique
__device__ bool before(Item a, Item b) { return a.key < b.key || (a.key == b.key && a.at < b.at); }

// The ranges of the two kinds in the order: the person's points, then those past it; and which blocks of a launch over
// both belong to which.
struct Kinds {
  unsigned end[2];     // of each kind
  unsigned blocks[2];  // of each kind

  __device__ bool is_background() const { return blockIdx.x >= blocks[0]; }
  __device__ unsigned begin(bool background) const { return background ? end[0] : 0; }
  __device__ unsigned block(bool background) const { return blockIdx.x - (background ? blocks[0] : 0); }
};

// Splits a run of up to 1024 points in halves of its widest side, down to 32 (the order of a k-d tree). Slots beyond
// the run's points stay at its end.
__global__ __launch_bounds__(run) void split_runs(const float* xyz, Camera3 camera, Kinds kinds, unsigned* order) {
  __shared__ float side[3][run];  // a point's direction
  __shared__ Item exchange[run];
  __shared__ float extent[6][32];  // of each warp: lows, then highs
  const int t = static_cast<int>(threadIdx.x), lane = t % 32, warp = t / 32;
  const bool background = kinds.is_background();
  const unsigned first = kinds.begin(background) + kinds.block(background) * run;
  const int count = static_cast<int>(min(static_cast<unsigned>(run), kinds.end[background] - first));
  const bool present = t < count;

  const unsigned point = present ? order[first + t] : 0;
  const Vec3 x = present ? to_point(xyz, point, camera) : Vec3{1, 0, 0};
  const double delta = norm(x);
  side[0][t] = static_cast<float>(x.x / delta);
  side[1][t] = static_cast<float>(x.y / delta);
  side[2][t] = static_cast<float>(x.z / delta);

  Item mine{0, t};
  for (int size = run; size > 32; size /= 2) {
    // the widest side of this thread's segment
    __syncthreads();
    for (int k = 0; k < 3; ++k) {
      const bool counts = mine.at < count;
      float low = counts ? side[k][mine.at] : INFINITY, high = counts ? side[k][mine.at] : -INFINITY;
      for (int step = 16; step > 0; step /= 2) {
        low = fminf(low, __shfl_xor_sync(~0u, low, step));
        high = fmaxf(high, __shfl_xor_sync(~0u, high, step));
      }
      if (lane == 0) {
        extent[k][warp] = low;
        extent[3 + k][warp] = high;
      }
    }
    __syncthreads();
    int widest = 0;
    float width = -1;
    const int warps = size / 32, first_warp = warp / warps * warps;
    for (int k = 0; k < 3; ++k) {
      float low = INFINITY, high = -INFINITY;
      for (int w = first_warp; w < first_warp + warps; ++w) {
        low = fminf(low, extent[k][w]);
        high = fmaxf(high, extent[3 + k][w]);
      }
      if (high - low > width) {
        width = high - low;
        widest = k;
      }
    }
    mine.key = mine.at < count ? side[widest][mine.at] : INFINITY;

    // bitonic sort of every segment
    for (int block = 2; block <= size; block *= 2) {
      for (int stride = block / 2; stride > 0; stride /= 2) {
        Item other;
        if (stride >= 32) {
          __syncthreads();
          exchange[t] = mine;
          __syncthreads();
          other = exchange[t ^ stride];
        } else {
          other = {__shfl_xor_sync(~0u, mine.key, stride), __shfl_xor_sync(~0u, mine.at, stride)};
        }
        const bool ascending = (t & block) == 0 || block == size;
        const bool lower = (t & stride) == 0;
        if (before(other, mine) == (lower == ascending)) mine = other;
      }
    }
  }

  // `order` is read by index before it is written
  __syncthreads();
  exchange[t].at = static_cast<int>(point);
  __syncthreads();
  if (present) order[first + t] = static_cast<unsigned>(exchange[mine.at].at);
}

// A warp's least and greatest.
__device__ double warp_min(double x) {
  for (int step = 16; step > 0; step /= 2) x = fmin(x, __shfl_xor_sync(~0u, x, step));
  return x;
}
__device__ double warp_max(double x) { return -warp_min(-x); }

struct RayExtent {
  Vec3 low, high;
  double near, far;
  double reach;  // how far from its point a hit matters
};

__device__ Vec3 middle_of(const RayExtent& extent, Vec3 any) {
  const Vec3 sum = extent.low + extent.high;
  const double length = norm(sum);
  return length > 1e-3 ? (1 / length) * sum : any;
}

// One block per tile: its rays about its origin, its bounds, and those of its subtiles.
__global__ __launch_bounds__(RayTilesCuda::tile_rays) void make_tiles(const float* xyz, const float* deviation,
                                                                      Camera3 camera, const unsigned* order,
                                                                      Kinds kinds, bool first_hit, double tau,
                                                                      double sigma, float4* rays, float3* points,
                                                                      float* scales, TileBounds* tiles,
                                                                      TileBounds* subtiles, int* counts) {
  __shared__ RayExtent extents[RayTilesCuda::subtiles];
  __shared__ double spreads[RayTilesCuda::subtiles];
  const int t = static_cast<int>(threadIdx.x), warp = t / 32;
  const int tile = static_cast<int>(blockIdx.x);
  const bool is_background = kinds.is_background();
  const unsigned first = kinds.begin(is_background) + kinds.block(is_background) * RayTilesCuda::tile_rays;
  const int count =
      static_cast<int>(min(static_cast<unsigned>(RayTilesCuda::tile_rays), kinds.end[is_background] - first));

  // beyond the last point it is repeated, which changes no bound
  const unsigned point = order[first + min(t, count - 1)];
  const Vec3 x = to_point(xyz, point, camera);
  const double delta = norm(x);
  const Vec3 v = (1 / delta) * x;
  const double scale = deviation == nullptr ? 1 : distance_scale(deviation[point], sigma);

  RayExtent mine{{warp_min(v.x), warp_min(v.y), warp_min(v.z)},
                 {warp_max(v.x), warp_max(v.y), warp_max(v.z)},
                 warp_min(delta),
                 warp_max(delta),
                 warp_max(tau / scale)};
  if (t % 32 == 0) extents[warp] = mine;
  const auto bounds_about = [&](const RayExtent& extent, Vec3 any) {
    const Vec3 middle = middle_of(extent, any);
    TileBounds b;
    b.vx = static_cast<float>(middle.x);
    b.vy = static_cast<float>(middle.y);
    b.vz = static_cast<float>(middle.z);
    return b;
  };
  const Vec3 warp_any{__shfl_sync(~0u, v.x, 0), __shfl_sync(~0u, v.y, 0), __shfl_sync(~0u, v.z, 0)};
  TileBounds sub = bounds_about(mine, warp_any);
  finish_bounds(sub, warp_max(norm(v - Vec3{sub.vx, sub.vy, sub.vz})), mine.near, mine.far, is_background, first_hit,
                tau, mine.reach);
  if (t % 32 == 0) subtiles[tile * RayTilesCuda::subtiles + warp] = sub;

  __syncthreads();
  RayExtent whole = extents[0];
  for (int w = 1; w < RayTilesCuda::subtiles; ++w) {
    const RayExtent& e = extents[w];
    whole.low = {fmin(whole.low.x, e.low.x), fmin(whole.low.y, e.low.y), fmin(whole.low.z, e.low.z)};
    whole.high = {fmax(whole.high.x, e.high.x), fmax(whole.high.y, e.high.y), fmax(whole.high.z, e.high.z)};
    whole.near = fmin(whole.near, e.near);
    whole.far = fmax(whole.far, e.far);
    whole.reach = fmax(whole.reach, e.reach);
  }
  // any direction is valid, but all threads must take the same
  TileBounds all = bounds_about(whole, {0, 0, 1});
  const double spread = warp_max(norm(v - Vec3{all.vx, all.vy, all.vz}));
  if (t % 32 == 0) spreads[warp] = spread;
  __syncthreads();
  double widest = 0;
  for (double s : spreads) widest = fmax(widest, s);
  finish_bounds(all, widest, whole.near, whole.far, is_background, first_hit, tau, whole.reach);

  const auto place = static_cast<std::size_t>(tile) * RayTilesCuda::tile_rays + t;
  rays[place] = {static_cast<float>(v.x - all.vx), static_cast<float>(v.y - all.vy), static_cast<float>(v.z - all.vz),
                 static_cast<float>(delta - all.depth)};
  points[place] = {xyz[3 * point], xyz[3 * point + 1], xyz[3 * point + 2]};
  if (scales != nullptr) scales[place] = static_cast<float>(scale);
  if (t == 0) {
    tiles[tile] = all;
    counts[tile] = count;
  }
}

unsigned blocks(std::size_t count, std::size_t size) { return static_cast<unsigned>((count + size - 1) / size); }

// What the device will consider usable(): a ray has a nonzero, finite length.
PieceCount count_usable(const float* xyz, const std::uint8_t* marks, std::size_t count, const Vec3& camera) {
  PieceCount found;
  for (std::size_t i = 0; i < count; ++i, xyz += 3) {
    const Vec3 x{xyz[0] - camera.x, xyz[1] - camera.y, xyz[2] - camera.z};
    const double square = dot(x, x);
    const bool good = square > 0 && square <= std::numeric_limits<double>::max(),
               past = marks != nullptr && marks[i] != 0;
    found.person += good && !past;
    found.past += good && past;
  }
  return found;
}

}  // namespace

PointCount RayTilesCuda::set_points(PointsView points, const LikelihoodSettings& settings, cudaStream_t stream) {
  check_points(points);
  foreground_tiles_ = background_tiles_ = 0;
  const std::size_t n = points.size;
  if (n == 0) return {};

  // through pinned memory, so that the copy is asynchronous; usable points are counted in passing, so that the host
  // does not wait for the device either
  cuda::check(cudaEventSynchronize(sent_), "waiting for the last points");
  const bool marked = settings.free_space && !points.background.empty();
  constexpr std::size_t piece = 4096;  // points
  staging_.reserve(3 * n);
  if (marked) marks_staging_.reserve(n);
  scaled_ = !points.deviation.empty();
  if (scaled_) deviation_staging_.reserve(n);
  pieces_.resize((n + piece - 1) / piece);
  threads_.for_each(pieces_.size(), [&](std::size_t i) {
    const std::size_t first = i * piece, count = std::min(piece, n - first);
    std::memcpy(staging_.data() + 3 * first, points.xyz + 3 * first, 3 * count * sizeof(float));
    const std::uint8_t* marks = marked ? points.background.data() + first : nullptr;
    if (marked) std::memcpy(marks_staging_.data() + first, marks, count);
    if (scaled_) std::memcpy(deviation_staging_.data() + first, points.deviation.data() + first, count * sizeof(float));
    pieces_[i] = count_usable(points.xyz + 3 * first, marks, count, settings.camera);
  });
  std::size_t kinds[2] = {0, 0};
  for (const PieceCount& of_piece : pieces_) {
    kinds[0] += of_piece.person;
    kinds[1] += of_piece.past;
  }
  xyz_.reserve(3 * n);
  cuda::check(cudaMemcpyAsync(xyz_.data(), staging_.data(), 3 * n * sizeof(float), cudaMemcpyHostToDevice, stream),
              "uploading points");
  const std::uint8_t* marks = nullptr;
  if (marked) {
    marks_.reserve(n);
    cuda::check(cudaMemcpyAsync(marks_.data(), marks_staging_.data(), n, cudaMemcpyHostToDevice, stream),
                "uploading marks");
    marks = marks_.data();
  }
  if (scaled_) {
    deviation_.reserve(n);
    cuda::check(cudaMemcpyAsync(deviation_.data(), deviation_staging_.data(), n * sizeof(float), cudaMemcpyHostToDevice,
                                stream),
                "uploading deviations");
  }
  sent_.record(stream);

  const Camera3 camera{settings.camera.x, settings.camera.y, settings.camera.z};
  statistics_.reserve(statistic_count);
  cuda::check(cudaMemsetAsync(statistics_.data(), 0xff, max_u * sizeof(unsigned), stream), "clearing");
  cuda::check(cudaMemsetAsync(statistics_.data() + max_u, 0, (statistic_count - max_u) * sizeof(unsigned), stream),
              "clearing");
  find_extent<<<std::min(blocks(n, 256), 528u), 256, 0, stream>>>(xyz_.data(), marks, static_cast<unsigned>(n), camera,
                                                                  settings.tau, statistics_.data());
  cuda::check_launch("find_extent");
  for (auto* buffer : {&keys_, &keys_sorted_, &order_, &order_sorted_}) buffer->reserve(n);
  make_keys<<<blocks(n, 256), 256, 0, stream>>>(xyz_.data(), marks, static_cast<unsigned>(n), camera, settings.tau,
                                                statistics_.data(), keys_.data(), order_.data());
  cuda::check_launch("make_keys");
  const auto sort = [&](void* temporary, std::size_t& space) {
    cuda::check(cub::DeviceRadixSort::SortPairs(temporary, space, keys_.data(), keys_sorted_.data(), order_.data(),
                                                order_sorted_.data(), static_cast<int>(n), 0, key_bits, stream),
                "sorting points");
  };
  // frames often have as many points as the last one, and then need as much memory
  if (sorted_ != n) {
    sort_bytes_ = 0;
    sort(nullptr, sort_bytes_);
    sort_space_.reserve(sort_bytes_);
    sorted_ = n;
  }
  sort(sort_space_.data(), sort_bytes_);

  foreground_tiles_ = static_cast<int>(blocks(kinds[0], tile_rays));
  background_tiles_ = static_cast<int>(blocks(kinds[1], tile_rays));
  const auto all = static_cast<std::size_t>(tiles());
  rays_.reserve(all * tile_rays);
  points_.reserve(all * tile_rays);
  if (scaled_) scales_.reserve(all * tile_rays);
  tiles_.reserve(all);
  subtile_bounds_.reserve(all * subtiles);
  counts_.reserve(all);

  if (all > 0) {
    Kinds of{{static_cast<unsigned>(kinds[0]), static_cast<unsigned>(kinds[0] + kinds[1])},
             {blocks(kinds[0], run), blocks(kinds[1], run)}};
    split_runs<<<of.blocks[0] + of.blocks[1], run, 0, stream>>>(xyz_.data(), camera, of, order_sorted_.data());
    cuda::check_launch("split_runs");
    of.blocks[0] = static_cast<unsigned>(foreground_tiles_);
    of.blocks[1] = static_cast<unsigned>(background_tiles_);
    make_tiles<<<of.blocks[0] + of.blocks[1], tile_rays, 0, stream>>>(
        xyz_.data(), scaled_ ? deviation_.data() : nullptr, camera, order_sorted_.data(), of,
        settings.association == Association::first_hit, settings.tau, settings.sigma, rays_.data(), points_.data(),
        scaled_ ? scales_.data() : nullptr, tiles_.data(), subtile_bounds_.data(), counts_.data());
    cuda::check_launch("make_tiles");
  }
  return {kinds[0] + kinds[1], n - kinds[0] - kinds[1]};
}

std::size_t RayTilesCuda::copy(const RayTilesCuda& other, cudaStream_t stream) {
  foreground_tiles_ = other.foreground_tiles_;
  background_tiles_ = other.background_tiles_;
  scaled_ = other.scaled_;
  const auto all = static_cast<std::size_t>(tiles());
  std::size_t copied = 0;
  const auto take = [&](auto& own, const auto& from, std::size_t count) {
    if (count == 0) return;
    own.reserve(count);
    const std::size_t bytes = count * sizeof(*own.data());
    cuda::check(cudaMemcpyAsync(own.data(), from.data(), bytes, cudaMemcpyDefault, stream),
                "copying points between GPUs");
    copied += bytes;
  };
  take(rays_, other.rays_, all * tile_rays);
  take(points_, other.points_, all * tile_rays);
  if (scaled_) take(scales_, other.scales_, all * tile_rays);
  take(tiles_, other.tiles_, all);
  take(subtile_bounds_, other.subtile_bounds_, all * subtiles);
  take(counts_, other.counts_, all);
  return copied;
}

RayTilesView RayTilesCuda::view() const {
  return {rays_.data(),           points_.data(),   tiles_.data(),
          subtile_bounds_.data(), counts_.data(),   scaled_ ? scales_.data() : nullptr,
          foreground_tiles_,      background_tiles_};
}

std::size_t RayTilesCuda::bytes() const {
  return xyz_.bytes() + deviation_.bytes() + scales_.bytes() + marks_.bytes() + keys_.bytes() + keys_sorted_.bytes() +
         order_.bytes() + order_sorted_.bytes() + statistics_.bytes() + sort_space_.bytes() + rays_.bytes() +
         points_.bytes() + tiles_.bytes() + subtile_bounds_.bytes() + counts_.bytes();
}

}  // namespace kinema::body
