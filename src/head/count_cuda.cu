#include "head/count_cuda.cuh"

#include "head/strip_cuda.cuh"
#include "head/wide_sums_cuda.cuh"

#include <algorithm>

namespace kinema::head {
namespace {

constexpr int threads = 256;

// Once there are so many blocks for every multiprocessor, each thread takes several strips (up to 8 fit into a warp's
// sums): that spares the ends of blocks.
constexpr unsigned waves_to_spare = 16, strips_a_thread = 2;

// A degree as an integer. Beside 8 = 2^3 a float's last bit stands for 2^-20, so an addition rounds it, and its bits are
// the integer: cheaper than a conversion.
__device__ std::uint32_t to_units(float degree) { return __float_as_uint(degree + 8.0f) - 0x41000000u; }

// eq. 2
struct PlaneDegree {
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

// The same where float has too few digits: a steep plane subtracts large numbers from each other.
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
  static constexpr double unit = PlaneDegree::unit;
};

// eq. 7
struct TableDegree {
  const std::uint8_t* table;
  std::uint32_t order;  // of the bytes, for the permutation that makes a colour an index

  __device__ std::uint32_t units(std::uint32_t colour) const { return __ldg(table + __byte_perm(colour, 0, order)); }
  __device__ float degree(std::uint32_t colour) const { return static_cast<float>(units(colour)) * (1.0f / 255.0f); }
  static constexpr double unit = 1.0 / 255.0;
};

template <class Degree, int frame_count>
struct Task {
  Degree degree;
  Region region;
  std::uint32_t columns, strips;  // of strips: a row of them, and all
  bool aligned;                   // every row of every frame begins at a multiple of 16 bytes
  DeviceWeighing weighing;
  Destination destination;
  DevicePlanes frames[frame_count];
};

// Sums over a strip in coordinates from its own first pixel: small enough for 32 bits, whatever the weights.
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

  // Adds the sums as seen from the frame's first pixel.
  __device__ void add_to(unsigned long long (&sums)[sum_count], std::uint32_t x0, std::uint32_t y0) const {
    const auto wide = [](std::uint32_t a, std::uint32_t b) { return static_cast<unsigned long long>(a) * b; };
    sums[0] += w;
    sums[1] += wide(x0, w) + x;
    sums[2] += wide(y0, w) + y;
    sums[3] += wide(x0 * x0, w) + wide(2 * x0, x) + xx;
    sums[4] += wide(y0 * y0, w) + wide(2 * y0, y) + yy;
  }
};

// The weight of a pixel beside that of its colour.
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

// The strip at (column, row) of the region. Most are whole; those at the right and lower edge, and all that are weighed or
// lie askew in memory, go pixel by pixel.
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
__global__ void __launch_bounds__(threads, 4) count_strips(const __grid_constant__ Task<Degree, frame_count> task) {
  unsigned long long sums[sum_count] = {};
  for (std::uint32_t i = blockIdx.x * threads + threadIdx.x; i < task.strips; i += gridDim.x * threads) {
    const std::uint32_t row = i / task.columns * Strip::rows, column = i % task.columns * Strip::columns;
    const StripSums strip = sum_strip<Strip, Degree, weighed>(task, task.frames[blockIdx.y], column, row);
    strip.add_to(sums, task.region.x + column, task.region.y + row);
  }
  hand_over<threads>(sums, task.destination);
}

bool is_aligned(const DevicePlanes& planes) {
  const auto odd = [](const auto value) { return reinterpret_cast<std::uintptr_t>(value) % 16 != 0; };
  return !odd(planes.data) && planes.stride % 16 == 0 && !odd(planes.chroma) && planes.chroma_stride % 16 == 0;
}

std::uint32_t ceil_div(std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b; }

}  // namespace

// Every frame has `blocks` blocks, whose sums come to stand beside each other.
template <class Strip, class Degree, bool weighed, int frame_count>
void CountCuda::launch(const Degree& degree, const Call& call, unsigned blocks) {
  Task<Degree, frame_count> task;
  task.degree = degree;
  task.region = call.region;
  task.columns = ceil_div(call.region.width, Strip::columns);
  task.strips = task.columns * ceil_div(call.region.height, Strip::rows);
  task.aligned = std::all_of(call.frames.begin(), call.frames.end(), is_aligned);
  if (weighed) task.weighing = *call.weighing;
  task.destination = {
      partial_.data(),  totals_.data(), tickets_.data(), call.results, weighed ? PlaneDegree::unit : Degree::unit,
      call.piece.first, call.piece.last};
  std::copy(call.frames.begin(), call.frames.end(), task.frames);
  const dim3 grid(blocks, static_cast<unsigned>(call.frames.size()));
  count_strips<Strip, Degree, weighed, frame_count><<<grid, threads, 0, call.stream>>>(task);
  cuda::check_launch("counting pixels");
}

template <class Strip, class Degree>
void CountCuda::launch(const Degree& degree, const Call& call) {
  static_assert(Strip::columns * Strip::rows == 32);
  const std::uint32_t strips = ceil_div(call.region.width, Strip::columns) * ceil_div(call.region.height, Strip::rows);
  const auto frames = static_cast<unsigned>(call.frames.size());
  unsigned blocks = ceil_div(strips, threads);
  if (frames * blocks > waves_to_spare * multiprocessors_) blocks = ceil_div(blocks, strips_a_thread);
  partial_.reserve(static_cast<std::size_t>(frames) * sums * blocks);
  if (call.weighing != nullptr)
    launch<Strip, Degree, true, 1>(degree, call, blocks);
  else if (frames == 1)
    launch<Strip, Degree, false, 1>(degree, call, blocks);
  else
    launch<Strip, Degree, false, most_frames>(degree, call, blocks);
}

template <class Strip>
void CountCuda::launch(const Call& call, bool red_first) {
  if (const Plane* plane = std::get_if<Plane>(&classifier_)) {
    PlaneDegree degree{{static_cast<float>(plane->r), static_cast<float>(plane->g), static_cast<float>(plane->b)},
                       static_cast<float>(plane->d)};
    SteepPlaneDegree steep{{plane->r, plane->g, plane->b}, plane->d};
    if (!red_first) {
      std::swap(degree.f[0], degree.f[2]);
      std::swap(steep.f[0], steep.f[2]);
    }
    if (is_steep(*plane))
      launch<Strip>(steep, call);
    else
      launch<Strip>(degree, call);
  } else {
    // the index has B in its lowest byte, and 0 in its highest
    launch<Strip>(TableDegree{table_.data(), red_first ? 0x4012u : 0x4210u}, call);
  }
}

CountCuda::CountCuda() : totals_(sums), tickets_(most_frames) {
  int device = 0, count = 1;
  cuda::check(cudaGetDevice(&device), "asking for the device");
  cuda::check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "asking for its size");
  multiprocessors_ = static_cast<unsigned>(count);
  cuda::check(cudaMemset(tickets_.data(), 0, tickets_.bytes()), "clearing");
  cuda::check(cudaDeviceSynchronize(), "clearing");
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

void CountCuda::count(PixelFormat format, std::span<const DevicePlanes> frames, const Region& region,
                      const DeviceWeighing* weighing, Piece piece, double* results, cudaStream_t stream) {
  const Call call{frames, region, weighing, piece, results, stream};
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
      return launch<strip::Yuyv>(call, true);
  }
}

}  // namespace kinema::head
