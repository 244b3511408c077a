// Section 4 of the paper: its kernels in two recorded sequences; a frame is a few launches of these. Its last step, R r, has the
// layout that was fastest for its shape. The picture of the next frame is copied meanwhile (section 5.1).
// Timed in parts, the sequences have events within them, and the host waits for each.
#include "bench/face/conditional_launch_cuda.cuh"
#include "bench/face/fitters.h"
#include "bench/face/paper_kernels_cuda.cuh"
#include "bench/face/product/matrix_vector_cuda.h"
#include "core/cuda/buffer.h"
#include "core/cuda/launch_sequence.h"
#include "core/stopwatch.h"
#include "face/chain/fit_state.h"
#include "face/fitter/fitter_backends.h"
#include "face/fitter/picture_ahead_cuda.cuh"
#include "face/model/similarity.h"
#include "kinema/error.h"

#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

namespace kinema::face {
namespace {

using paper::block_threads;
using paper::blocks;

class PaperFitter final : public Fitter {
public:
  PaperFitter(std::shared_ptr<const Model> model, const FitSettings& settings, bool in_parts)
      : model_(std::move(model)), settings_(settings), stages_(stages_of(*model_, settings)), in_parts_(in_parts) {
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
    cuda::upload(corners_.data(), corners.data(), pixels * sizeof(ushort3));
    cuda::upload(weights_.data(), weights.data(), pixels * sizeof(float3));
    view_.corners = corners_.data();
    view_.weights = weights_.data();
    const std::size_t size = modes + 4;
    for (auto* buffer : {&g_, &gm_}) buffer->reserve(pixels);
    r_.reserve(2 * pixels);
    p_.reserve(2 * size);
    Rr_.reserve(size);
    shape_.reserve(model_->shape.landmarks());
    state_.reserve(1);
    memory_ = {state_.data(), p_.data(), Rr_.data(), r_.data(), g_.data(), gm_.data(), shape_.data()};
    frame_.reserve(1);
    start_shape_.reserve(model_->shape.landmarks());
    shape_part_.reserve(modes);
    result_.reserve(1);
    parameters_.reserve(2 * size);
    const cuda::MatrixVectorOperands step{view_.R, r_.data(), Rr_.data(), &state_.data()->best};
    tune(step, static_cast<int>(size), static_cast<int>(pixels));
    for (std::size_t i = 0; i + 1 < settings_.damping.size(); ++i) inner_.push_back(std::make_unique<cuda::Stream>());
    start_.record(stream_, [&] {
      mark(0);
      paper::begin_frame<<<1, block_threads, 0, stream_>>>(view_, memory_, frame_.data(), start_shape_.data());
      find_texture(stream_);
      paper::estimate_parameters<<<view_.modes + 1, block_threads, 0, stream_>>>(view_, memory_, shape_part_.data());
      mark(1);
      try_factor(stream_, 0, -1, {});
      mark(2);
    });
    iteration_.record(stream_, [&] {
      mark(0);
      find_step_->launch(step, stream_);
      mark(1);
      try_factors(0, stream_);
      mark(2);
    });
  }

  void expect(const Face& next) override { ahead_.expect(next); }

  Fit fit(const Face& face) override {
    const Stopwatch watch;
    check_face(face, true);
    const FitState start = start_of(face.start);
    const Similarity& pose = start.pose;
    paper::Frame& frame = *frame_.data();
    frame = {face.image.data,
             static_cast<int>(face.image.width),
             static_cast<int>(face.image.height),
             static_cast<int>(face.image.stride),
             {static_cast<float>(pose.a), static_cast<float>(pose.b), static_cast<float>(pose.tx),
              static_cast<float>(pose.ty)},
             !start.mean};
    if (const auto copied = face.on_device ? std::nullopt : ahead_.take(face.image, stream_)) {
      frame.data = copied->data, frame.stride = frame.width;
    } else if (!face.on_device) {
      image_.reserve(face.image.width * face.image.height);
      cuda::check(cudaMemcpy2DAsync(image_.data(), face.image.width, face.image.data, face.image.stride,
                                    face.image.width, face.image.height, cudaMemcpyHostToDevice, stream_),
                  "uploading an image");
      frame.data = image_.data(), frame.stride = frame.width;
    }
    begin_.record(stream_);
    parts_ = {};
    start_.launch(stream_);
    add_parts(parts_.estimate_ms);
    for (std::uint32_t i = 0; i < stages_[0].iterations; ++i) {
      iteration_.launch(stream_);
      add_parts(parts_.step_ms);
    }
    end_.record(stream_);
    const std::size_t size = 2 * static_cast<std::size_t>(view_.modes + 4) * sizeof(float);
    cuda::check(cudaMemcpyAsync(parameters_.data(), p_.data(), size, cudaMemcpyDeviceToHost, stream_), "downloading");
    cuda::check(cudaMemcpyAsync(result_.data(), state_.data(), sizeof(paper::State), cudaMemcpyDeviceToHost, stream_),
                "downloading");
    ahead_.copy();
    stream_.wait();
    device_ms_ = cuda::elapsed_ms(begin_, end_);
    const paper::State& state = *result_.data();
    Fit result;
    result.iterations = state.iterations;
    result.converged = state.converged != 0;
    write_shape(parameters_.data() + state.best * (view_.modes + 4), result);
    result.error = double{state.E} / view_.pixels;
    result.quality = 1 / (1 + result.error);
    result.ms = watch.ms();
    return result;
  }
  using Fitter::fit;

  std::vector<PlacedStage> stages() const override { return placed_on(Backend::cuda, stages_); }

  std::vector<StageTime> times() const override {
    if (!in_parts_) return {{"device", device_ms_}};
    return {{"estimate p", parts_.estimate_ms}, {"E", parts_.error_ms}, {"delta p", parts_.step_ms}};
  }

private:
  const float* upload(std::span<const float> values) {
    buffers_.emplace_back(values.size());
    cuda::upload(buffers_.back().data(), values.data(), values.size_bytes());
    return buffers_.back().data();
  }

  // The layout of R r by measurement, as the paper's reference 29 has it; the values of r do not matter for it.
  void tune(const cuda::MatrixVectorOperands& step, int rows, int columns) {
    cuda::clear(r_.data(), r_.bytes());
    cuda::clear(state_.data(), state_.bytes());
    find_step_.emplace(rows, columns, cuda::tuned_layout(rows, columns, step, LayoutFile::of_user()));
  }

  // The shape that the frame before ended with, and its part of c; or the mean shape.
  FitState start_of(const Start& start) {
    FitState state = initial_state(*model_, start, settings_.limit);
    if (state.mean) return state;
    straighten(*model_, state);
    const Level& level = model_->levels[stages_[0].level];
    const std::vector<float> at = placed(state.pose, state.shape);
    for (std::size_t i = 0; i < at.size() / 2; ++i) start_shape_.data()[i] = {at[2 * i], at[2 * i + 1]};
    for (std::size_t k = 0; k < level.shape_combined.rows; ++k) {
      const auto mode = level.shape_combined.row(k);
      double sum = 0;
      for (std::size_t i = 0; i < mode.size(); ++i) sum += mode[i] * (state.shape[i] - double{model_->shape.mean[i]});
      shape_part_.data()[k] = static_cast<float>(sum * level.shape_weight * level.shape_weight);
    }
    return state;
  }

  // The factors from number i on: those after the first that lowers E are not launched.
  void try_factors(std::size_t i, cudaStream_t stream) {
    const std::vector<float>& factors = settings_.damping;
    if (i + 1 >= factors.size()) {
      if (i < factors.size()) try_factor(stream, factors[i], static_cast<int>(i), {});
      return;
    }
    cuda::record_conditional(
        stream, *inner_[i],
        [&](cudaGraphConditionalHandle next) {
          try_factor(stream, factors[i], static_cast<int>(i), {next, true});
        },
        [&](cudaStream_t inner) { try_factors(i + 1, inner); });
  }

  // Algorithms 4 and 5.
  void find_texture(cudaStream_t stream) {
    paper::sample_texture<<<blocks, block_threads, 0, stream>>>(view_, memory_);
    paper::sum_texture<<<blocks, block_threads, 0, stream>>>(view_, memory_);
    paper::subtract_mean<<<blocks, block_threads, 0, stream>>>(view_, memory_);
    paper::divide_by_norm<<<blocks, block_threads, 0, stream>>>(view_, memory_);
    paper::divide_by_alpha<<<blocks, block_threads, 0, stream>>>(view_, memory_);
  }

  // Algorithm 2 at p + k dp, and the decision from E.
  void try_factor(cudaStream_t stream, float k, int which, paper::NextTrial next) {
    const auto vertices = static_cast<unsigned>(view_.landmarks);
    const std::size_t shared = static_cast<std::size_t>(view_.modes) * sizeof(float);
    paper::make_shape<<<1, vertices, shared, stream>>>(view_, memory_, k, which <= 0);
    find_texture(stream);
    paper::make_model_texture<<<blocks, block_threads, shared, stream>>>(view_, memory_);
    paper::find_error<<<blocks, block_threads, 0, stream>>>(view_, memory_, which,
                                                            static_cast<int>(settings_.damping.size()),
                                                            static_cast<float>(settings_.threshold), next);
  }

  // Within a sequence that is recorded: before its first kernel, after it, and at the end.
  void mark(std::size_t which) {
    if (in_parts_)
      cuda::check(cudaEventRecordWithFlags(marks_[which], stream_, cudaEventRecordExternal), "recording an event");
  }
  void add_parts(double& first) {
    if (!in_parts_) return;
    stream_.wait();
    first += cuda::elapsed_ms(marks_[0], marks_[1]);
    parts_.error_ms += cuda::elapsed_ms(marks_[1], marks_[2]);
  }

  void write_shape(const float* c, Fit& fit) const {
    const Level& level = model_->levels[stages_[0].level];
    std::vector<double> shape(model_->shape.mean.begin(), model_->shape.mean.end());
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
  paper::Model view_{};
  paper::Memory memory_{};
  cuda::Stream stream_;
  std::vector<std::unique_ptr<cuda::Stream>> inner_;  // of recordings within recordings
  PictureAhead ahead_;
  std::vector<cuda::Buffer<float>> buffers_;
  cuda::Buffer<ushort3> corners_;
  cuda::Buffer<float3> weights_;
  cuda::Buffer<unsigned char> image_;
  cuda::Buffer<float> g_, gm_, r_, p_, Rr_;
  cuda::Buffer<float2> shape_;
  cuda::Buffer<paper::State> state_;
  cuda::PinnedBuffer<paper::Frame> frame_;
  cuda::PinnedBuffer<paper::State> result_;
  cuda::PinnedBuffer<float> parameters_, shape_part_;
  cuda::PinnedBuffer<float2> start_shape_;
  std::optional<cuda::MatrixVector> find_step_;
  cuda::LaunchSequence start_, iteration_;
  cuda::Event begin_, end_;
  std::array<cuda::Event, 3> marks_;
  double device_ms_ = 0;
  bool in_parts_;
  struct {
    double estimate_ms = 0, error_ms = 0, step_ms = 0;
  } parts_;  // of the last fit
};

}  // namespace

std::unique_ptr<Fitter> make_paper_fitter(std::shared_ptr<const Model> model, const FitSettings& settings,
                                          bool in_parts) {
  return std::make_unique<PaperFitter>(std::move(model), settings, in_parts);
}

}  // namespace kinema::face
