// A block takes a tile of rays, and each of its warps goes through samples of its own, all their capsules in one row. It
// tests them against the tile, a capsule a lane, until 32 are left that may matter; computes the constants of these, a
// capsule a lane; tests them against the tile's subtiles, a pair a lane; and then, capsule by capsule, casts the rays of
// the subtiles that it may matter to, a ray a lane. Warps share the rays alone, so none waits for another.
//
// Half of the instructions are the last loop's, so registers are kept for it: what precedes it, and what is rare, are calls
// that find what they need in shared memory, and the rays' best distances are put there while they run.
#include "body/weigh_cuda.cuh"

#include "body/cast_cuda.cuh"

#include <algorithm>

namespace kinema::body {
namespace {

constexpr int warps = 4;         // in a block
constexpr int blocks_each = 7;   // on a multiprocessor: bounds the registers
constexpr int slots = 32;        // capsules that a warp holds at a time, one a lane
constexpr int samples_each = 6;  // samples that a warp goes through with a tile, at most
constexpr unsigned full = ~0u;

constexpr int tile_rays = RayTilesCuda::tile_rays;
constexpr int subtiles = RayTilesCuda::subtiles;
static_assert(subtiles == 8);

struct Problem {
  RayTilesView tiles;
  const float* capsules;       // (samples, count, 7)
  const CapsuleFrame* frames;  // (samples, count)
  const float4* cull;          // (samples, 2, count): CullCapsule, by halves
  float* sums;                 // (samples, tiles): out
  int samples, count, tile_count;
  int samples_a_warp;
  unsigned one_over_count;  // 2^32 / count, rounded up
  Vector3d camera;
  float tau;
  bool culling;
};

// A capsule that matters to the tile: what rays need, and whose it is.
struct alignas(16) Slot {
  PairConstants constants;
  int sample, capsule;
};
static_assert(sizeof(Slot) == 6 * sizeof(float4));

struct WarpMemory {
  Slot slot[slots];
  unsigned subtiles_of[slots];  // the subtiles that a slot may matter to
  union {
    float4 cull[slots][2];              // (c, length) (a, r), until that is known
    std::uint8_t undecided[slots][32];  // then, by slot and lane: the subtiles where single precision cannot tell
  };
  float best[subtiles][32];   // the rays' best so far, while no registers are to be had for them
  int list[slots + 32];       // places in the row of capsules that matter to the tile, and wait for a slot
  int first_sample, samples;  // the row
  int place, waiting;         // how far the row is tested, and how many are in the list
  int used;                   // slots
  unsigned begins;            // slots where a new sample begins
};

struct BlockMemory {
  float4 rays[tile_rays];
  TileBounds subtile[subtiles];
  TileBounds bounds;
  int tile, ray_count;
  Problem problem;
  WarpMemory warp[warps];
};

extern __shared__ BlockMemory block_memory[];

__device__ int lane_number() { return static_cast<int>(threadIdx.x) % 32; }
__device__ WarpMemory& warp_memory() { return block_memory->warp[threadIdx.x / 32]; }

// A warp's samples are a row of capsules: place / count is the sample, the rest the capsule. Division by multiplication is
// exact for places and counts below 2^16, and beyond that a row holds one sample (see launch).
__device__ int sample_at(int place) {
  return static_cast<int>(__umulhi(static_cast<unsigned>(place), block_memory->problem.one_over_count));
}

// Where a capsule of the row has its culling data.
__device__ const float4* cull_at(const WarpMemory& memory, int place) {
  const Problem& problem = block_memory->problem;
  const int sample = sample_at(place);
  return problem.cull + static_cast<std::size_t>(memory.first_sample + sample) * 2 * problem.count +
         (place - sample * problem.count);
}

// The capsules that may matter to the tile join the list, a capsule a lane, until there are enough or the row ends.
__device__ void gather(WarpMemory& memory) {
  const Problem& problem = block_memory->problem;
  const int lane = lane_number(), size = memory.samples * problem.count;
  int place = memory.place, waiting = memory.waiting;
  for (; place < size && waiting < slots; place += 32) {
    const int at = place + lane;
    bool matters = at < size;
    if (matters && problem.culling) {
      const float4* cull = cull_at(memory, at);
      matters = may_matter(cull[0], cull[problem.count], block_memory->bounds);
    }
    const unsigned bits = __ballot_sync(full, matters);
    if (matters) memory.list[waiting + __popc(bits & ((1u << lane) - 1))] = at;
    waiting += __popc(bits);
  }
  __syncwarp();
  memory.place = place;
  memory.waiting = waiting;
  memory.used = min(waiting, slots);
  __syncwarp();
}

// The head of the list moves into the slots, a capsule a lane, and the rest moves up.
__device__ void fill_slots(WarpMemory& memory) {
  const Problem& problem = block_memory->problem;
  const int lane = lane_number();
  if (lane < memory.used) {
    const int place = memory.list[lane];
    const int sample = sample_at(place), capsule = place - sample * problem.count;
    const std::size_t first = static_cast<std::size_t>(memory.first_sample + sample) * problem.count;
    Slot& slot = memory.slot[lane];
    slot.constants = pair_constants(problem.frames[first + capsule], block_memory->bounds);
    const float4* cull = problem.cull + 2 * first + capsule;
    memory.cull[lane][0] = cull[0];
    memory.cull[lane][1] = cull[problem.count];
    slot.sample = sample;
    slot.capsule = capsule;
  }
  const int left = memory.waiting - memory.used, next = lane < left ? memory.list[slots + lane] : 0;
  __syncwarp();
  if (lane < left) memory.list[lane] = next;
  memory.waiting = left;
}

// Fills the slots anew, while `under_way` is the sample that the last ones left open. Returns those that rays are to be
// cast at.
__device__ __noinline__ unsigned next_round(int under_way) {
  WarpMemory& memory = warp_memory();
  const int lane = lane_number();
  gather(memory);
  const int n = memory.used;
  if (n == 0) return 0;
  fill_slots(memory);
  __syncwarp();

  // which slot may matter to which subtile: eight slots and four subtiles at a time, a pair a lane
  for (int first = 0; first < n; first += 8) {
    const int tested = min(first + lane / 4, n - 1);
    unsigned bits[2];
    for (int half = 0; half < 2; ++half)
      bits[half] = __ballot_sync(
          full, !block_memory->problem.culling || may_matter(memory.cull[tested][0], memory.cull[tested][1],
                                                             block_memory->subtile[4 * half + lane % 4]));
    if (lane < 8) memory.subtiles_of[first + lane] = (bits[0] >> (4 * lane) & 15u) | (bits[1] >> (4 * lane) & 15u) << 4;
  }
  __syncwarp();
  const bool used = lane < n;
  const int sample = used ? memory.slot[lane].sample : 0, before = __shfl_up_sync(full, sample, 1);
  const unsigned begins = __ballot_sync(full, used && sample != (lane == 0 ? under_way : before));
  memory.begins = begins;
  __syncwarp();
  return __ballot_sync(full, used && memory.subtiles_of[lane] != 0);
}

// Settles in double precision what single precision could not, one ray and capsule after the other. It is rare.
template <Kind kind>
__device__ __noinline__ void settle(unsigned undecided_slots) {
  WarpMemory& memory = warp_memory();
  const Problem& problem = block_memory->problem;
  const int lane = lane_number();
  for (; undecided_slots != 0; undecided_slots &= undecided_slots - 1) {
    const int s = __ffs(static_cast<int>(undecided_slots)) - 1;
    const Slot& slot = memory.slot[s];
    const std::size_t at = static_cast<std::size_t>(memory.first_sample + slot.sample) * problem.count + slot.capsule;
    CapsuleExact capsule = load_capsule(problem.capsules + at * capsule_floats);
    capsule.a = capsule.a - problem.camera;
    capsule.b = capsule.b - problem.camera;
    for (unsigned left = memory.undecided[s][lane]; left != 0; left &= left - 1) {
      const int sub = __ffs(static_cast<int>(left)) - 1;
      const float3 point =
          problem.tiles.points[static_cast<std::size_t>(block_memory->tile) * tile_rays + 32 * sub + lane];
      const Vector3d x = Vector3d{point.x, point.y, point.z} - problem.camera;
      const double delta = norm(x);
      const double t = ray_capsule((1 / delta) * x, capsule);
      if (t > 0) memory.best[sub][lane] = better<kind>(memory.best[sub][lane], static_cast<float>(t - delta));
    }
  }
}

// The tile's sum for a sample that is done. Only a last tile has fewer rays than places.
template <Kind kind>
__device__ float sum_of_costs(const float (&best)[subtiles], float tau) {
  float sum = 0;
  const int left = block_memory->ray_count - lane_number();
#pragma unroll
  for (int sub = 0; sub < subtiles; ++sub) {
    const float d = 32 * sub < left ? cost<kind>(best[sub], tau) : 0.0f;
    sum = fmaf(d, d, sum);
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(full, sum, step);
  return sum;
}

__device__ void put_away(const float (&best)[subtiles]) {
  WarpMemory& memory = warp_memory();
#pragma unroll
  for (int sub = 0; sub < subtiles; ++sub) memory.best[sub][lane_number()] = best[sub];
}
__device__ void take_back(float (&best)[subtiles]) {
  const WarpMemory& memory = warp_memory();
#pragma unroll
  for (int sub = 0; sub < subtiles; ++sub) best[sub] = memory.best[sub][lane_number()];
}

// Casts the rays of one subtile after the other, those in `mask`. Returns the ones where it is too close to call.
template <Kind kind, int sub = 0>
__device__ unsigned cast_rays(const Capsule& capsule, unsigned rays, float D, unsigned mask, float (&best)[subtiles]) {
  unsigned undecided = 0;
  if (mask >> sub & 1) {
    bool decided;
    const float d = capsule.template distance<kind>(load_shared<32 * sub * sizeof(float4)>(rays), D, decided);
    if (decided)
      best[sub] = better<kind>(best[sub], d);
    else
      undecided = 1u << sub;
  }
  if constexpr (sub + 1 < subtiles) undecided |= cast_rays<kind, sub + 1>(capsule, rays, D, mask, best);
  return undecided;
}

template <Kind kind>
__global__ __launch_bounds__(32 * warps, blocks_each) void weigh_tiles(const __grid_constant__ Problem problem,
                                                                       int first_tile) {
  WarpMemory& memory = warp_memory();
  const int tile = first_tile + static_cast<int>(blockIdx.x);
  for (int i = static_cast<int>(threadIdx.x); i < tile_rays; i += 32 * warps)
    block_memory->rays[i] = problem.tiles.rays[static_cast<std::size_t>(tile) * tile_rays + i];
  if (threadIdx.x < subtiles)
    block_memory->subtile[threadIdx.x] = problem.tiles.subtiles[tile * subtiles + static_cast<int>(threadIdx.x)];
  if (threadIdx.x == 0) {
    block_memory->bounds = problem.tiles.tiles[tile];
    block_memory->tile = tile;
    block_memory->ray_count = problem.tiles.counts[tile];
    block_memory->problem = problem;
  }
  const int warp = static_cast<int>(threadIdx.x) / 32;
  memory.first_sample = (static_cast<int>(blockIdx.y) * warps + warp) * problem.samples_a_warp;
  memory.samples = max(0, min(problem.samples_a_warp, problem.samples - memory.first_sample));
  memory.place = memory.waiting = 0;
  __syncthreads();

  const unsigned rays = shared_address(&block_memory->rays[lane_number()]);
  const unsigned first_slot = shared_address(memory.slot), subtiles_of = shared_address(memory.subtiles_of);
  const float D = block_memory->bounds.depth;
  const float nothing = kind == Kind::nearest ? problem.tau : INFINITY;
  float best[subtiles];  // of this lane's rays: the nearest distance, or, with its sign, that to the first hit
#pragma unroll
  for (float& b : best) b = nothing;
  float* sum_to = problem.sums + static_cast<std::size_t>(memory.first_sample) * problem.tile_count + tile;

  int sample = 0;
  while (sample < memory.samples) {
    put_away(best);
    unsigned todo = next_round(sample);
    take_back(best);
    unsigned begins = memory.used == 0 ? 0 : memory.begins;
    for (bool more = true; more; begins &= begins - 1) {
      // the slots of one sample; there is no call in this loop, so that all it needs stays in registers
      const unsigned before_next = (begins & -begins) - 1;  // all, where no other sample begins
      unsigned undecided_slots = 0;
      for (unsigned now = todo & before_next; now != 0; now &= now - 1) {
        const int s = __ffs(static_cast<int>(now)) - 1;
        const Capsule capsule(first_slot + s * static_cast<unsigned>(sizeof(Slot)));
        // one for all lanes, which the compiler is to know
        const unsigned mask = __reduce_or_sync(full, load_shared_word(subtiles_of + 4 * s));
        const unsigned undecided = cast_rays<kind>(capsule, rays, D, mask, best);
        if (undecided != 0) {
          memory.undecided[s][lane_number()] = static_cast<std::uint8_t>(undecided);
          undecided_slots |= 1u << s;
        }
      }
      todo &= ~before_next;
      if (__any_sync(full, undecided_slots != 0)) {
        put_away(best);
        settle<kind>(undecided_slots);
        take_back(best);
      }
      // then that sample is done, or all are: fewer slots used than there are mean that the row is at its end
      more = begins != 0;
      const int next = more                  ? memory.slot[__ffs(static_cast<int>(begins)) - 1].sample
                       : memory.used < slots ? memory.samples
                                             : sample;
      for (; sample < next; ++sample, sum_to += problem.tile_count) {
        const float sum = sum_of_costs<kind>(best, problem.tau);
        if (lane_number() == 0) *sum_to = sum;
#pragma unroll
        for (float& b : best) b = nothing;
      }
    }
  }
}

// Frames and culling data, a capsule a thread.
__global__ void prepare(const float* capsules, int samples, int count, Vector3d camera, CapsuleFrame* frames,
                        float4* cull, unsigned long long* bad) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= static_cast<std::size_t>(samples) * count) return;
  const float* c = capsules + i * capsule_floats;
  bool good = c[3] > 0;
  for (std::size_t n = 0; n < capsule_floats; ++n) good = good && isfinite(c[n]);
  if (!good) atomicMin(bad, static_cast<unsigned long long>(i));

  CapsuleExact exact = load_capsule(c);
  exact.a = exact.a - camera;
  exact.b = exact.b - camera;
  const CapsuleFrame frame = capsule_frame(exact);
  frames[i] = frame;
  const CullCapsule small = cull_capsule(exact, frame);
  float4* out = cull + i / count * 2 * count + i % count;
  out[0] = {small.cx, small.cy, small.cz, small.length};
  out[count] = {small.ax, small.ay, small.az, small.r};
}

// The sum over tiles, a warp a sample: every lane its own tiles in order, then the lanes by halves.
__global__ void reduce(const float* sums, int samples, int tiles, double scale, double* out) {
  const int sample = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) / 32,
            lane = static_cast<int>(threadIdx.x) % 32;
  if (sample >= samples) return;
  const float* of_sample = sums + static_cast<std::size_t>(sample) * tiles;
  double sum = 0;
  for (int tile = lane; tile < tiles; tile += 32) sum += of_sample[tile];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(full, sum, step);
  if (lane == 0) out[sample] = scale * sum;
}

}  // namespace

std::size_t WeighCuda::bytes(std::size_t samples, std::size_t capsules, std::size_t tiles) {
  return samples * (capsules * (sizeof(CapsuleFrame) + 2 * sizeof(float4)) + tiles * sizeof(float));
}

void WeighCuda::weigh(const RayTilesView& tiles, const float* capsules, std::size_t samples, std::size_t count,
                      double* out, unsigned long long* bad, cudaStream_t stream) {
  const int tile_count = tiles.foreground_tiles + tiles.background_tiles;
  frames_.reserve(samples * count);
  cull_.reserve(samples * count * 2);
  sums_.reserve(samples * tile_count);

  stages_[0].record(stream);
  const Vector3d camera{settings_.camera.x, settings_.camera.y, settings_.camera.z};
  if (count > 0) {
    prepare<<<static_cast<unsigned>((samples * count + 127) / 128), 128, 0, stream>>>(
        capsules, static_cast<int>(samples), static_cast<int>(count), camera, frames_.data(), cull_.data(), bad);
    cuda::check_launch("prepare");
  }
  stages_[1].record(stream);

  // see sample_at; 2^32 / 1 has no room
  const std::size_t samples_a_warp = count <= 1 ? 1 : std::clamp<std::size_t>(65535 / count, 1, samples_each);
  const std::size_t samples_a_block = warps * samples_a_warp;
  Problem problem;
  problem.tiles = tiles;
  problem.capsules = capsules;
  problem.frames = frames_.data();
  problem.cull = cull_.data();
  problem.sums = sums_.data();
  problem.samples = static_cast<int>(samples);
  problem.count = static_cast<int>(count);
  problem.tile_count = tile_count;
  problem.samples_a_warp = static_cast<int>(samples_a_warp);
  problem.one_over_count = count <= 1 ? 0 : static_cast<unsigned>(((1ull << 32) + count - 1) / count);
  problem.camera = camera;
  problem.tau = static_cast<float>(settings_.tau);
  problem.culling = settings_.culling;
  const auto launch = [&](auto kernel, int first, int tile_number) {
    if (tile_number == 0) return;
    cuda::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(BlockMemory)),
                "setting shared memory");
    const dim3 grid(static_cast<unsigned>(tile_number),
                    static_cast<unsigned>((samples + samples_a_block - 1) / samples_a_block));
    kernel<<<grid, 32 * warps, sizeof(BlockMemory), stream>>>(problem, first);
    cuda::check_launch("weigh_tiles");
  };
  launch(settings_.association == Association::first_hit ? weigh_tiles<Kind::first_hit> : weigh_tiles<Kind::nearest>, 0,
         tiles.foreground_tiles);
  launch(weigh_tiles<Kind::background>, tiles.foreground_tiles, tiles.background_tiles);
  stages_[2].record(stream);

  reduce<<<static_cast<unsigned>((samples * 32 + 255) / 256), 256, 0, stream>>>(
      sums_.data(), static_cast<int>(samples), tile_count, -1 / (2 * settings_.sigma * settings_.sigma), out);
  cuda::check_launch("reduce");
  stages_[3].record(stream);
}

}  // namespace kinema::body
