#include "body/block_cuda.cuh"
#include "body/weights_cuda.cuh"

namespace kinema::body {
namespace {

constexpr int threads = 1024;

constexpr int anneal_threads = 256, anneal_warps = anneal_threads / warp_size;
constexpr int tries = 3;  // exponents at a time: two bisections for the latency of one

// Effective sample sizes at some exponents, n where no particle is left. In single precision, since as many exponentials of
// doubles would take as long as a likelihood: a size is right to 1e-5.
__device__ void effective_sizes(const float* relative, int count, const float* exponent, float* room, float* size) {
  float sums[2 * tries] = {};
  for (int j = static_cast<int>(threadIdx.x); j < count; j += anneal_threads) {
    const float r = relative[j];
#pragma unroll
    for (int t = 0; t < tries; ++t) {
      const float w = r == -INFINITY ? 0 : expf(exponent[t] * r);
      sums[t] += w;
      sums[tries + t] += w * w;
    }
  }
  const int lane = static_cast<int>(threadIdx.x) % warp_size, warp = static_cast<int>(threadIdx.x) / warp_size;
#pragma unroll
  for (int t = 0; t < 2 * tries; ++t) {
    for (int step = warp_size / 2; step > 0; step /= 2) sums[t] += __shfl_xor_sync(whole_warp, sums[t], step);
    if (lane == 0) room[t * anneal_warps + warp] = sums[t];
  }
  __syncthreads();
#pragma unroll
  for (int t = 0; t < 2 * tries; ++t) {
    sums[t] = 0;
#pragma unroll
    for (int w = 0; w < anneal_warps; ++w) sums[t] += room[t * anneal_warps + w];
  }
#pragma unroll
  for (int t = 0; t < tries; ++t) {
    size[t] = sums[tries + t] > 0 ? sums[t] * sums[t] / sums[tries + t] : static_cast<float>(count);
  }
}

__global__ __launch_bounds__(anneal_threads) void anneal_kernel(const double* log_likelihood, int count,
                                                                double survival, double most, int refined,
                                                                float* relative, double* weight, FilterMemory* memory) {
  __shared__ double room[block::most_warps];
  __shared__ float rooms[2][2 * tries * anneal_warps];  // by turns, so that one wait is enough
  const int first = static_cast<int>(threadIdx.x);
  double greatest = -INFINITY;
  for (int j = first; j < count; j += anneal_threads) {
    if (isfinite(log_likelihood[j])) greatest = fmax(greatest, log_likelihood[j]);
  }
  greatest = block::reduce(
      greatest, [](double a, double b) { return fmax(a, b); }, room);

  double exponent = refined > 0 ? memory->result.exponent : most;
  if (survival > 0) {
    for (int j = first; j < count; j += anneal_threads) {
      const double l = log_likelihood[j];
      relative[j] = isfinite(l) ? static_cast<float>(l - greatest) : -INFINITY;  // read by this thread alone
    }
    const auto wanted = static_cast<float>(fmax(1.0, survival * count));
    double low = 0, high = most;
    float size[tries];
    const auto all = static_cast<float>(most);
    const float same[tries] = {all, all, all};
    effective_sizes(relative, count, same, rooms[0], size);
    if (size[0] < wanted) {
      for (int round = 0; round < 18; ++round) {
        const double quarter = 0.25 * (high - low), at[tries] = {low + quarter, low + 2 * quarter, low + 3 * quarter};
        const float exponents[tries] = {static_cast<float>(at[0]), static_cast<float>(at[1]),
                                        static_cast<float>(at[2])};
        effective_sizes(relative, count, exponents, rooms[(round + 1) % 2], size);
        // sizes fall as exponents grow
        high = size[0] < wanted ? at[0] : size[1] < wanted ? at[1] : size[2] < wanted ? at[2] : high;
        low = size[0] < wanted ? low : size[1] < wanted ? at[0] : size[2] < wanted ? at[1] : at[2];
      }
      exponent = low;
    }
  }

  double sum = 0;
  for (int j = first; j < count; j += anneal_threads) {
    const double l = log_likelihood[j];
    const double w = isfinite(l) ? exp(exponent * (l - greatest)) : 0;
    weight[j] = w;
    sum += w;
  }
  sum = block::sum(sum, room);
  for (int j = first; j < count; j += anneal_threads) weight[j] = sum > 0 ? weight[j] * (1 / sum) : 1.0 / count;
  if (first == 0) {
    memory->result.exponent = exponent;
    int best = refined > 0 ? 0 : memory->peak;
    for (int j = 1; j < refined; ++j) {
      if (log_likelihood[j] > log_likelihood[best]) best = j;
    }
    memory->peak = best;
  }
}

// The particle in whose share of the cumulated weights a position falls.
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
// distributed. `whole` is what `cumulated` ends with.
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
    // whole parts of n w are copied, what is left of them is drawn
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

__global__ __launch_bounds__(threads) void select_kernel(const double* log_likelihood, int count, int best,
                                                         int* index) {
  __shared__ Best room[block::most_warps];
  extern __shared__ int chosen[];  // (best)
  const int first = static_cast<int>(threadIdx.x), lane = first % warp_size, warp = first / warp_size;
  double least = INFINITY;
  int found = 0;
  for (; found < best; ++found) {
    Best mine{-INFINITY, count};
    for (int j = first; j < count; j += threads) {
      if (log_likelihood[j] < least && log_likelihood[j] > mine.value) mine = {log_likelihood[j], j};
    }
    for (int step = warp_size / 2; step > 0; step /= 2) {
      mine = better(mine, {__shfl_xor_sync(whole_warp, mine.value, step), __shfl_xor_sync(whole_warp, mine.at, step)});
    }
    __syncthreads();
    if (lane == 0) room[warp] = mine;
    __syncthreads();
    for (int w = 0; w < threads / warp_size; ++w) mine = better(mine, room[w]);
    if (mine.at == count) break;
    if (first == 0) chosen[found] = mine.at;
    least = mine.value;
  }
  __syncthreads();
  for (int j = first; j < count; j += threads) {
    int place = found + j;
    bool taken = false;
    for (int c = 0; c < found; ++c) {
      taken = taken || chosen[c] == j;
      place -= chosen[c] < j;
    }
    if (!taken) index[place] = j;
  }
  for (int c = first; c < found; c += threads) index[c] = chosen[c];
}

constexpr int gather_warps = 8;

__global__ __launch_bounds__(gather_warps* warp_size) void gather_kernel(const int* index, int count, int floats,
                                                                         const float* states,
                                                                         const double* log_likelihood,
                                                                         float* states_out,
                                                                         double* log_likelihood_out) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int j = static_cast<int>(blockIdx.x) * gather_warps + static_cast<int>(threadIdx.x) / warp_size;
  if (j >= count) return;
  const int from = index[j];
  for (int i = lane; i < floats; i += warp_size) {
    states_out[static_cast<std::size_t>(j) * floats + i] = states[static_cast<std::size_t>(from) * floats + i];
  }
  if (lane == 0) log_likelihood_out[j] = log_likelihood[from];
}

}  // namespace

void WeightsCuda::reserve(std::size_t count) {
  for (auto* buffer : {&weight_, &cumulated_, &position_}) buffer->reserve(count);
  relative_.reserve(count);
  index_.reserve(count);
}

void WeightsCuda::anneal(const double* log_likelihood, int count, double survival, double most, FilterMemory* memory,
                         cudaStream_t stream) {
  anneal_kernel<<<1, anneal_threads, 0, stream>>>(log_likelihood, count, survival, most, 0, relative_.data(),
                                                  weight_.data(), memory);
  cuda::check_launch("anneal");
}

void WeightsCuda::normalise(const double* log_likelihood, int count, int refined, FilterMemory* memory,
                            cudaStream_t stream) {
  anneal_kernel<<<1, anneal_threads, 0, stream>>>(log_likelihood, count, 0, 0, refined, relative_.data(),
                                                  weight_.data(), memory);
  cuda::check_launch("normalise");
}

void WeightsCuda::resample(Resampling scheme, int count, const Random& random, cudaStream_t stream) {
  resample_kernel<<<1, threads, 0, stream>>>(scheme, count, random, weight_.data(), cumulated_.data(), position_.data(),
                                             index_.data());
  cuda::check_launch("resample");
}

void WeightsCuda::select(const double* log_likelihood, int count, int best, cudaStream_t stream) {
  const std::size_t room = (static_cast<std::size_t>(best) + 3) / 4 * 4 * sizeof(int);  // which is read in fours
  select_kernel<<<1, threads, room, stream>>>(log_likelihood, count, best, index_.data());
  cuda::check_launch("select");
}

void gather_particles(const int* index, int count, int floats, const float* states, const double* log_likelihood,
                      float* states_out, double* log_likelihood_out, cudaStream_t stream) {
  gather_kernel<<<static_cast<unsigned>((count + gather_warps - 1) / gather_warps), gather_warps * warp_size, 0,
                  stream>>>(index, count, floats, states, log_likelihood, states_out, log_likelihood_out);
  cuda::check_launch("gather");
}

}  // namespace kinema::body
