// Section 4 of the paper as it stands: ten kernels, all but algorithm 3 on four blocks of 1024 threads, each thread one
// pixel of every 4096; sums by threads, blocks and atomics; the loop of algorithm 1 on the host, which reads E after each
// trial. With the slips mended that the reference mends.
#include "core/cuda/buffer.h"
#include "face/fitter_backends.h"
#include "face/similarity.h"
#include "kinema/error.h"

#include <chrono>
#include <cmath>
#include <utility>

namespace kinema::face {
namespace {

constexpr int blocks = 4, block_threads = 1024;

struct PaperModel {
  int modes, landmarks, pixels;
  const float *Qs, *Qg, *R;  // one mode a row, R one parameter a row
  const float *s0, *g0, *most;
  const ushort3* corners;  // of each pixel
  const float3* weights;
};

struct PaperImage {
  const unsigned char* data;
  int width, height, stride;
};

// p: c, then a, b, tx, ty of the pose.
__global__ void estimate_parameters(PaperModel model, float4 pose, float* p) {
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < model.modes; i += blocks * block_threads)
    p[i] = 0;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    float* t = p + model.modes;
    t[0] = pose.x, t[1] = pose.y, t[2] = pose.z, t[3] = pose.w;
  }
}

// Algorithm 3, and line 8 of algorithm 1: a thread a vertex.
__global__ void make_shape(PaperModel model, const float* p, const float* dp, float k, float* next, float2* S,
                           float* sums) {
  extern __shared__ float c[];
  const int m = model.modes, i = static_cast<int>(threadIdx.x);
  for (int j = i; j < m; j += static_cast<int>(blockDim.x)) {
    const float most = model.most[j];
    c[j] = fminf(fmaxf(p[j] + k * dp[j], -most), most);
    next[j] = c[j];
  }
  const float* t = p + m;
  const float a = 1 + k * dp[m], b = k * dp[m + 1], x = k * dp[m + 2], y = k * dp[m + 3];
  const float4 pose{t[0] * a - t[1] * b, t[0] * b + t[1] * a, t[0] * x - t[1] * y + t[2], t[1] * x + t[0] * y + t[3]};
  __syncthreads();
  if (i == 0) {
    next[m] = pose.x, next[m + 1] = pose.y, next[m + 2] = pose.z, next[m + 3] = pose.w;
    for (int j = 0; j < 4; ++j) sums[j] = 0;
  }
  if (i >= model.landmarks) return;
  float sx = 0, sy = 0;
  for (int j = 0; j < m; ++j) {
    sx += c[j] * model.Qs[j * 2 * model.landmarks + 2 * i];
    sy += c[j] * model.Qs[j * 2 * model.landmarks + 2 * i + 1];
  }
  sx += model.s0[2 * i], sy += model.s0[2 * i + 1];
  S[i] = {pose.x * sx - pose.y * sy + pose.z, pose.y * sx + pose.x * sy + pose.w};
}

// Algorithm 4.
__global__ void sample_texture(PaperModel model, PaperImage image, const float2* S, float* g) {
  const int N = blocks * block_threads;
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < model.pixels; i += N) {
    const ushort3 v = model.corners[i];
    const float3 w = model.weights[i];
    const float2 a = S[v.x], b = S[v.y], c = S[v.z];
    float x = w.x * a.x + w.y * b.x + w.z * c.x, y = w.x * a.y + w.y * b.y + w.z * c.y;
    x = fminf(fmaxf(x, 0.0f), static_cast<float>(image.width - 1));
    y = fminf(fmaxf(y, 0.0f), static_cast<float>(image.height - 1));
    const int u = static_cast<int>(x), r = static_cast<int>(y);
    const int u1 = min(u + 1, image.width - 1), r1 = min(r + 1, image.height - 1);
    const float fx = x - static_cast<float>(u), fy = y - static_cast<float>(r);
    const auto at = [&](int column, int row) { return static_cast<float>(image.data[row * image.stride + column]); };
    g[i] = (1 - fy) * ((1 - fx) * at(u, r) + fx * at(u1, r)) + fy * ((1 - fx) * at(u, r1) + fx * at(u1, r1));
  }
}

// The sum over all threads of the grid: shared memory in a block, then an atomic addition.
__device__ void add_up(float v, float* sum) {
  __shared__ float SMData[block_threads];
  const int i = static_cast<int>(threadIdx.x);
  SMData[i] = v;
  __syncthreads();
  for (int half = block_threads / 2; half > 0; half /= 2) {
    if (i < half) SMData[i] += SMData[i + half];
    __syncthreads();
  }
  if (i == 0) atomicAdd(sum, SMData[0]);
}

template <class Term>
__device__ void add_pixels(int pixels, float* sum, Term term) {
  float v = 0;
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < pixels; i += blocks * block_threads)
    v += term(i);
  add_up(v, sum);
}

// Algorithm 5, its four parts. sums: of g, of its squares, with g0, and E.
__global__ void sum_texture(PaperModel model, const float* g, float* sums) {
  add_pixels(model.pixels, sums, [&](int i) { return g[i]; });
}
__global__ void subtract_mean(PaperModel model, float* g, float* sums) {
  const float mean = sums[0] / static_cast<float>(model.pixels);
  add_pixels(model.pixels, sums + 1, [&](int i) {
    g[i] -= mean;
    return g[i] * g[i];
  });
}
__global__ void divide_by_norm(PaperModel model, float* g, float* sums) {
  const float norm = sqrtf(sums[1]);
  add_pixels(model.pixels, sums + 2, [&](int i) {
    g[i] = norm > 0 ? g[i] / norm : 0;
    return g[i] * model.g0[i];
  });
}
__global__ void divide_by_alpha(PaperModel model, float* g, const float* sums) {
  const auto n = static_cast<float>(model.pixels);
  // g0 has a variance of 1, not a length of 1
  const float alpha = fmaxf(sums[2] / n, 0.1f / sqrtf(n));
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < model.pixels; i += blocks * block_threads)
    g[i] /= alpha;
}

// Algorithm 6.
__global__ void make_model_texture(PaperModel model, const float* p, float* gm) {
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < model.pixels; i += blocks * block_threads) {
    float v = 0;
    for (int k = 0; k < model.modes; ++k) v += p[k] * model.Qg[static_cast<std::size_t>(k) * model.pixels + i];
    gm[i] = v + model.g0[i];
  }
}

__global__ void find_error(PaperModel model, const float* g, const float* gm, float* r, float* sums) {
  add_pixels(model.pixels, sums + 3, [&](int i) {
    r[i] = g[i] - gm[i];
    return r[i] * r[i];
  });
}

// Delta p = -R r: a row is wide, so all threads of a block share it.
__global__ void find_step(PaperModel model, const float* r, float* dp) {
  __shared__ float SMData[block_threads];
  const int i = static_cast<int>(threadIdx.x);
  for (int row = static_cast<int>(blockIdx.x); row < model.modes + 4; row += blocks) {
    float v = 0;
    const float* R = model.R + static_cast<std::size_t>(row) * model.pixels;
    for (int j = i; j < model.pixels; j += block_threads) v += R[j] * r[j];
    SMData[i] = v;
    __syncthreads();
    for (int half = block_threads / 2; half > 0; half /= 2) {
      if (i < half) SMData[i] += SMData[i + half];
      __syncthreads();
    }
    if (i == 0) dp[row] = -SMData[0];
    __syncthreads();
  }
}

class PaperFitter final : public Fitter {
public:
  PaperFitter(std::shared_ptr<const Model> model, const FitSettings& settings)
      : model_(std::move(model)), settings_(settings), stages_(stages_of(*model_, settings)) {
    const Level& level = model_->levels[stages_[0].level];
    if (stages_.size() != 1 || stages_[0].method != Method::combined || level.resampled || !level.photometric)
      throw Error("the paper's kernels fit one combined stage of a level of plain intensity");
    if (model_->shape.landmarks() > block_threads) throw Error("the paper's kernels hold at most 1024 landmarks");
    const std::size_t modes = level.texture_combined.rows, pixels = level.pixels();
    view_ = {static_cast<int>(modes),
             static_cast<int>(model_->shape.landmarks()),
             static_cast<int>(pixels),
             nullptr,
             nullptr,
             nullptr,
             nullptr,
             nullptr,
             nullptr,
             nullptr,
             nullptr};
    std::vector<float> most(modes, INFINITY);
    for (std::size_t k = 0; settings.limit > 0 && k < modes; ++k)
      most[k] = static_cast<float>(settings.limit * std::sqrt(double{level.combined_variances[k]}));
    view_.Qs = upload(level.shape_combined.values);
    view_.Qg = upload(level.texture_combined.values);
    view_.R = upload(level.gradient.values);
    view_.s0 = upload(model_->shape.mean);
    view_.g0 = upload(level.mean);
    view_.most = upload(most);
    std::vector<ushort3> corners;
    std::vector<float3> weights;
    for (std::size_t i = 0; i < pixels; ++i) {
      const auto& corner = model_->triangles[level.pixel_triangles[i]];
      corners.push_back({corner[0], corner[1], corner[2]});
      weights.push_back({level.barycentric[3 * i], level.barycentric[3 * i + 1], level.barycentric[3 * i + 2]});
    }
    corners_.reserve(pixels);
    weights_.reserve(pixels);
    cuda::check(cudaMemcpy(corners_.data(), corners.data(), pixels * sizeof(ushort3), cudaMemcpyHostToDevice),
                "uploading");
    cuda::check(cudaMemcpy(weights_.data(), weights.data(), pixels * sizeof(float3), cudaMemcpyHostToDevice),
                "uploading");
    view_.corners = corners_.data();
    view_.weights = weights_.data();
    for (auto* buffer : {&g_, &gm_, &r_, &r_next_}) buffer->reserve(pixels);
    for (auto* buffer : {&p_, &next_, &dp_}) buffer->reserve(modes + 4);
    shape_.reserve(model_->shape.landmarks());
    sums_.reserve(4);
    error_.reserve(1);
    parameters_.reserve(modes + 4);
  }

  Fit fit(const Face& face) override {
    const auto start = std::chrono::steady_clock::now();
    check_face(face, true);
    const Similarity pose = start_pose(*model_, face.start);
    PaperImage image{face.image.data, static_cast<int>(face.image.width), static_cast<int>(face.image.height),
                     static_cast<int>(face.image.stride)};
    if (!face.on_device) {
      image_.reserve(face.image.width * face.image.height);
      cuda::check(cudaMemcpy2DAsync(image_.data(), face.image.width, face.image.data, face.image.stride,
                                    face.image.width, face.image.height, cudaMemcpyHostToDevice, stream_),
                  "uploading an image");
      image.data = image_.data(), image.stride = image.width;
    }
    begin_.record(stream_);
    estimate_parameters<<<blocks, block_threads, 0, stream_>>>(
        view_,
        {static_cast<float>(pose.a), static_cast<float>(pose.b), static_cast<float>(pose.tx),
         static_cast<float>(pose.ty)},
        p_.data());
    const std::size_t size = static_cast<std::size_t>(view_.modes + 4);
    cuda::check(cudaMemsetAsync(dp_.data(), 0, size * sizeof(float), stream_), "clearing");
    double E = error_at(image, 0);
    std::swap(p_, next_), std::swap(r_, r_next_);
    Fit result;
    while (result.iterations < static_cast<int>(stages_[0].iterations) && !result.converged) {
      find_step<<<blocks, block_threads, 0, stream_>>>(view_, r_.data(), dp_.data());
      double gain = -1;
      for (const float k : settings_.damping) {
        const double E_next = error_at(image, k);
        if (!(E_next < E)) continue;
        gain = E - E_next, E = E_next;
        std::swap(p_, next_), std::swap(r_, r_next_);
        break;
      }
      ++result.iterations;
      result.converged = settings_.threshold >= 0 && (gain < 0 || gain < settings_.threshold * (E + gain));
    }
    end_.record(stream_);
    cuda::check(cudaMemcpyAsync(parameters_.data(), p_.data(), size * sizeof(float), cudaMemcpyDeviceToHost, stream_),
                "downloading");
    stream_.wait();
    device_ms_ = cuda::elapsed_ms(begin_, end_);
    write_shape(result);
    result.error = E / view_.pixels;
    result.quality = 1 / (1 + result.error);
    result.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return result;
  }
  using Fitter::fit;

  std::vector<StageTime> times() const override { return {{"device", device_ms_}}; }

private:
  const float* upload(std::span<const float> values) {
    buffers_.emplace_back(values.size());
    cuda::check(cudaMemcpy(buffers_.back().data(), values.data(), values.size_bytes(), cudaMemcpyHostToDevice),
                "uploading a model");
    return buffers_.back().data();
  }

  // Algorithm 2 at p + k dp.
  double error_at(const PaperImage& image, float k) {
    const unsigned vertices = static_cast<unsigned>(view_.landmarks);
    const std::size_t shared = static_cast<std::size_t>(view_.modes) * sizeof(float);
    make_shape<<<1, vertices, shared, stream_>>>(view_, p_.data(), dp_.data(), k, next_.data(), shape_.data(),
                                                 sums_.data());
    sample_texture<<<blocks, block_threads, 0, stream_>>>(view_, image, shape_.data(), g_.data());
    sum_texture<<<blocks, block_threads, 0, stream_>>>(view_, g_.data(), sums_.data());
    subtract_mean<<<blocks, block_threads, 0, stream_>>>(view_, g_.data(), sums_.data());
    divide_by_norm<<<blocks, block_threads, 0, stream_>>>(view_, g_.data(), sums_.data());
    divide_by_alpha<<<blocks, block_threads, 0, stream_>>>(view_, g_.data(), sums_.data());
    make_model_texture<<<blocks, block_threads, 0, stream_>>>(view_, next_.data(), gm_.data());
    find_error<<<blocks, block_threads, 0, stream_>>>(view_, g_.data(), gm_.data(), r_next_.data(), sums_.data());
    cuda::check_launch("fitting by the paper's kernels");
    cuda::check(cudaMemcpyAsync(error_.data(), sums_.data() + 3, sizeof(float), cudaMemcpyDeviceToHost, stream_),
                "downloading");
    stream_.wait();
    return *error_.data();
  }

  void write_shape(Fit& fit) const {
    const Level& level = model_->levels[stages_[0].level];
    std::vector<double> shape(model_->shape.mean.begin(), model_->shape.mean.end());
    const float* c = parameters_.data();
    for (int k = 0; k < view_.modes; ++k)
      for (std::size_t i = 0; i < shape.size(); ++i)
        shape[i] += double{c[k]} * level.shape_combined.row(static_cast<std::size_t>(k))[i];
    fit.combined.assign(c, c + view_.modes);
    fit.pose = {c[view_.modes], c[view_.modes + 1], c[view_.modes + 2], c[view_.modes + 3]};
    const std::vector<double> landmarks = transformed<double>(fit.pose, shape);
    fit.landmarks.assign(landmarks.begin(), landmarks.end());
  }

  std::shared_ptr<const Model> model_;
  FitSettings settings_;
  std::vector<Stage> stages_;
  PaperModel view_{};
  cuda::Stream stream_;
  std::vector<cuda::Buffer<float>> buffers_;
  cuda::Buffer<ushort3> corners_;
  cuda::Buffer<float3> weights_;
  cuda::Buffer<unsigned char> image_;
  cuda::Buffer<float> g_, gm_, r_, r_next_, p_, next_, dp_, sums_;
  cuda::Buffer<float2> shape_;
  cuda::PinnedBuffer<float> error_, parameters_;
  cuda::Event begin_, end_;
  double device_ms_ = 0;
};

}  // namespace

std::unique_ptr<Fitter> make_paper_fitter(std::shared_ptr<const Model> model, const FitSettings& settings) {
  return std::make_unique<PaperFitter>(std::move(model), settings);
}

}  // namespace kinema::face
