#include "body/likelihood/block_cuda.cuh"
#include "body/particles/weights_cuda.cuh"

namespace kinema::body {
namespace {

constexpr int threads = 1024;

constexpr int anneal_threads = 256, anneal_warps = anneal_threads / warp_size;

constexpr float no_weight = -1e30f;  // relative log-likelihood of non-finite values

// The effective sample size at an exponent, on the logarithmic scale, and its derivative by the exponent.
struct EffectiveSize {
  float log_size, slope;
};

// Relative log-likelihoods, and the logarithms of carried weights, as held by a thread: those of most filters fit its
// registers, the rest stays in memory. `carried` may be null: nothing is carried.
struct Relative {
  static constexpr int kept = 8;
  float own[kept], own_carried[kept];
  const float* all;
  const double* carried;
  int count;

  __device__ Relative(const float* memory, const double* carried_weights, int number)
      : all(memory), carried(carried_weights), count(number) {
#pragma unroll
    for (int i = 0; i < kept; ++i) {
      const int j = static_cast<int>(threadIdx.x) + i * anneal_threads;
      own[i] = j < count ? all[j] : no_weight;
      own_carried[i] = j < count ? carried_at(j) : no_weight;  // at exponent 0 it alone excludes the padding
    }
  }
  __device__ float carried_at(int j) const {
    return carried == nullptr ? 0 : fmaxf(static_cast<float>(carried[j]), no_weight);
  }
  template <class Add>
  __device__ void for_each(Add&& add) const {
#pragma unroll
    for (int i = 0; i < kept; ++i) add(own[i], own_carried[i]);
    for (int j = static_cast<int>(threadIdx.x) + kept * anneal_threads; j < count; j += anneal_threads)
      add(all[j], carried_at(j));
  }
};

// Values that the threads of a block exchange during the search for an exponent. Two of each, used alternately, so that
// one barrier per call suffices.
struct AnnealExchange {
  float4 sums[2][anneal_warps];
  float greatest[2][anneal_warps];
};

// The greatest logarithm of a weight at an exponent. 0 where nothing is carried: that of the likeliest particle.
__device__ float greatest_logarithm(const Relative& relative, float exponent, float* room) {
  if (relative.carried == nullptr) return 0;
  float greatest = 2 * no_weight;
  relative.for_each([&](float r, float c) { greatest = fmaxf(greatest, exponent * r + c); });
#pragma unroll
  for (int step = warp_size / 2; step > 0; step /= 2) {
    greatest = fmaxf(greatest, __shfl_xor_sync(whole_warp, greatest, step));
  }
  const int lane = static_cast<int>(threadIdx.x) % warp_size, warp = static_cast<int>(threadIdx.x) / warp_size;
  if (lane == 0) room[warp] = greatest;
  __syncthreads();
#pragma unroll
  for (int w = 0; w < anneal_warps; ++w) greatest = fmaxf(greatest, room[w]);
  return greatest;
}

// In single precision, which gives a size to some 1e-6. Where no particle is left, all are equal. `turn`: alternates 0,
// 1, 0, ... over calls.
__device__ EffectiveSize effective_size(const Relative& relative, float exponent, int turn, AnnealExchange& exchange) {
  const float greatest = greatest_logarithm(relative, exponent, exchange.greatest[turn]);
  float4* room = exchange.sums[turn];
  float sums[4] = {};  // w, w^2, and their derivatives
  relative.for_each([&](float r, float c) {
    const float w = expf(exponent * r + c - greatest), rw = r * w;
    sums[0] += w;
    sums[1] += w * w;
    sums[2] += rw;
    sums[3] += rw * w;
  });
  const int lane = static_cast<int>(threadIdx.x) % warp_size, warp = static_cast<int>(threadIdx.x) / warp_size;
#pragma unroll
  for (int step = warp_size / 2; step > 0; step /= 2) {
#pragma unroll
    for (int i = 0; i < 4; ++i) sums[i] += __shfl_xor_sync(whole_warp, sums[i], step);
  }
  if (lane == 0) room[warp] = {sums[0], sums[1], sums[2], sums[3]};
  __syncthreads();
  for (float& sum : sums) sum = 0;
#pragma unroll
  for (int w = 0; w < anneal_warps; ++w) {
    const float4 of_warp = room[w];
    sums[0] += of_warp.x;
    sums[1] += of_warp.y;
    sums[2] += of_warp.z;
    sums[3] += of_warp.w;
  }
  if (!(sums[1] > 0)) return {logf(static_cast<float>(relative.count)), 0};
  return {2 * logf(sums[0]) - logf(sums[1]), 2 * (sums[2] / sums[0] - sums[3] / sums[1])};
}

// The exponent below `most` that leaves effective a share of what is effective at exponent 0, which is all where
// nothing is carried. The size falls as the exponent grows, and with normal errors as a power of it: Newton's method on
// logarithmic scales converges in a few steps; a step that leaves the bracket is replaced by bisection.
__device__ double find_exponent(const Relative& relative, double survival, double most, AnnealExchange& exchange) {
  const double whole = relative.carried == nullptr
                           ? relative.count
                           : exp(static_cast<double>(effective_size(relative, 0, 1, exchange).log_size));
  const auto target = static_cast<float>(log(fmax(1.0, survival * whole)));
  float low = 0, high = static_cast<float>(most), exponent = high;
  for (int step = 0; step < 60; ++step) {
    const EffectiveSize found = effective_size(relative, exponent, step % 2, exchange);
    const float off = found.log_size - target;
    if (step == 0 && off >= 0) return most;
    if (fabsf(off) < 1e-5f) return exponent;
    (off > 0 ? low : high) = exponent;
    if (high - low <= 2e-7f * high) return low;
    const float next = exponent * expf(-off / (exponent * found.slope));
    exponent = next > low && next < high ? next : 0.5f * (low + high);
  }
  return low;
}

// `carried` may be null: nothing is carried. `log_weight` gets the logarithms of the weights, the greatest being 0.
__global__ __launch_bounds__(anneal_threads) void anneal_kernel(const double* log_likelihood, const double* carried,
                                                                int count, double survival, double most, int refined,
                                                                float* relative, double* weight, double* log_weight,
                                                                FilterMemory* memory) {
  __shared__ double room[block::most_warps];
  __shared__ AnnealExchange exchange;
  const int first = static_cast<int>(threadIdx.x);
  const auto larger = [](double a, double b) { return fmax(a, b); };
  double likeliest = -INFINITY;
  for (int j = first; j < count; j += anneal_threads) {
    if (isfinite(log_likelihood[j])) likeliest = fmax(likeliest, log_likelihood[j]);
  }
  likeliest = block::reduce(likeliest, larger, room);

  double exponent = refined > 0 ? memory->result.exponent : most;
  if (survival > 0) {
    for (int j = first; j < count; j += anneal_threads) {
      const double l = log_likelihood[j];
      relative[j] = isfinite(l) ? static_cast<float>(l - likeliest) : no_weight;  // read by this thread alone
    }
    exponent = find_exponent(Relative(relative, carried, count), survival, most, exchange);
  }

  double greatest = -INFINITY;
  for (int j = first; j < count; j += anneal_threads) {
    const double l = log_likelihood[j];
    double logarithm = isfinite(l) ? exponent * (l - likeliest) : -INFINITY;
    if (carried != nullptr) logarithm += carried[j];
    log_weight[j] = logarithm;
    greatest = fmax(greatest, logarithm);
  }
  // where nothing is carried, the likeliest particle has 0
  if (carried != nullptr) greatest = block::reduce(greatest, larger, room);
  const bool some = carried != nullptr ? isfinite(greatest) : isfinite(likeliest);
  double sum = 0;
  for (int j = first; j < count; j += anneal_threads) {
    const double logarithm = !some ? 0 : carried != nullptr ? log_weight[j] - greatest : log_weight[j];
    const double w = exp(logarithm);
    log_weight[j] = logarithm;
    weight[j] = w;
    sum += w;
  }
  sum = block::sum(sum, room);
  const double scale = 1 / sum;
  for (int j = first; j < count; j += anneal_threads) weight[j] *= scale;
  if (first == 0) {
    memory->result.exponent = exponent;
    int best = refined > 0 ? 0 : memory->peak;
    for (int j = 1; j < refined; ++j) {
      if (log_likelihood[j] > log_likelihood[best]) best = j;
    }
    memory->peak = best;
  }
}

// The particle in whose interval of the cumulative weights a position falls.
__device__ int pick(const double* cumulated, int count, double position) {
  int low = 0, high = count - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (cumulated[middle] >= position) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// Draws index[begin] and those after it: sorted uniform numbers without sorting, since their gaps are exponentially
// distributed. `whole` is the last element of `cumulated`.
__device__ void pick_multinomial(const double* cumulated, int count, double whole, const Random& random, int begin,
                                 double* position, int* index, double* room) {
  const int drawn = count - begin;
  const auto gap = [&](int i) { return -log(random.uniform(static_cast<std::uint32_t>(i))); };
  const double sum = block::running_sum(drawn, gap, position, room) + gap(drawn);
  for (int j = static_cast<int>(threadIdx.x); j < drawn; j += threads) {
    index[begin + j] = pick(cumulated, count, position[j] / sum * whole);
  }
}

__global__ __launch_bounds__(threads) void resample_kernel(Resampling scheme, int count, Random random, double* weight,
                                                           double* cumulated, double* position, int* index) {
  __shared__ double room[block::most_warps];
  const int first = static_cast<int>(threadIdx.x);
  const double whole_count = count;
  if (scheme == Resampling::residual) {
    // integer parts of n w are copied, remainders are drawn
    const auto copies = [&](int i) { return floor(whole_count * weight[i] + 1e-9); };
    const double copied = block::running_sum(count, copies, cumulated, room);
    const int filled = static_cast<int>(fmin(copied, whole_count));
    for (int j = first; j < filled; j += threads) index[j] = pick(cumulated, count, j + 1.0);
    __syncthreads();
    if (filled < count) {
      const auto rest = [&](int i) { return fmax(0.0, whole_count * weight[i] - copies(i)); };
      double left = block::running_sum(count, rest, cumulated, room);
      if (left <= 0)
        left = block::running_sum(
            count, [&](int) { return 1 / whole_count; }, cumulated, room);
      pick_multinomial(cumulated, count, left, random, filled, position, index, room);
    }
  } else {
    const auto own = [&](int i) { return weight[i]; };
    block::running_sum(count, own, cumulated, room);
    if (scheme == Resampling::multinomial) {
      pick_multinomial(cumulated, count, 1, random, 0, position, index, room);
    } else {
      for (int j = first; j < count; j += threads) {
        const double within = random.uniform(scheme == Resampling::systematic ? 0 : static_cast<std::uint32_t>(j));
        index[j] = pick(cumulated, count, (j + within) / whole_count);
      }
    }
  }
  __syncthreads();
  for (int j = first; j < count; j += threads) weight[j] = 1 / whole_count;
}

struct Best {
  double value;
  int at;
};

__device__ Best better(Best a, Best b) { return b.value > a.value || (b.value == a.value && b.at < a.at) ? b : a; }

constexpr int select_threads = 256;

__global__ __launch_bounds__(select_threads) void select_kernel(const double* log_likelihood, int count, int best,
                                                                int* index) {
  __shared__ Best room[block::most_warps];
  extern __shared__ int chosen[];  // (best)
  const int first = static_cast<int>(threadIdx.x), lane = first % warp_size, warp = first / warp_size;
  double least = INFINITY;
  int found = 0;
  for (; found < best; ++found) {
    Best mine{-INFINITY, count};
    for (int j = first; j < count; j += select_threads) {
      if (log_likelihood[j] < least && log_likelihood[j] > mine.value) mine = {log_likelihood[j], j};
    }
    for (int step = warp_size / 2; step > 0; step /= 2) {
      mine = better(mine, {__shfl_xor_sync(whole_warp, mine.value, step), __shfl_xor_sync(whole_warp, mine.at, step)});
    }
    __syncthreads();
    if (lane == 0) room[warp] = mine;
    __syncthreads();
    for (int w = 0; w < select_threads / warp_size; ++w) mine = better(mine, room[w]);
    if (mine.at == count) break;
    if (first == 0) chosen[found] = mine.at;
    least = mine.value;
  }
  __syncthreads();
  for (int j = first; j < count; j += select_threads) {
    int place = found + j;
    bool taken = false;
    for (int c = 0; c < found; ++c) {
      taken = taken || chosen[c] == j;
      place -= chosen[c] < j;
    }
    if (!taken) index[place] = j;
  }
  for (int c = first; c < found; c += select_threads) index[c] = chosen[c];
}

constexpr int gather_warps = 8;

// `carried` may be null: nothing is carried.
__global__ __launch_bounds__(gather_warps* warp_size) void gather_kernel(
    const int* index, int count, int floats, const float* states, const double* log_likelihood, const double* carried,
    float* states_out, double* log_likelihood_out, double* carried_out) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int j = static_cast<int>(blockIdx.x) * gather_warps + static_cast<int>(threadIdx.x) / warp_size;
  if (j >= count) return;
  const int from = index[j];
  const float* state = states + static_cast<std::size_t>(from) * floats;
  for (int i = lane; i < floats; i += warp_size) states_out[static_cast<std::size_t>(j) * floats + i] = state[i];
  if (lane == 0) log_likelihood_out[j] = log_likelihood[from];
  if (lane == 0 && carried != nullptr) carried_out[j] = carried[from];
}

}  // namespace

void WeightsCuda::reserve(std::size_t count) {
  for (auto* buffer : {&weight_, &cumulated_, &position_, &log_weight_, &carried_, &next_carried_}) {
    buffer->reserve(count);
  }
  relative_.reserve(count);
  index_.reserve(count);
}

void WeightsCuda::carry() {
  if (!weighed_) return;  // resampled since, or the last frame was not weighed: its carried weights are kept
  std::swap(carried_, log_weight_);
  carries_ = true;
  weighed_ = false;
}

void WeightsCuda::run(const double* log_likelihood, int count, double survival, double most, int refined,
                      FilterMemory* memory, cudaStream_t stream) {
  anneal_kernel<<<1, anneal_threads, 0, stream>>>(log_likelihood, carries_ ? carried_.data() : nullptr, count, survival,
                                                  most, refined, relative_.data(), weight_.data(), log_weight_.data(),
                                                  memory);
  weighed_ = true;
}

void WeightsCuda::anneal(const double* log_likelihood, int count, double survival, double most, FilterMemory* memory,
                         cudaStream_t stream) {
  run(log_likelihood, count, survival, most, 0, memory, stream);
  cuda::check_launch("anneal");
}

void WeightsCuda::normalise(const double* log_likelihood, int count, int refined, FilterMemory* memory,
                            cudaStream_t stream) {
  run(log_likelihood, count, 0, 0, refined, memory, stream);
  cuda::check_launch("normalise");
}

void WeightsCuda::resample(Resampling scheme, int count, const Random& random, cudaStream_t stream) {
  resample_kernel<<<1, threads, 0, stream>>>(scheme, count, random, weight_.data(), cumulated_.data(), position_.data(),
                                             index_.data());
  cuda::check_launch("resample");
  reset();
}

void WeightsCuda::select(const double* log_likelihood, int count, int best, cudaStream_t stream) {
  const std::size_t room = (static_cast<std::size_t>(best) + 3) / 4 * 4 * sizeof(int);  // which is read in fours
  select_kernel<<<1, select_threads, room, stream>>>(log_likelihood, count, best, index_.data());
  cuda::check_launch("select");
}

void WeightsCuda::gather(int count, int floats, const float* states, const double* log_likelihood, float* states_out,
                         double* log_likelihood_out, cudaStream_t stream) {
  gather_kernel<<<static_cast<unsigned>((count + gather_warps - 1) / gather_warps), gather_warps * warp_size, 0,
                  stream>>>(index_.data(), count, floats, states, log_likelihood, carries_ ? carried_.data() : nullptr,
                            states_out, log_likelihood_out, next_carried_.data());
  cuda::check_launch("gather");
  if (carries_) std::swap(carried_, next_carried_);
}

}  // namespace kinema::body
