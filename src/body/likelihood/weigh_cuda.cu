// A block takes a tile of rays, and each of its warps processes its own samples. From the row of all their capsules it
// takes those that may matter to the tile, 32 at a time, one capsule per lane: computes their constants, and tests them
// against the tile's subtiles. Then, capsule by capsule, it casts the rays of the subtiles that it may matter to, one
// ray per lane. Warps share only the rays, so none waits for another.
//
// Two thirds of the instructions are in the last loop, so registers are reserved for it: the code before it, and rare
// cases, are calls that read their data from shared memory, where the rays' best distances are stored while they run.
#include "body/likelihood/weigh_cuda.cuh"

#include "body/likelihood/cast_cuda.cuh"

#include <algorithm>
#include <cstddef>

namespace kinema::body {
namespace {

constexpr int warps = 4;        // in a block
constexpr int blocks_each = 7;  // on a multiprocessor: bounds the registers
constexpr int slots = 32;       // capsules that a warp holds at a time, one per lane
constexpr unsigned full = ~0u;

constexpr int tile_rays = RayTilesCuda::tile_rays;
constexpr int subtiles = RayTilesCuda::subtiles;
static_assert(subtiles == 8);

// The distribution of samples to warps: most in long rows, since a row that fills the slots well fills them less often,
// and the rest in short ones, so that the last blocks, or the heaviest, do not delay the others.
constexpr int most_samples = 16, few_samples = 4;  // in a row
constexpr double short_share = 0.25;
constexpr int most_samples_past = 2;  // of rays past the person: their tiles are wide and heavy

struct Rows {
  int long_blocks;
  int samples_long, samples_short;  // of a warp

  __device__ int samples(int block) const { return block < long_blocks ? samples_long : samples_short; }
  __device__ int first_sample(int block, int warp) const {
    const int longs = min(block, long_blocks), shorts = block - longs;
    return warps * (longs * samples_long + shorts * samples_short) + warp * samples(block);
  }
};

struct WeighProblem {
  RayTilesView tiles;
  CapsulesCudaView capsules;
  float* sums;  // (samples, tiles): out
  int samples, count, tile_count;
  Rows rows;
  Vec3 camera;
  float tau;
  bool culling;
  bool hits_signed;  // a hit behind the camera would be taken for one before a point: all kinds except the nearest
};

// A capsule that matters to the tile. 144 bytes apart, so that lanes that write one each have no bank conflicts.
struct alignas(16) Slot {
  PairConstants constants;
  unsigned work;               // see below
  int capsule;                 // of the sample
  std::uint8_t undecided[32];  // by lane: the subtiles that single precision cannot decide
  float apart[4];
};
static_assert(sizeof(Slot) == 9 * sizeof(float4));

// The work at a slot: the subtiles whose rays are to be cast, and whether a sample begins there, or the slots end. The
// sample's number within the row is in the upper half.
constexpr unsigned begins = 1u << subtiles, ends = 2u << subtiles;
constexpr int sample_bits = 16;

constexpr int most_closed = 8;  // samples finished at a time

struct WarpMemory {
  Slot slot[slots + 1];  // one more for the end
  union {
    float best[subtiles][32];                   // the rays' best so far, while they are not in registers
    alignas(16) float closed[most_closed][36];  // by sample and lane: sums; padded likewise
  };
  unsigned list[slots + 32];  // capsules that may matter to the tile and wait for a slot
  int first_sample, samples;  // the row
  int place, waiting;         // words read so far, and entries of the list
  int ray_count;              // of the tile
};

struct BlockMemory {
  float4 rays[tile_rays];
  TileBounds subtile[subtiles];
  TileBounds bounds;
  int tile;
  WeighProblem problem;
  WarpMemory warp[warps];
};

extern __shared__ BlockMemory block_memory[];

__device__ int lane_number() { return static_cast<int>(threadIdx.x) % 32; }
__device__ WarpMemory& warp_memory() { return block_memory->warp[threadIdx.x / 32]; }

// A capsule in the list: its sample's number within the row, and its own.
constexpr int capsule_bits = 26;
static_assert(most_samples <= 1 << (32 - capsule_bits));

// Lists the capsules that may matter to the tile until there are enough or the row ends: 32 of a sample per lane.
__device__ void gather(WarpMemory& memory) {
  const CapsulesCudaView& capsules = block_memory->problem.capsules;
  const int lane = lane_number(), words = static_cast<int>(capsules.words), size = memory.samples * words;
  const std::uint32_t* row =
      capsules.may_matter + (block_memory->tile * capsules.samples + memory.first_sample) * capsules.words;
  int place = memory.place, waiting = memory.waiting;
  while (place < size && waiting < slots) {
    const int word = place + lane;
    unsigned bits = word < size ? row[word] : 0;
    int through = __popc(bits);  // their number up to this lane's last
    for (int step = 1; step < 32; step *= 2) {
      const int before = __shfl_up_sync(full, through, step);
      if (lane >= step) through += before;
    }
    int at = waiting + through - __popc(bits);
    const int lanes = __popc(__ballot_sync(full, word < size && at < slots));  // the first ones, since `at` rises
    if (lane < lanes) {
      const unsigned sample = static_cast<unsigned>(word) / static_cast<unsigned>(words);
      const unsigned first = sample << capsule_bits | 32 * (static_cast<unsigned>(word) - sample * words);
      for (; bits != 0; bits &= bits - 1) memory.list[at++] = first + static_cast<unsigned>(__ffs(bits)) - 1;
    }
    waiting += __shfl_sync(full, through, lanes - 1);
    place += lanes;
  }
  __syncwarp();
  memory.place = place;
  memory.waiting = waiting;
  __syncwarp();
}

// Moves the head of the list, one capsule per lane, into the slots where it matters to any subtile, and moves the rest
// up; `under_way` is the sample that the previous ones left unfinished.
__device__ void fill_slots(WarpMemory& memory, int under_way) {
  const WeighProblem& problem = block_memory->problem;
  const int lane = lane_number(), used = min(memory.waiting, slots);
  int sample = 0, capsule = 0;
  unsigned subtiles_of = 0;
  bool in_front = false;
  const CapsuleFrame* frame = nullptr;
  if (lane < used) {
    const CapsulesCudaView& all = problem.capsules;
    const unsigned listed = memory.list[lane];
    sample = static_cast<int>(listed >> capsule_bits);
    capsule = static_cast<int>(listed & ((1u << capsule_bits) - 1));
    const std::size_t of_all = memory.first_sample + sample;
    const float4 axis = all.cull[all.cull_place(of_all, capsule, 0)],
                 end = all.cull[all.cull_place(of_all, capsule, 1)];
    frame = all.frames + of_all * all.count + capsule;
    in_front = before_camera(axis, end, block_memory->bounds);
#pragma unroll 4
    for (int sub = 0; sub < subtiles; ++sub)
      subtiles_of |= static_cast<unsigned>(may_matter(axis, end, block_memory->subtile[sub])) << sub;
    if (!problem.culling) subtiles_of = (1u << subtiles) - 1;
  }
  const unsigned kept = __ballot_sync(full, subtiles_of != 0), kept_before = kept & ((1u << lane) - 1);
  const int before = __shfl_sync(full, sample, 31 - __clz(static_cast<int>(kept_before)));
  if (subtiles_of != 0) {
    Slot& slot = memory.slot[__popc(kept_before)];
    slot.constants = pair_constants(*frame, block_memory->bounds);
    if (problem.hits_signed && !in_front) slot.constants.band = INFINITY;
    const bool first = sample != (kept_before == 0 ? under_way : before);
    slot.work = subtiles_of | (first ? begins : 0) | static_cast<unsigned>(sample) << sample_bits;
    slot.capsule = capsule;
  }
  // fewer than fit: the row is at its end, and all its samples are done
  const int done = used < slots ? memory.samples : 0;
  memory.slot[__popc(kept)].work = begins | ends | static_cast<unsigned>(done) << sample_bits;

  const int left = memory.waiting - used;
  const unsigned next = lane < left ? memory.list[slots + lane] : 0;
  __syncwarp();
  if (lane < left) memory.list[lane] = next;
  memory.waiting = left;
  __syncwarp();
}

__device__ __noinline__ void next_round(int under_way) {
  WarpMemory& memory = warp_memory();
  gather(memory);
  fill_slots(memory, under_way);
}

// Decides in double precision what single precision could not at some slots, one ray and capsule after the other. Rare.
template <Kind kind>
__device__ __forceinline__ void decide_exactly(int first_slot, int end_slot) {
  WarpMemory& memory = warp_memory();
  const WeighProblem& problem = block_memory->problem;
  const int lane = lane_number();
  for (int s = first_slot; s < end_slot; ++s) {
    const Slot& slot = memory.slot[s];
    unsigned left = slot.undecided[lane];
    if (!__any_sync(full, left != 0)) continue;
    const std::size_t sample = memory.first_sample + (slot.work >> sample_bits);
    CapsuleExact capsule =
        load_capsule(problem.capsules.given + (sample * problem.count + slot.capsule) * capsule_floats);
    capsule.a = capsule.a - problem.camera;
    capsule.b = capsule.b - problem.camera;
    for (; left != 0; left &= left - 1) {
      const int sub = __ffs(static_cast<int>(left)) - 1;
      const float3 point =
          problem.tiles.points[static_cast<std::size_t>(block_memory->tile) * tile_rays + 32 * sub + lane];
      const Vec3 x = Vec3{point.x, point.y, point.z} - problem.camera;
      const double delta = norm(x);
      const double t = ray_capsule((1 / delta) * x, capsule);
      if (t > 0) memory.best[sub][lane] = better<kind>(memory.best[sub][lane], static_cast<float>(t - delta));
    }
    __syncwarp();
  }
}

// The distances of rays whose points are not equally sure.
template <Kind kind>
__device__ void scale_distances(const float* scales, float tau, float (&best)[subtiles]) {
#pragma unroll
  for (int sub = 0; sub < subtiles; ++sub) {
    const float scaled = best[sub] * scales[32 * sub + lane_number()];
    best[sub] = kind == Kind::nearest ? fminf(scaled, tau) : scaled;
  }
}

// The cost of a lane's rays for a finished sample.
template <Kind kind>
__device__ float sum_of_costs(const float (&best)[subtiles], float tau, int ray_count) {
  float sum = 0;
  if (ray_count == tile_rays) {
#pragma unroll
    for (int sub = 0; sub < subtiles; ++sub) {
      const float d = cost<kind>(best[sub], tau);
      sum = fmaf(d, d, sum);
    }
  } else {
    // a last tile has fewer rays than slots
#pragma unroll
    for (int sub = 0; sub < subtiles; ++sub) {
      const float d = 32 * sub + lane_number() < ray_count ? cost<kind>(best[sub], tau) : 0.0f;
      sum = fmaf(d, d, sum);
    }
  }
  return sum;
}

// The tile's sums for the last finished samples, up to `end`: 4 lanes per sample.
__device__ void write_closed(int end, int number) {
  WarpMemory& memory = warp_memory();
  const WeighProblem& problem = block_memory->problem;
  __syncwarp();
  const int lane = lane_number(), k = lane / 4;
  const auto* of_lanes = reinterpret_cast<const float4*>(memory.closed[k]) + lane % 4 * 2;
  const float4 a = of_lanes[0], b = of_lanes[1];
  float sum = (a.x + a.y) + (a.z + a.w) + ((b.x + b.y) + (b.z + b.w));
  for (int step = 1; step < 4; step *= 2) sum += __shfl_xor_sync(full, sum, step);
  const std::size_t sample = memory.first_sample + end - number + k;
  if (lane % 4 == 0 && k < number) problem.sums[sample * problem.tile_count + block_memory->tile] = sum;
  __syncwarp();
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
  __syncwarp();  // the memory has another use until then
}

constexpr unsigned work_offset = offsetof(Slot, work), undecided_offset = offsetof(Slot, undecided);

// Casts the rays of the subtiles in `mask`, one subtile after the other, and marks the undecided ones.
template <Kind kind, int sub = 0>
__device__ void cast_rays(const Capsule& capsule, unsigned rays, float D, unsigned mask, float (&best)[subtiles],
                          unsigned& undecided) {
  if (mask >> sub & 1) {
    float margin;
    const float d = capsule.template distance<kind>(load_shared<32 * sub * sizeof(float4)>(rays), D, margin);
    keep_better<kind, 1u << sub>(best[sub], d, margin, capsule.last.x, undecided);
  }
  if constexpr (sub + 1 < subtiles) cast_rays<kind, sub + 1>(capsule, rays, D, mask, best, undecided);
}

template <Kind kind>
__global__ __launch_bounds__(32 * warps, blocks_each) void weigh_tiles(const __grid_constant__ WeighProblem problem,
                                                                       int first_tile) {
  const int tile = first_tile + static_cast<int>(blockIdx.x), block = static_cast<int>(blockIdx.y);
  for (int i = static_cast<int>(threadIdx.x); i < tile_rays; i += 32 * warps)
    block_memory->rays[i] = problem.tiles.rays[static_cast<std::size_t>(tile) * tile_rays + i];
  if (threadIdx.x < subtiles)
    block_memory->subtile[threadIdx.x] = problem.tiles.subtiles[tile * subtiles + static_cast<int>(threadIdx.x)];
  if (threadIdx.x == 0) {
    block_memory->bounds = problem.tiles.tiles[tile];
    block_memory->tile = tile;
    block_memory->problem = problem;
  }
  WarpMemory& memory = warp_memory();
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = lane_number();
  memory.first_sample = problem.rows.first_sample(block, warp);
  memory.samples = max(0, min(problem.rows.samples(block), problem.samples - memory.first_sample));
  memory.place = memory.waiting = 0;
  memory.ray_count = problem.tiles.counts[tile];
  __syncthreads();

  const unsigned rays = shared_address(&block_memory->rays[lane]);
  const float D = kind == Kind::background ? block_memory->bounds.depth : 0.0f;
  const float* scales = problem.tiles.scales;
  if (scales != nullptr) scales += static_cast<std::size_t>(tile) * tile_rays;
  const float nothing = kind == Kind::nearest && scales == nullptr ? problem.tau : INFINITY;
  float best[subtiles];  // of this lane's rays: the nearest distance, or the signed one to the first hit
#pragma unroll
  for (float& b : best) b = nothing;

  for (int sample = 0; sample < memory.samples;) {
    put_away(best);
    next_round(sample);
    take_back(best);

    unsigned slot = shared_address(memory.slot), work_ahead = load_shared_word(slot + work_offset);
    unsigned doubtful = 0, first_doubtful = slot;
    int closed = 0;
    for (;; slot += sizeof(Slot)) {
      // uniform over all lanes, for the compiler to know
      const unsigned work = __reduce_or_sync(full, work_ahead);
      if (work & begins) {
        // the samples before it are then done
        if (__any_sync(full, doubtful != 0)) {
          write_closed(sample, closed);
          closed = 0;
          put_away(best);
          const unsigned first = shared_address(memory.slot);
          decide_exactly<kind>(static_cast<int>((first_doubtful - first) / sizeof(Slot)),
                               static_cast<int>((slot - first) / sizeof(Slot)));
          take_back(best);
        }
        doubtful = 0;
        first_doubtful = slot;
        for (const int next = static_cast<int>(work >> sample_bits); sample < next; ++sample) {
          if (closed == most_closed) {
            write_closed(sample, closed);
            closed = 0;
          }
          if (kind != Kind::background && scales != nullptr) scale_distances<kind>(scales, problem.tau, best);
          memory.closed[closed++][lane] = sum_of_costs<kind>(best, problem.tau, memory.ray_count);
#pragma unroll
          for (float& b : best) b = nothing;
        }
        if (work & ends) break;
      }
      const Capsule capsule(slot);
      work_ahead = load_shared_word(slot + static_cast<unsigned>(sizeof(Slot)) + work_offset);
      unsigned undecided = 0;
      cast_rays<kind>(capsule, rays, D, work, best, undecided);
      store_shared_byte(slot + undecided_offset + static_cast<unsigned>(lane), undecided);
      doubtful |= undecided;
    }
    write_closed(sample, closed);
  }
}

// The sum over tiles, one warp per sample: every lane its own tiles in order, then the lanes by halves.
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

Rows rows_for(std::size_t samples, std::size_t tiles, int most) {
  // several times as many blocks as a large device holds
  constexpr std::size_t enough = 6000;
  Rows rows;
  rows.samples_long = most;
  while (rows.samples_long > 1 && samples * tiles < enough * warps * rows.samples_long) rows.samples_long /= 2;
  rows.samples_short = std::min(rows.samples_long, few_samples);
  rows.long_blocks = static_cast<int>(static_cast<double>(samples) * (1 - short_share)) / (warps * rows.samples_long);
  return rows;
}

}  // namespace

WeighCuda::WeighCuda(const LikelihoodSettings& settings) : settings_(settings) {
  for (const auto kernel : {weigh_tiles<Kind::nearest>, weigh_tiles<Kind::first_hit>, weigh_tiles<Kind::background>}) {
    cuda::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(BlockMemory)),
                "setting shared memory");
  }
}

std::size_t WeighCuda::bytes(std::size_t samples, std::size_t capsules, std::size_t tiles) {
  return CapsulesCuda::bytes(samples, capsules, tiles) + samples * tiles * sizeof(float);
}

void WeighCuda::weigh(const RayTilesView& tiles, const float* capsules, std::size_t samples, std::size_t count,
                      double* out, unsigned long long* bad, cudaStream_t stream, cudaStream_t side) {
  const int tile_count = tiles.foreground_tiles + tiles.background_tiles;
  sums_.reserve(samples * tile_count);

  stages_[0].record(stream);
  capsules_.prepare(tiles, settings_, capsules, samples, count, bad, stream);
  stages_[1].record(stream);

  WeighProblem problem;
  problem.tiles = tiles;
  problem.capsules = capsules_.view();
  problem.sums = sums_.data();
  problem.samples = static_cast<int>(samples);
  problem.count = static_cast<int>(count);
  problem.tile_count = tile_count;
  problem.camera = settings_.camera;
  problem.tau = static_cast<float>(settings_.tau);
  problem.culling = settings_.culling;
  const auto launch = [&](auto kernel, int first, int tile_number, cudaStream_t on) {
    if (tile_number == 0) return;
    problem.rows = rows_for(samples, static_cast<std::size_t>(tile_count),
                            kernel == weigh_tiles<Kind::background> ? most_samples_past : most_samples);
    problem.hits_signed = kernel != weigh_tiles<Kind::nearest>;
    const int short_samples = problem.samples - warps * problem.rows.long_blocks * problem.rows.samples_long;
    const int short_blocks = (short_samples - 1) / (warps * problem.rows.samples_short) + 1;
    const dim3 grid(static_cast<unsigned>(tile_number), static_cast<unsigned>(problem.rows.long_blocks + short_blocks));
    kernel<<<grid, 32 * warps, sizeof(BlockMemory), on>>>(problem, first);
    cuda::check_launch("weigh_tiles");
  };
  // the heavy tiles first, so that the device is busy to the end
  const bool beside = side != nullptr && tiles.foreground_tiles > 0 && tiles.background_tiles > 0;
  if (beside) {
    prepared_.record(stream);
    cuda::check(cudaStreamWaitEvent(side, prepared_), "waiting for poses");
  }
  launch(weigh_tiles<Kind::background>, tiles.foreground_tiles, tiles.background_tiles, stream);
  launch(settings_.association == Association::first_hit ? weigh_tiles<Kind::first_hit> : weigh_tiles<Kind::nearest>, 0,
         tiles.foreground_tiles, beside ? side : stream);
  if (beside) {
    person_weighed_.record(side);
    cuda::check(cudaStreamWaitEvent(stream, person_weighed_), "waiting for weights");
  }
  stages_[2].record(stream);

  reduce<<<static_cast<unsigned>((samples * 32 + 255) / 256), 256, 0, stream>>>(
      sums_.data(), static_cast<int>(samples), tile_count, -1 / (2 * settings_.sigma * settings_.sigma), out);
  cuda::check_launch("reduce");
  stages_[3].record(stream);
}

}  // namespace kinema::body
