// A block takes a tile of rays, and each of its warps goes through samples of its own, all their capsules in one row. It
// tests them against the tile, a capsule a lane, until 32 are left that may matter; computes the constants of these, a
// capsule a lane; tests them against the tile's subtiles, a pair a lane; and then, capsule by capsule, casts the rays of
// the subtiles that it may matter to, a ray a lane. Warps share the rays alone, so none waits for another.
#include "body/weigh_cuda.cuh"

#include <algorithm>

namespace kinema::body {
namespace {

constexpr int warps = 4;         // in a block
constexpr int blocks_each = 7;   // on a multiprocessor: bounds the registers
constexpr int slots = 32;        // capsules that a warp holds at a time, one a lane
constexpr int samples_each = 8;  // samples that a warp goes through with a tile, at most
constexpr unsigned full = ~0u;

constexpr int tile_rays = RayTilesCuda::tile_rays;
constexpr int subtiles = RayTilesCuda::subtiles;

enum class Kind { nearest, first_hit, background };

// One capsule as the warp's lanes read it: what rays need, what culling needs, and whose it is. Nine float4: lanes that
// each read another slot meet no bank twice.
struct alignas(16) Slot {
  PairConstants constants;
  int sample, capsule;
  float4 cull[2];  // CullCapsule
  float ac;
  int unused[3];
};
static_assert(sizeof(Slot) == 9 * sizeof(float4));

struct TileMemory {
  float4 rays[tile_rays];
  TileBounds subtile[subtiles];
  TileBounds bounds;
  int ray_count;
};

struct WarpMemory {
  Slot slot[slots];
  int list[slots + 32];               // places in the row of capsules that matter to the tile, and wait for a slot
  std::uint8_t undecided[slots][32];  // by slot and lane: the subtiles where single precision cannot tell
  float best[subtiles][32];           // the rays' best so far, while no registers are to be had for them
};

struct BlockMemory {
  TileMemory tile;
  WarpMemory warp[warps];
};

struct Problem {
  RayTilesView tiles;
  const float* capsules;       // (samples, count, 7)
  const CapsuleFrame* frames;  // (samples, count)
  const float4* cull;          // (samples, 3, count)
  int samples, count;
  Vector3d camera;
  float tau;
  bool culling;
};

__device__ float reciprocal_sqrt(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));  // 2 ulp
  return y;
}
__device__ float reciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));  // 1 ulp
  return y;
}
__device__ float clamp(float x, float low, float high) { return fminf(fmaxf(x, low), high); }
__device__ float dot3(float ax, float ay, float az, float4 b) { return fmaf(ax, b.x, fmaf(ay, b.y, az * b.z)); }

// May a hit on the capsule matter to any ray of the bundle? A hit at depth t of a ray v is r from the axis, and t v is
// within t spread of t V: so the piece [nearest, furthest] of the line t V must come within r + furthest spread of the
// axis. The distance of two segments: the axis' point nearest to the line, the line's nearest to that within its piece,
// the axis' nearest to that.
// capsule: (c, length) (a, r) (ac)
__device__ bool may_matter(float4 axis, float4 end, float ac, const TileBounds& bounds) {
  const float4 bundle = *reinterpret_cast<const float4*>(&bounds.vx);    // V, spread
  const float4 range = *reinterpret_cast<const float4*>(&bounds.depth);  // depth, nearest, furthest
  const float b = dot3(axis.x, axis.y, axis.z, bundle);
  const float va = dot3(end.x, end.y, end.z, bundle);
  const float A = fmaxf(fmaf(-b, b, 1.0f), 1e-6f);
  const float s0 = clamp(fmaf(b, va, -ac) * reciprocal(A), 0.0f, axis.w);
  const float t = clamp(fmaf(s0, b, va), range.y, range.z);
  const float s = clamp(fmaf(t, b, -ac), 0.0f, axis.w);
  const float dx = fmaf(t, bundle.x, fmaf(-s, axis.x, -end.x));
  const float dy = fmaf(t, bundle.y, fmaf(-s, axis.y, -end.y));
  const float dz = fmaf(t, bundle.z, fmaf(-s, axis.z, -end.z));
  const float reach = fmaf(range.z, bundle.w, end.w);
  return fmaf(dx, dx, fmaf(dy, dy, dz * dz)) <= reach * reach;
}

// A warp's samples are a row of capsules: place / count is the sample, the rest the capsule. Division by multiplication
// is exact for places and counts below 2^16, and beyond that a row holds one sample (see launch).
struct Row {
  int first_sample, samples, count;
  unsigned one_over_count;  // 2^32 / count, rounded up

  __device__ int size() const { return samples * count; }
  __device__ int sample(int place) const {
    return static_cast<int>(__umulhi(static_cast<unsigned>(place), one_over_count));
  }
};

// The capsules from `place` on that may matter to the tile join the list, a capsule a lane, until there are enough.
// Returns how many wait.
__device__ int gather(WarpMemory& memory, const Problem& problem, const Row& row, const TileBounds& bounds, int waiting,
                      int& place) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (; place < row.size() && waiting < slots; place += 32) {
    const int at = place + lane;
    bool matters = at < row.size();
    if (matters && problem.culling) {
      const int sample = row.sample(at);
      const float4* cull = problem.cull + static_cast<std::size_t>(row.first_sample + sample) * 3 * row.count +
                           (at - sample * row.count);
      matters = may_matter(cull[0], cull[row.count], cull[2 * row.count].x, bounds);
    }
    const unsigned bits = __ballot_sync(full, matters);
    if (matters) memory.list[waiting + __popc(bits & ((1u << lane) - 1))] = at;
    waiting += __popc(bits);
  }
  return waiting;
}

// Puts the n capsules at the head of the list into slots, a capsule a lane. Not inlined: its double precision would take
// registers from the loops over rays.
__device__ __noinline__ void fill_slots(WarpMemory& memory, const Problem& problem, Row row, const TileBounds& bounds,
                                        int n) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  __syncwarp();
  if (lane < n) {
    const int place = memory.list[lane];
    const int sample = row.sample(place), capsule = place - sample * row.count;
    const std::size_t first = static_cast<std::size_t>(row.first_sample + sample) * row.count;
    Slot& slot = memory.slot[lane];
    slot.constants = pair_constants(problem.frames[first + capsule], bounds);
    const float4* cull = problem.cull + 3 * first + capsule;
    slot.cull[0] = cull[0];
    slot.cull[1] = cull[row.count];
    slot.ac = cull[2 * row.count].x;
    slot.sample = sample;
    slot.capsule = capsule;
  }
  __syncwarp();
}

// A slot's constants in registers, and the rays' distances from its capsule.
struct Capsule {
  float4 m, c, p, k, f;
  float band, r;

  __device__ explicit Capsule(const Slot& slot) {
    const auto* quarters = reinterpret_cast<const float4*>(&slot.constants);
    m = quarters[0];
    c = quarters[1];
    p = quarters[2];
    k = quarters[3];
    f = quarters[4];
    band = slot.constants.band;
    r = slot.constants.r;
  }

  // t - Delta of one ray (see capsule_frame.h): not a number where there is no hit, and `decided` is false where that is too
  // close to call
  template <Kind kind>
  __device__ float distance(float4 ray, float D, bool& decided) const {
    const float Vc = c.w, K = p.w, RVp = k.x, Vp = k.y, E = k.z, low = k.w;
    const float high = f.x, foot = f.y, foot_scale = f.z, foot_offset = f.w;

    const float vm = fmaf(m.x, ray.x, fmaf(m.y, ray.y, fmaf(m.z, ray.z, m.w)));
    const float qc = dot3(c.x, c.y, c.z, ray);
    const float q = dot3(p.x, p.y, p.z, ray);
    const float vm2 = vm * vm;
    const float vc = fmaf(qc, foot_scale, Vc);
    const float A = fmaf(-vc, vc, 1.0f);
    const float disc = A - vm2;
    const float t_cylinder = fmaf(-disc, reciprocal_sqrt(disc), q + RVp) * reciprocal(A);

    const float o = clamp(fmaf(t_cylinder, vc, -foot), low, high);
    const float oc = fmaf(o, foot_scale, foot_offset);
    const float across = fmaf(q, oc, fmaf(Vp, o, E)) - qc;
    const float h = fmaf(-across, across, fmaf(-vm2, fmaf(oc, oc, 1.0f), 1.0f));
    const float middle = fmaf(qc, oc, fmaf(Vc, o, K)) + q;
    float d = fmaf(r, fmaf(-h, reciprocal_sqrt(h), middle), -ray.w);
    decided = fminf(fabsf(disc), fabsf(h)) >= band;
    if constexpr (kind != Kind::nearest) d = d + (D + ray.w) > 0 ? d : NAN;  // a hit behind the camera is none
    if constexpr (kind == Kind::background) decided = decided && !(fabsf(d) < D * 2e-6f);
    return d;
  }
};

template <Kind kind>
__device__ float better(float best, float d) {
  return fminf(best, kind == Kind::nearest ? fabsf(d) : d);  // passes over what is not a number
}

// The sum of a lane's costs for a sample, given its rays' nearest distances, or, with their sign, those to the first hits.
// Only a last tile has fewer rays than places.
template <Kind kind>
__device__ float sum_of_costs(const float (&best)[subtiles], float tau, int ray_count) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  float sum = 0;
#pragma unroll
  for (int sub = 0; sub < subtiles; ++sub) {
    float d = kind == Kind::background ? (best[sub] < 0 ? tau : 0.0f)
              : kind == Kind::nearest  ? best[sub]
                                       : fminf(fabsf(best[sub]), tau);
    if (ray_count < tile_rays && 32 * sub + lane >= ray_count) d = 0;
    sum = fmaf(d, d, sum);
  }
  return sum;
}

// Before and after a call that wants the registers.
__device__ void put_away(const float (&best)[subtiles], WarpMemory& memory) {
#pragma unroll
  for (int sub = 0; sub < subtiles; ++sub) memory.best[sub][threadIdx.x % 32] = best[sub];
}
__device__ void take_back(float (&best)[subtiles], const WarpMemory& memory) {
#pragma unroll
  for (int sub = 0; sub < subtiles; ++sub) best[sub] = memory.best[sub][threadIdx.x % 32];
}

// Settles in double precision what single precision could not, one ray and capsule after the other. It is rare, and not
// inlined, so that it takes no registers from the loop over rays.
template <Kind kind>
__device__ __noinline__ void settle(WarpMemory& memory, const Problem& problem, Row row, int tile,
                                    unsigned slots_left) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (; slots_left != 0; slots_left &= slots_left - 1) {
    const int s = __ffs(static_cast<int>(slots_left)) - 1;
    const Slot& slot = memory.slot[s];
    const std::size_t place = static_cast<std::size_t>(row.first_sample + slot.sample) * row.count + slot.capsule;
    CapsuleExact capsule = load_capsule(problem.capsules + place * capsule_floats);
    capsule.a = capsule.a - problem.camera;
    capsule.b = capsule.b - problem.camera;
    for (unsigned left = memory.undecided[s][lane]; left != 0; left &= left - 1) {
      const int sub = __ffs(static_cast<int>(left)) - 1;
      const float3 point = problem.tiles.points[static_cast<std::size_t>(tile) * tile_rays + 32 * sub + lane];
      const Vector3d x = Vector3d{point.x, point.y, point.z} - problem.camera;
      const double delta = norm(x);
      const double t = ray_capsule((1 / delta) * x, capsule);
      if (t > 0) memory.best[sub][lane] = better<kind>(memory.best[sub][lane], static_cast<float>(t - delta));
    }
  }
}

template <Kind kind>
__global__ __launch_bounds__(32 * warps, blocks_each) void weigh_tiles(const __grid_constant__ Problem problem,
                                                                       int samples_a_warp, unsigned one_over_count,
                                                                       int first_tile, int tile_count, float* sums) {
  extern __shared__ BlockMemory block_memory[];
  TileMemory& rays = block_memory->tile;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  WarpMemory& memory = block_memory->warp[warp];
  const int tile = first_tile + static_cast<int>(blockIdx.x);
  for (int i = static_cast<int>(threadIdx.x); i < tile_rays; i += 32 * warps)
    rays.rays[i] = problem.tiles.rays[static_cast<std::size_t>(tile) * tile_rays + i];
  if (threadIdx.x < subtiles)
    rays.subtile[threadIdx.x] = problem.tiles.subtiles[tile * subtiles + static_cast<int>(threadIdx.x)];
  if (threadIdx.x == 0) {
    rays.bounds = problem.tiles.tiles[tile];
    rays.ray_count = problem.tiles.counts[tile];
  }
  __syncthreads();

  const int first_sample = (static_cast<int>(blockIdx.y) * warps + warp) * samples_a_warp;
  const Row row{first_sample, min(samples_a_warp, problem.samples - first_sample), problem.count, one_over_count};
  if (row.samples <= 0) return;
  const float nothing = kind == Kind::nearest ? problem.tau : INFINITY;

  float best[subtiles];  // of this lane's rays: the nearest distance, or, with its sign, that to the first hit
#pragma unroll
  for (float& b : best) b = nothing;
  int sample = 0, place = 0, waiting = 0;
  unsigned undecided_slots = 0;

  // settles what is open, then closes the samples before `next`
  const auto close_samples = [&](int next) {
    if (__any_sync(full, undecided_slots != 0)) {
      put_away(best, memory);
      settle<kind>(memory, problem, row, tile, undecided_slots);
      take_back(best, memory);
      undecided_slots = 0;
    }
    for (; sample < next; ++sample) {
      float sum = rays.ray_count == tile_rays ? sum_of_costs<kind>(best, problem.tau, tile_rays)
                                              : sum_of_costs<kind>(best, problem.tau, rays.ray_count);
#pragma unroll
      for (float& b : best) b = nothing;
      for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(full, sum, step);
      if (lane == 0) sums[static_cast<std::size_t>(first_sample + sample) * tile_count + tile] = sum;
    }
  };

  while (true) {
    waiting = gather(memory, problem, row, rays.bounds, waiting, place);
    const int n = min(waiting, slots);
    if (n > 0) {
      put_away(best, memory);
      fill_slots(memory, problem, row, rays.bounds, n);
      take_back(best, memory);
    }

    // which slot may matter to which subtile: eight slots and four subtiles at a time, a pair a lane. Lane s keeps the
    // bits of slot s.
    unsigned mine = 0;
    for (int first = 0; first < n; first += 8) {
      const Slot& tested = memory.slot[min(first + lane / 4, n - 1)];
#pragma unroll
      for (int part = 0; part < subtiles / 4; ++part) {
        const bool matters = !problem.culling ||
                             may_matter(tested.cull[0], tested.cull[1], tested.ac, rays.subtile[4 * part + lane % 4]);
        const unsigned bits = __ballot_sync(full, matters);
        if (lane / 8 == first / 8) mine |= (bits >> (4 * (lane % 8)) & 15u) << (4 * part);
      }
    }
    if (lane >= n) mine = 0;
    const int of = lane < n ? memory.slot[lane].sample : sample, before = __shfl_up_sync(full, of, 1);
    const unsigned begins = __ballot_sync(full, lane < n && of != (lane == 0 ? sample : before));

    for (unsigned todo = begins | __ballot_sync(full, mine != 0); todo != 0; todo &= todo - 1) {
      const int s = __ffs(static_cast<int>(todo)) - 1;
      if (begins >> s & 1) close_samples(memory.slot[s].sample);
      const unsigned mask =
          __reduce_or_sync(full, lane == s ? mine : 0u);  // so that the compiler knows it is one for all
      const Capsule capsule(memory.slot[s]);
      unsigned undecided = 0;
#pragma unroll
      for (int sub = 0; sub < subtiles; ++sub) {
        if ((mask >> sub & 1) == 0) continue;
        bool decided;
        const float d = capsule.template distance<kind>(rays.rays[32 * sub + lane], rays.bounds.depth, decided);
        if (decided)
          best[sub] = better<kind>(best[sub], d);
        else
          undecided |= 1u << sub;
      }
      if (undecided != 0) {
        memory.undecided[s][lane] = static_cast<std::uint8_t>(undecided);
        undecided_slots |= 1u << s;
      }
    }

    // fewer than there is room for: the row is at its end
    close_samples(n < slots ? row.samples : sample);
    if (n < slots) return;
    // what found no slot moves up
    waiting -= n;
    __syncwarp();
    const int next = lane < waiting ? memory.list[slots + lane] : 0;
    __syncwarp();
    memory.list[lane] = next;
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
  float4* out = cull + i / count * 3 * count + i % count;
  out[0] = {small.cx, small.cy, small.cz, small.length};
  out[count] = {small.ax, small.ay, small.az, small.r};
  out[2 * count] = {small.ac, 0, 0, 0};
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
  return samples * (capsules * (sizeof(CapsuleFrame) + 3 * sizeof(float4)) + tiles * sizeof(float));
}

void WeighCuda::weigh(const RayTilesView& tiles, const float* capsules, std::size_t samples, std::size_t count,
                      double* out, unsigned long long* bad, cudaStream_t stream) {
  const int tile_count = tiles.foreground_tiles + tiles.background_tiles;
  frames_.reserve(samples * count);
  cull_.reserve(samples * count * 3);
  sums_.reserve(samples * tile_count);

  stages_[0].record(stream);
  const Vector3d camera{settings_.camera.x, settings_.camera.y, settings_.camera.z};
  if (count > 0) {
    prepare<<<static_cast<unsigned>((samples * count + 127) / 128), 128, 0, stream>>>(
        capsules, static_cast<int>(samples), static_cast<int>(count), camera, frames_.data(), cull_.data(), bad);
    cuda::check_launch("prepare");
  }
  stages_[1].record(stream);

  const Problem problem{tiles,
                        capsules,
                        frames_.data(),
                        cull_.data(),
                        static_cast<int>(samples),
                        static_cast<int>(count),
                        camera,
                        static_cast<float>(settings_.tau),
                        settings_.culling};
  const auto launch = [&](auto kernel, int first, int tile_number) {
    if (tile_number == 0) return;
    cuda::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(BlockMemory)),
                "setting shared memory");
    // see Row; 2^32 / 1 has no room
    const std::size_t samples_a_warp = count <= 1 ? 1 : std::clamp<std::size_t>(65535 / count, 1, samples_each);
    const unsigned one_over_count = count <= 1 ? 0 : static_cast<unsigned>(((1ull << 32) + count - 1) / count);
    const std::size_t samples_a_block = warps * samples_a_warp;
    const dim3 grid(static_cast<unsigned>(tile_number),
                    static_cast<unsigned>((samples + samples_a_block - 1) / samples_a_block));
    kernel<<<grid, 32 * warps, sizeof(BlockMemory), stream>>>(problem, static_cast<int>(samples_a_warp), one_over_count,
                                                              first, tile_count, sums_.data());
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
