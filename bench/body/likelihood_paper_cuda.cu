// Section 5 of the paper as published: one block per sample and tile of points, capsules and points in shared memory by
// coordinate (figure 4, listing 1.1), all capsules for every point (listing 1.3), one partial sum per block, one launch
// per 8 samples, and one reduction kernel at the end. Squares are summed (eq. 3). Sums of a block are those of its time, by
// halves in shared memory. Several GPUs have a chunk of the samples each, and a thread of the host.
#include "bench/body/likelihood_paper.h"
#include "bench/body/plain_points.h"
#include "body/likelihood/likelihood_backends.h"
#include "core/cuda/buffer.h"
#include "core/cuda/device.h"
#include "kinema/error.h"

#include <algorithm>
#include <vector>

namespace kinema::body {
namespace {

constexpr const char* name_of_program = "the paper's kernels";
constexpr int samples_per_kernel = 8;
constexpr int most_capsules = 64;

__device__ float3 operator-(float3 a, float3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
__device__ float3 operator*(float s, float3 a) { return {s * a.x, s * a.y, s * a.z}; }
__device__ float dot(float3 a, float3 b) { return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z)); }

// The smaller positive root of A t^2 + 2 B t + C = 0 that `on_surface` accepts, else the larger one, else infinity.
template <class OnSurface>
__device__ float positive_root(float A, float B, float C, OnSurface on_surface) {
  const float discriminant = fmaf(B, B, -A * C);
  if (discriminant < 0 || A <= 0) return INFINITY;
  const float root = sqrtf(discriminant);
  const float t0 = (-B - root) / A, t1 = (-B + root) / A;
  if (t0 > 0 && on_surface(t0)) return t0;
  return t1 > 0 && on_surface(t1) ? t1 : INFINITY;
}

// Appendix A: |Delta_min - Delta|, or more than tau if there is no intersection.
__device__ float measurement(float3 x, float3 p, float r, float3 a, float3 b) {
  const float3 to_point = x - p;
  const float delta = sqrtf(dot(to_point, to_point));
  const float3 v = (1 / delta) * to_point;
  const float3 axis = b - a;
  const float length = sqrtf(dot(axis, axis));
  const float3 c = length > 0 ? (1 / length) * axis : float3{0, 0, 0};
  const float3 pa = p - a, pb = p - b;
  const float vc = dot(v, c), pac = dot(pa, c);
  const auto along = [&](float t) { return fmaf(t, vc, pac); };

  const float3 v_perp = v - vc * c, p_perp = pa - pac * c;
  float nearest = positive_root(dot(v_perp, v_perp), dot(v_perp, p_perp), dot(p_perp, p_perp) - r * r,
                                [&](float t) { return length > 0 && along(t) >= 0 && along(t) <= length; });
  nearest = fminf(nearest, positive_root(1, dot(v, pa), dot(pa, pa) - r * r,
                                         [&](float t) { return length == 0 || along(t) <= 0; }));
  nearest = fminf(nearest, positive_root(1, dot(v, pb), dot(pb, pb) - r * r,
                                         [&](float t) { return length == 0 || along(t) >= length; }));
  return fabsf(nearest - delta);
}

// Leaves the sum of a block's values in the first one.
template <class T>
__device__ void add_halves(T* values) {
  const int i = static_cast<int>(threadIdx.x);
  for (int left = static_cast<int>(blockDim.x); left > 1;) {
    const int half = (left + 1) / 2;
    __syncthreads();
    if (i < left / 2) values[i] += values[i + half];
    left = half;
  }
}

__global__ void measure(const float* X, int points, const float* C, int capsules, float3 camera, float tau,
                        int point_tiles, float* A) {
  extern __shared__ float Xds[];  // (4, points per block): x, y, z, and then the distances Ads
  __shared__ float Cds[7][most_capsules];
  const int i = static_cast<int>(threadIdx.x), points_per_block = static_cast<int>(blockDim.x);
  const int sample = static_cast<int>(blockIdx.x), tile = static_cast<int>(blockIdx.y);
  float* Ads = Xds + 3 * points_per_block;

  // all threads of a warp read consecutive addresses
  const int total = min(points_per_block, points - tile * points_per_block) * 3;
  const std::size_t offset = static_cast<std::size_t>(tile) * points_per_block * 3;
  for (int ii = i; ii < total; ii += points_per_block) Xds[ii % 3 * points_per_block + ii / 3] = X[offset + ii];
  for (int ii = i; ii < capsules * 7; ii += points_per_block)
    Cds[ii % 7][ii / 7] = C[static_cast<std::size_t>(sample) * capsules * 7 + ii];
  __syncthreads();

  float value = 0;
  if (i * 3 < total) {
    const float3 x{Xds[i], Xds[points_per_block + i], Xds[2 * points_per_block + i]};
    float nearest = tau;
    for (int k = 0; k < capsules; ++k)
      nearest = fminf(nearest, measurement(x, camera, Cds[3][k], {Cds[0][k], Cds[1][k], Cds[2][k]},
                                           {Cds[4][k], Cds[5][k], Cds[6][k]}));
    value = nearest * nearest;
  }
  Ads[i] = value;
  add_halves(Ads);
  if (i == 0) A[static_cast<std::size_t>(sample) * point_tiles + tile] = Ads[0];
}

constexpr int reducing_threads = 256;

__global__ void reduce(const float* A, int point_tiles, double scale, double* M) {
  __shared__ double partial[reducing_threads];
  const int i = static_cast<int>(threadIdx.x);
  double sum = 0;
  for (int tile = i; tile < point_tiles; tile += reducing_threads)
    sum += A[static_cast<std::size_t>(blockIdx.x) * point_tiles + tile];
  partial[i] = sum;
  add_halves(partial);
  if (i == 0) M[blockIdx.x] = scale * partial[0];
}

class PaperLikelihood final : public Likelihood {
public:
  PaperLikelihood(const LikelihoodSettings& settings, int points_per_block)
      : settings_(settings), points_per_block_(points_per_block) {}

  PointCount set_points(PointsView points) override {
    const std::vector<float> used = bench::plain_points(points, settings_, name_of_program);
    count_ = used.size() / 3;
    points_.reserve(used.size());
    cuda::upload(points_.data(), used.data(), used.size() * sizeof(float));
    return bench::plain_count(used, points);
  }

  void evaluate(CapsulesView capsules, std::span<double> out) override {
    check_sizes(capsules, out);
    check_capsules(capsules);
    if (capsules.columns > most_capsules) throw Error("the paper's kernels hold at most 64 capsules a sample");
    if (capsules.rows == 0) return;
    if (count_ == 0) {
      std::fill(out.begin(), out.end(), 0.0);
      return;
    }
    const std::size_t numbers = capsules.rows * capsules.columns * capsule_floats;
    const auto tiles = static_cast<unsigned>((count_ + points_per_block_ - 1) / points_per_block_);
    capsules_.reserve(numbers);
    partial_.reserve(capsules.rows * tiles);
    out_.reserve(capsules.rows);

    events_[0].record(stream_);
    cuda::check(
        cudaMemcpyAsync(capsules_.data(), capsules.data, numbers * sizeof(float), cudaMemcpyHostToDevice, stream_),
        "uploading capsules");
    events_[1].record(stream_);
    const float3 camera{static_cast<float>(settings_.camera.x), static_cast<float>(settings_.camera.y),
                        static_cast<float>(settings_.camera.z)};
    for (std::size_t j = 0; j < capsules.rows; j += samples_per_kernel) {
      const dim3 grid(static_cast<unsigned>(std::min<std::size_t>(samples_per_kernel, capsules.rows - j)), tiles);
      measure<<<grid, points_per_block_, 4 * points_per_block_ * sizeof(float), stream_>>>(
          points_.data(), static_cast<int>(count_), capsules_.data() + j * capsules.columns * capsule_floats,
          static_cast<int>(capsules.columns), camera, static_cast<float>(settings_.tau), static_cast<int>(tiles),
          partial_.data() + j * tiles);
    }
    cuda::check_launch("measure");
    events_[2].record(stream_);
    reduce<<<static_cast<unsigned>(capsules.rows), reducing_threads, 0, stream_>>>(
        partial_.data(), static_cast<int>(tiles), -1 / (2 * settings_.sigma * settings_.sigma), out_.data());
    cuda::check_launch("reduce");
    events_[3].record(stream_);
    cuda::check(cudaMemcpyAsync(out.data(), out_.data(), out.size_bytes(), cudaMemcpyDeviceToHost, stream_),
                "downloading results");
    stream_.wait();
    const double evaluate = cuda::elapsed_ms(events_[1], events_[2]),
                 reduction = cuda::elapsed_ms(events_[2], events_[3]);
    times_ = {{"upload", cuda::elapsed_ms(events_[0], events_[1])},
              {"evaluate", evaluate},
              {"reduce", reduction},
              {"device", evaluate + reduction}};
  }

  std::vector<StageTime> times() const override { return times_; }

private:
  LikelihoodSettings settings_;
  int points_per_block_;
  cuda::Stream stream_;
  cuda::Buffer<float> points_, capsules_, partial_;
  cuda::Buffer<double> out_;
  cuda::Event events_[4];
  std::size_t count_ = 0;
  std::vector<StageTime> times_;
};

}  // namespace

std::unique_ptr<Likelihood> make_paper_likelihood(const LikelihoodSettings& settings, const PaperDivision& division) {
  bench::check_plain(settings, name_of_program);
  const int block = division.points_per_block;
  if (block < 32 || block > 1024 || block % 32 != 0)
    throw Error("the paper's kernels have blocks of 32, 64, 96 ... or 1024 points");
  if (division.devices.empty()) return std::make_unique<PaperLikelihood>(settings, block);
  return make_devices_likelihood({Backend::cuda, 1, division.devices}, [settings, block](int device) {
    cuda::use_device(device);
    return std::make_unique<PaperLikelihood>(settings, block);
  });
}

}  // namespace kinema::body
