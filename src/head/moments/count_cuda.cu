#include "head/moments/count_cuda.cuh"

#include "head/moments/strip_cuda.cuh"

#include <algorithm>
#include <cstring>

namespace kinema::head {
namespace {

constexpr int threads = 256;

// From this many blocks per multiprocessor on, each thread takes several strips: that saves the ends of blocks.
constexpr unsigned blocks_to_spare = 16, strips_a_thread = 4;

// A degree as an integer. Added to 8 = 2^3, a float's last bit stands for 2^-20, so the addition rounds, and its bits
// are the integer: cheaper than a conversion.
__device__ std::uint32_t to_units(float degree) { return __float_as_uint(degree + 8.0f) - 0x41000000u; }

// eq. 2
struct FloatPlaneDegree {
  float f[3], d;  // in the order of the channels in memory

  // As for the integers: 2^23 and a byte in one word, by one permutation.
  static __device__ float channel(std::uint32_t colour, int i) {
    return __uint_as_float(__byte_perm(colour, 0x4b000000u, 0x7440 + i)) - 8388608.0f;
  }
  __device__ float degree(std::uint32_t colour) const {
    return __saturatef(
        fmaf(channel(colour, 2), f[2], fmaf(channel(colour, 1), f[1], fmaf(channel(colour, 0), f[0], d))));
  }
  __device__ std::uint32_t units(std::uint32_t colour) const { return to_units(degree(colour)); }
  static constexpr double unit = 1.0 / (1 << 20);
};

// The same if float has too few digits: a steep plane subtracts large numbers from each other.
struct SteepPlaneDegree {
  double f[3], d;

  static __device__ double channel(std::uint32_t colour, int i) {
    return __hiloint2double(0x43300000, static_cast<int>(__byte_perm(colour, 0, 0x4440 + i))) - 4503599627370496.0;
  }
  __device__ float degree(std::uint32_t colour) const {
    return __saturatef(__double2float_rn(
        fma(channel(colour, 2), f[2], fma(channel(colour, 1), f[1], fma(channel(colour, 0), f[0], d)))));
  }
  __device__ std::uint32_t units(std::uint32_t colour) const { return to_units(degree(colour)); }
  static constexpr double unit = FloatPlaneDegree::unit;
};

// eq. 7
struct TableDegree {
  const std::uint8_t* table;
  std::uint32_t order;  // of the bytes, for the permutation that makes a colour an index

  __device__ std::uint32_t units(std::uint32_t colour) const { return __ldg(table + __byte_perm(colour, 0, order)); }
  __device__ float degree(std::uint32_t colour) const { return static_cast<float>(units(colour)) * (1.0f / 255.0f); }
  static constexpr double unit = 1.0 / 255.0;
};

// From the sums of threads to those of a frame, all in integers: warps by their reduction instruction, blocks in shared
// memory, frames by atomic additions, whose order does not matter for integers. Each addition also counts its block, so
// the last one recognises itself from the returned value, and delivers the sum: no block waits for another.

constexpr int sum_count = static_cast<int>(CountCuda::sums);
constexpr int warp_threads = 32;
constexpr unsigned all_lanes = ~0u;

// The sum over a warp of values below 2^(24 parts); every lane gets it.
template <int parts>
__device__ unsigned long long warp_sum(unsigned long long value) {
  unsigned long long total = 0;
#pragma unroll
  for (int i = 0; i < parts; ++i) {
    const unsigned part = static_cast<unsigned>(value >> 24 * i) & 0xffffff;
    total += static_cast<unsigned long long>(__reduce_add_sync(all_lanes, part)) << 24 * i;
  }
  return total;
}

// Destination of the sums of frames.
struct Destination {
  FrameTotals* totals;   // (frame), 0 between frames
  FrameResult* results;  // (frame)
  std::uint32_t blocks;  // blocks that add to a frame
};

// The end of every block of `threads` threads: `own` are the sums of a thread, below 2^48 except for the two squares,
// which are below 2^55. blockIdx.y is the frame.
template <int threads>
__device__ void hand_over(const unsigned long long (&own)[sum_count], const Destination& to) {
  constexpr int warps = threads / warp_threads;
  __shared__ unsigned long long warp_sums[sum_count][warps];
  const int lane = static_cast<int>(threadIdx.x) % warp_threads, warp = static_cast<int>(threadIdx.x) / warp_threads;

  const unsigned long long sums[sum_count] = {warp_sum<2>(own[0]), warp_sum<2>(own[1]), warp_sum<2>(own[2]),
                                              warp_sum<3>(own[3]), warp_sum<3>(own[4])};
  if (lane == 0) {
#pragma unroll
    for (int k = 0; k < sum_count; ++k) warp_sums[k][warp] = sums[k];
  }
  __syncthreads();
  if (threadIdx.x >= FrameResult::parts) return;

  // one lane per half of a sum
  unsigned long long value = 0;
#pragma unroll
  for (int w = 0; w < warps; ++w) value += warp_sums[lane / 2][w];
  value = lane % 2 == 0 ? value & 0xffffffff : value >> 32;
  unsigned long long* const total = &to.totals[blockIdx.y].part[lane];
  const unsigned long long all = atomicAdd(total, value + FrameTotals::one_block) + value + FrameTotals::one_block;
  if (all / FrameTotals::one_block != to.blocks) return;
  *total = 0;
  *static_cast<volatile unsigned long long*>(&to.results[blockIdx.y].part[lane]) = all % FrameTotals::one_block;
}

template <class Degree, int frame_count>
struct Task {
  Degree degree;
  Region region;
  std::uint32_t columns, strips;        // of strips: a row of them, and all
  std::uint32_t next_column, next_row;  // from a thread's strip to its next one
  bool aligned;                         // every row of every frame begins at a multiple of 16 bytes
  DeviceWeighing weighing;
  Destination destination;
  DevicePlanes frames[frame_count];
};

// Sums over a strip in coordinates relative to its first pixel: they fit 32 bits, whatever the weights.
struct StripSums {
  std::uint32_t w = 0, x = 0, y = 0, xx = 0, yy = 0;

  template <int columns>
  __device__ void add_row(int row, const std::uint32_t (&units)[columns]) {
    std::uint32_t sum = 0;
#pragma unroll
    for (std::uint32_t i = 0; i < columns; ++i) {
      sum += units[i];
      x += i * units[i];
      xx += i * i * units[i];
    }
    w += sum;
    y += row * sum;
    yy += row * row * sum;
  }

  // Adds the sums in coordinates relative to the frame's first pixel.
  __device__ void add_to(unsigned long long (&sums)[sum_count], std::uint32_t x0, std::uint32_t y0) const {
    const auto wide = [](std::uint32_t a, std::uint32_t b) { return static_cast<unsigned long long>(a) * b; };
    sums[0] += w;
    sums[1] += wide(x0, w) + x;
    sums[2] += wide(y0, w) + y;
    sums[3] += wide(x0 * x0, w) + wide(2 * x0, x) + xx;
    sums[4] += wide(y0 * y0, w) + wide(2 * y0, y) + yy;
  }
};

// The weight of a pixel other than that of its colour.
__device__ float place_weight(const DeviceWeighing& weighing, int x, int y, std::uint32_t column, std::uint32_t row) {
  float weight = 1;
  if (weighing.window) {
    const float dx = (static_cast<float>(x - weighing.cx) - weighing.cx_rest) * weighing.x_scale;
    const float dy = (static_cast<float>(y - weighing.cy) - weighing.cy_rest) * weighing.y_scale;
    weight = fmaxf(0, 1 - dx * dx - dy * dy);
  }
  if (weighing.mask != nullptr)
    weight *= static_cast<float>(__ldg(weighing.mask + row * weighing.mask_stride + column)) * (1.0f / 255.0f);
  return weight;
}

// The strip at (column, row) of the region. Most are whole; those at the right and lower edge, and all that are
// weighted or unaligned, are processed pixel by pixel.
template <class Strip, class Degree, bool weighed, class Task>
__device__ StripSums sum_strip(const Task& task, const DevicePlanes& frame, std::uint32_t column, std::uint32_t row) {
  StripSums sums;
  Strip strip;
  std::uint32_t units[Strip::columns];
  const int width = static_cast<int>(task.region.width - column), height = static_cast<int>(task.region.height - row);
  if (!weighed && task.aligned && width >= Strip::columns && height >= Strip::rows) {
    strip.load_whole(frame, column, row);
#pragma unroll
    for (int r = 0; r < Strip::rows; ++r) {
#pragma unroll
      for (int i = 0; i < Strip::columns; ++i) units[i] = task.degree.units(strip.colour(r, i));
      sums.add_row(r, units);
    }
    return sums;
  }
  strip.load_part(frame, column, row, width, height, task.aligned);
#pragma unroll
  for (int r = 0; r < Strip::rows; ++r) {
#pragma unroll
    for (int i = 0; i < Strip::columns; ++i) {
      units[i] = 0;
      if (i >= width || r >= height) continue;
      const std::uint32_t colour = strip.colour(r, i);
      if constexpr (weighed) {
        const float weight = place_weight(task.weighing, static_cast<int>(task.region.x + column) + i,
                                          static_cast<int>(task.region.y + row) + r, column + i, row + r);
        units[i] = to_units(task.degree.degree(colour) * weight);
      } else {
        units[i] = task.degree.units(colour);
      }
    }
    sums.add_row(r, units);
  }
  return sums;
}

template <class Strip, class Degree, bool weighed, int frame_count>
__global__ void __launch_bounds__(threads, weighed || Strip::rows * Strip::columns > 16 ? 4 : 5)
    count_strips(const __grid_constant__ Task<Degree, frame_count> task) {
  unsigned long long sums[sum_count] = {};
  std::uint32_t i = blockIdx.x * threads + threadIdx.x;
  std::uint32_t row = i / task.columns, column = i - row * task.columns;
  for (; i < task.strips; i += gridDim.x * threads) {
    const StripSums strip =
        sum_strip<Strip, Degree, weighed>(task, task.frames[blockIdx.y], column * Strip::columns, row * Strip::rows);
    strip.add_to(sums, task.region.x + column * Strip::columns, task.region.y + row * Strip::rows);
    row += task.next_row;
    column += task.next_column;
    if (column >= task.columns) {
      column -= task.columns;
      ++row;
    }
  }
  hand_over<threads>(sums, task.destination);
}

// Whether every row begins at a multiple of 16 bytes.
bool is_aligned(const DevicePlanes& planes) {
  const auto odd = [](const auto value) { return reinterpret_cast<std::uintptr_t>(value) % 16 != 0; };
  return !odd(planes.data) && planes.stride % 16 == 0 && !odd(planes.chroma) && planes.chroma_stride % 16 == 0;
}

std::uint32_t ceil_div(std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b; }

}  // namespace

template <class Strip, class Degree, bool weighed, int frame_count>
double CountCuda::launch_kernel(const Degree& degree, const Call& call) {
  static_assert(Strip::columns * Strip::rows <= 32);  // this many, times strips_a_thread, fit into 64 bits of a block
  Task<Degree, frame_count> task;
  std::memset(static_cast<void*>(&task), 0, sizeof task);  // also what lies between members, for the launcher
  task.degree = degree;
  task.region = call.region;
  task.columns = ceil_div(call.region.width, Strip::columns);
  task.strips = task.columns * ceil_div(call.region.height, Strip::rows);
  task.aligned = std::all_of(call.frames.begin(), call.frames.end(), is_aligned);
  if (weighed) task.weighing = *call.weighing;
  for (std::size_t i = 0; i < std::min<std::size_t>(frame_count, call.frames.size()); ++i)
    task.frames[i] = call.frames[i];

  const auto frames = static_cast<unsigned>(call.frames.size());
  unsigned blocks = ceil_div(task.strips, threads);
  if (frames * blocks > blocks_to_spare * multiprocessors_) blocks = ceil_div(blocks, strips_a_thread);
  task.next_row = blocks * threads / task.columns;
  task.next_column = blocks * threads % task.columns;
  task.destination = {totals_.data(), call.results, blocks};
  const dim3 grid(blocks, frames);
  if (call.hurry) {
    graphs_.launch(count_strips<Strip, Degree, weighed, frame_count>, grid, threads, task, call.stream);
  } else {
    count_strips<Strip, Degree, weighed, frame_count><<<grid, threads, 0, call.stream>>>(task);
    cuda::check_launch("counting pixels");
  }
  return weighed ? FloatPlaneDegree::unit : Degree::unit;
}

template <class Strip, class Degree>
double CountCuda::launch(const Degree& degree, const Call& call) {
  if (call.weighing != nullptr) return launch_kernel<Strip, Degree, true, 1>(degree, call);
  if (call.frames.size() == 1) return launch_kernel<Strip, Degree, false, 1>(degree, call);
  return launch_kernel<Strip, Degree, false, most_frames>(degree, call);
}

template <class Strip>
double CountCuda::launch(const Call& call, bool red_first) {
  if (const SkinPlane* plane = std::get_if<SkinPlane>(&classifier_)) {
    FloatPlaneDegree degree{{static_cast<float>(plane->r), static_cast<float>(plane->g), static_cast<float>(plane->b)},
                            static_cast<float>(plane->d)};
    SteepPlaneDegree steep{{plane->r, plane->g, plane->b}, plane->d};
    if (!red_first) {
      std::swap(degree.f[0], degree.f[2]);
      std::swap(steep.f[0], steep.f[2]);
    }
    return is_steep(*plane) ? launch<Strip>(steep, call) : launch<Strip>(degree, call);
  }
  // the index has B in its lowest byte, and 0 in its highest
  return launch<Strip>(TableDegree{table_.data(), red_first ? 0x4012u : 0x4210u}, call);
}

CountCuda::CountCuda() : totals_(most_frames) {
  int device = 0, count = 1;
  cuda::check(cudaGetDevice(&device), "asking for the device");
  cuda::check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "asking for its size");
  multiprocessors_ = static_cast<unsigned>(count);
  cuda::clear(totals_.data(), totals_.bytes());
}

void CountCuda::set_classifier(const Classifier& classifier, cudaStream_t stream) {
  classifier_ = classifier;
  if (const auto* table = std::get_if<std::shared_ptr<const Table>>(&classifier)) {
    table_.reserve((*table)->degrees.size());
    cuda::check(cudaMemcpyAsync(table_.data(), (*table)->degrees.data(), (*table)->degrees.size(),
                                cudaMemcpyHostToDevice, stream),
                "uploading a table");
    cuda::check(cudaStreamSynchronize(stream), "uploading a table");
  }
}

double CountCuda::count(PixelFormat format, std::span<const DevicePlanes> frames, const Region& region,
                        const DeviceWeighing* weighing, FrameResult* results, cudaStream_t stream, bool hurry) {
  const Call call{frames, region, weighing, results, stream, hurry};
  switch (format) {
    case PixelFormat::bgra:
    case PixelFormat::rgba:
      return launch<strip::FourBytes>(call, format == PixelFormat::rgba);
    case PixelFormat::bgr:
    case PixelFormat::rgb:
      return launch<strip::ThreeBytes>(call, format == PixelFormat::rgb);
    case PixelFormat::nv12:
      return launch<strip::Nv12>(call, true);
    case PixelFormat::yuyv:
      break;
  }
  return launch<strip::Yuyv>(call, true);
}

Sums FrameResult::sums(double unit) const {
  const auto sum = [&](int i) {
    const unsigned long long low = part[2 * i], high = part[2 * i + 1] + (low >> 32);
    return (static_cast<double>(high) * 4294967296.0 + static_cast<double>(low & 0xffffffff)) * unit;
  };
  return {sum(0), sum(1), sum(2), sum(3), sum(4)};
}

}  // namespace kinema::head
