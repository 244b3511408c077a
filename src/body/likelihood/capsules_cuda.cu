#include "body/likelihood/capsules_cuda.cuh"

#include "body/likelihood/cast_cuda.cuh"

#include <cstring>

namespace kinema::body {
namespace {

constexpr int threads = 128;       // that make frames
constexpr int cull_threads = 256;  // that test 32 capsules of 32 samples against up to 32 tiles

// Frames and culling data, one capsule per thread. Frames are transposed in shared memory, so that a warp writes
// consecutive addresses.
__global__ __launch_bounds__(threads) void make_frames(CapsulesCudaView view, Vec3 camera, CapsuleFrame* frames,
                                                       float4* cull, unsigned long long* bad) {
  constexpr int words = sizeof(CapsuleFrame) / sizeof(double);
  __shared__ double turned[words][threads + 1];
  const int t = static_cast<int>(threadIdx.x);
  const std::size_t total = view.samples * view.count, first = static_cast<std::size_t>(blockIdx.x) * threads,
                    i = first + t;
  if (i < total) {
    const float* c = view.given + i * capsule_floats;
    bool good = c[3] > 0;
    for (std::size_t n = 0; n < capsule_floats; ++n) good = good && isfinite(c[n]);
    if (!good) atomicMin(bad, static_cast<unsigned long long>(i));

    CapsuleExact exact = load_capsule(c);
    exact.a = exact.a - camera;
    exact.b = exact.b - camera;
    const CapsuleFrame frame = capsule_frame(exact);
    double of_frame[words];
    memcpy(of_frame, &frame, sizeof frame);
#pragma unroll
    for (int n = 0; n < words; ++n) turned[n][t] = of_frame[n];
    const CullCapsule small = cull_capsule(exact, frame);
    // memory ends long before 2^32 capsules
    const unsigned sample = static_cast<unsigned>(i) / static_cast<unsigned>(view.count);
    const std::size_t capsule = i - sample * view.count;
    cull[view.cull_place(sample, capsule, 0)] = {small.cx, small.cy, small.cz, small.length};
    cull[view.cull_place(sample, capsule, 1)] = {small.ax, small.ay, small.az, small.r};
  }
  __syncthreads();
  const int number = static_cast<int>(min(static_cast<std::size_t>(threads), total - first)) * words;
  auto* out = reinterpret_cast<double*>(frames + first);
  for (int n = t; n < number; n += threads) out[n] = turned[n % words][n / words];
}

// A capsule that contains those of all lanes, as `end` of the first lane's: each point of an axis is no further from
// its counterpart on the first one's than their ends are apart.
__device__ float4 end_about_all(float4 axis, float4 end) {
  const auto first = [](float x) { return __shfl_sync(~0u, x, 0); };
  const float dx = end.x - first(end.x), dy = end.y - first(end.y), dz = end.z - first(end.z);
  const float ex = dx + axis.w * axis.x - first(axis.w * axis.x), ey = dy + axis.w * axis.y - first(axis.w * axis.y),
              ez = dz + axis.w * axis.z - first(axis.w * axis.z);
  const float apart = sqrtf(fmaxf(dx * dx + dy * dy + dz * dz, ex * ex + ey * ey + ez * ez));
  const float r = (end.w + apart) * 1.00001f + 1e-6f * (fabsf(end.x) + fabsf(end.y) + fabsf(end.z));
  // positive floats have the order of their bits
  return {first(end.x), first(end.y), first(end.z), __uint_as_float(__reduce_max_sync(~0u, __float_as_uint(r)))};
}

// Transposes the bits of a warp: bit j of lane i goes to bit i of lane j. By halves: of two lanes that are `step`
// apart, the upper bits of one are exchanged with the lower bits of the other.
__device__ std::uint32_t turn_about(std::uint32_t row) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  std::uint32_t low = 0x0000ffffu;  // mask of the lower bits of a pair
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    const std::uint32_t other = __shfl_xor_sync(~0u, row, step);
    row = (lane & step) == 0 ? (row & low) | (other & low) << step : (row & ~low) | (other & ~low) >> step;
    low ^= low << (step / 2);
  }
  return row;
}

// Which capsules may matter to which tiles. A warp takes one capsule of 32 samples, one sample per lane: they are close
// together, so one capsule about them all, tested against one tile per lane, leaves few tiles to test individually.
// Then the bits are transposed: one word for 32 capsules of one sample.
__global__ __launch_bounds__(cull_threads) void cull_by_tiles(CapsulesCudaView view, const TileBounds* tiles,
                                                              int tile_count, int tiles_each, bool culling,
                                                              std::uint32_t* may) {
  __shared__ TileBounds bounds[32];
  __shared__ std::uint32_t of_capsule[32][33];  // by tile; padded, so that a column lies in different banks
  const int t = static_cast<int>(threadIdx.x), warp = t / 32, lane = t % 32;
  const int first_tile = static_cast<int>(blockIdx.y) * tiles_each, number = min(tiles_each, tile_count - first_tile);
  if (t < number) bounds[t] = tiles[first_tile + t];
  for (int i = t; i < 32 * 33; i += cull_threads) of_capsule[i / 33][i % 33] = 0;
  __syncthreads();

  const std::size_t sample = static_cast<std::size_t>(blockIdx.x) * 32 + lane, read = min(sample, view.samples - 1);
  const std::size_t first_capsule = static_cast<std::size_t>(blockIdx.z) * 32;
  const int capsules = static_cast<int>(min(std::size_t{32}, view.count - first_capsule));
  // all loads of a warp are issued before the first is used
  constexpr int warps = cull_threads / 32, each = 32 / warps;
  float4 axes[each], ends[each];
#pragma unroll
  for (int i = 0; i < each; ++i) {
    const std::size_t k = first_capsule + min(warp + i * warps, capsules - 1);
    axes[i] = view.cull[view.cull_place(read, k, 0)];
    ends[i] = view.cull[view.cull_place(read, k, 1)];
  }
#pragma unroll
  for (int part = 0; part < each; ++part) {
    const int k = warp + part * warps;
    if (k >= capsules) break;
    const float4 axis = axes[part], end = ends[part];
    const float4 first_axis = {__shfl_sync(~0u, axis.x, 0), __shfl_sync(~0u, axis.y, 0), __shfl_sync(~0u, axis.z, 0),
                               __shfl_sync(~0u, axis.w, 0)};
    const bool near = may_matter(first_axis, end_about_all(axis, end), bounds[min(lane, number - 1)]);
    unsigned left = __ballot_sync(~0u, lane < number && (near || !culling));
    for (; left != 0; left &= left - 1) {
      const int tile = __ffs(static_cast<int>(left)) - 1;
      const unsigned bits = __ballot_sync(~0u, !culling || may_matter(axis, end, bounds[tile]));
      if (lane == 0) of_capsule[tile][k] = bits;
    }
  }
  __syncthreads();
  for (int tile = warp; tile < number; tile += cull_threads / 32) {
    const std::uint32_t of_sample = turn_about(lane < capsules ? of_capsule[tile][lane] : 0);
    if (sample < view.samples) {
      may[((first_tile + tile) * view.samples + sample) * view.words + blockIdx.z] = of_sample;
    }
  }
}

}  // namespace

std::size_t CapsulesCuda::bytes(std::size_t samples, std::size_t count, std::size_t tiles) {
  return samples *
         (count * (sizeof(CapsuleFrame) + 2 * sizeof(float4)) + tiles * ((count + 31) / 32) * sizeof(std::uint32_t));
}

void CapsulesCuda::prepare(const RayTilesView& tiles, const LikelihoodSettings& settings, const float* capsules,
                           std::size_t samples, std::size_t count, unsigned long long* bad, cudaStream_t stream) {
  const std::size_t total = samples * count, words = (count + 31) / 32;
  const int tile_count = tiles.foreground_tiles + tiles.background_tiles;
  frames_.reserve(total);
  cull_.reserve(2 * total);
  may_matter_.reserve(static_cast<std::size_t>(tile_count) * samples * words);
  view_ = {capsules, frames_.data(), cull_.data(), may_matter_.data(), samples, count, words};
  if (total == 0) return;

  make_frames<<<static_cast<unsigned>((total + threads - 1) / threads), threads, 0, stream>>>(
      view_, settings.camera, frames_.data(), cull_.data(), bad);
  cuda::check_launch("make_frames");
  // few samples finish soon if many blocks share the tiles
  const int tiles_each = samples <= 64 ? 8 : 32;
  const dim3 grid(static_cast<unsigned>((samples + 31) / 32),
                  static_cast<unsigned>((tile_count + tiles_each - 1) / tiles_each), static_cast<unsigned>(words));
  cull_by_tiles<<<grid, cull_threads, 0, stream>>>(view_, tiles.tiles, tile_count, tiles_each, settings.culling,
                                                   may_matter_.data());
  cuda::check_launch("cull_by_tiles");
}

}  // namespace kinema::body
