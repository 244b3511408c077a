// The cuda backend. Successive cascades, project-out and simultaneous stages are one chain on the device, with the score if
// they are the last; a combined stage is one launch for all faces, after which the score is a chain of its own. A cascade from
// several starts is one batch of all of them. What no kernel can run is run on the CPU.
#include "core/cuda/block_launch.cuh"
#include "core/cuda/buffer.h"
#include "core/stopwatch.h"
#include "core/threads.h"
#include "face/chain/fit_chain_cuda.cuh"
#include "face/chain/fit_state.h"
#include "face/combined/combined_cuda.cuh"
#include "face/fitter/fitter_backends.h"
#include "face/fitter/picture_ahead_cuda.cuh"
#include "face/model/similarity.h"
#include "face/model/texture.h"
#include "face/stages/stages_cpu.h"
#include "kinema/error.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace kinema::face {
namespace {

// Images of a batch, each on the side where it is needed; an image shared by several faces is copied once.
class Images {
public:
  void begin() {
    used_ = 0;
    device_.clear();
    host_.clear();
  }

  GreyView on_device(const Face& face, cudaStream_t stream) {
    const GreyView& image = face.image;
    const bool narrow = image.width < 2 || image.height < 2;
    if (face.on_device && !narrow) return image;
    auto [known, fresh] = device_.try_emplace(image.data, 0);
    // the kernel reads pixels in pairs: a single row or column is duplicated
    const std::size_t width = std::max<std::size_t>(2, image.width), height = std::max<std::size_t>(2, image.height);
    if (fresh) {
      known->second = used_++;
      if (buffers_.size() < used_) buffers_.emplace_back();
      buffers_[known->second].reserve(width * height);
      for (std::size_t v = 0; v < height; v += image.height)
        for (std::size_t u = 0; u < width; u += image.width)
          cuda::check(cudaMemcpy2DAsync(buffers_[known->second].data() + v * width + u, width, image.data, image.stride,
                                        image.width, image.height, cudaMemcpyDefault, stream),
                      "uploading an image");
    }
    return {buffers_[known->second].data(), width, height, width};
  }

  GreyView on_host(const Face& face) {
    if (!face.on_device) return face.image;
    const GreyView& image = face.image;
    auto [known, fresh] = host_.try_emplace(image.data);
    if (fresh) {
      known->second.resize(image.width * image.height);
      cuda::check(cudaMemcpy2D(known->second.data(), image.width, image.data, image.stride, image.width, image.height,
                               cudaMemcpyDeviceToHost),
                  "downloading an image");
    }
    return {known->second.data(), image.width, image.height, image.width};
  }

private:
  std::size_t used_ = 0;
  std::vector<cuda::Buffer<std::uint8_t>> buffers_;
  std::map<const std::uint8_t*, std::size_t> device_;
  std::map<const std::uint8_t*, std::vector<std::uint8_t>> host_;
};

// Successive stages that run in one place.
struct CudaStage {
  std::vector<Stage> stages;
  std::unique_ptr<FitChainCuda> chain;   // all of them (none: the score alone), or
  std::unique_ptr<CombinedCuda> device;  // one, or
  std::unique_ptr<CpuStage> host;        // one
  bool spread = false;                   // a cascade from several starts

  bool on_device() const { return chain || device; }

  // Whether it leaves finished fits: a spread one leaves states.
  bool finishes() const { return chain && !spread; }
};

class CudaFitter final : public Fitter {
public:
  CudaFitter(std::shared_ptr<const Model> model, const FitSettings& settings, int threads)
      : model_(std::move(model)), settings_(settings), threads_(threads) {
    const std::vector<Stage> stages = stages_of(*model_, settings_);
    const std::size_t block_bytes = cuda::most_block_bytes();
    const bool scores = settings_.score && PackedTables::fits_score(*model_);
    const auto spreads = [&](std::size_t i) { return settings_.starts > 1 && stages[i].method == Method::cascade; };
    for (std::size_t i = 0; i < stages.size();) {
      CudaStage one;
      one.spread = spreads(i);
      while (i < stages.size() && PackedTables::fits(*model_, stages[i], block_bytes) &&
             (one.spread ? one.stages.empty() : !spreads(i)))
        one.stages.push_back(stages[i++]);
      if (!one.stages.empty()) {
        const bool score = scores && i == stages.size() && !one.spread;
        one.chain = std::make_unique<FitChainCuda>(*model_, one.stages, settings_, score);
      } else {
        one.spread = false;  // the CPU's cascade spreads the starts itself
        one.stages = {stages[i]};
        if (stages[i].method == Method::combined && CombinedCuda::fits(*model_, stages[i], settings_))
          one.device = std::make_unique<CombinedCuda>(*model_, stages[i], settings_);
        else
          one.host = make_cpu_stage(*model_, stages[i], settings_, threads_);
        ++i;
      }
      stages_.push_back(std::move(one));
    }
    if (!scores || stages_.back().finishes()) return;
    stages_.emplace_back();
    stages_.back().chain = std::make_unique<FitChainCuda>(*model_, std::span<const Stage>{}, settings_, true);
  }

  std::vector<PlacedStage> stages() const override {
    std::vector<PlacedStage> placed;
    for (const CudaStage& one : stages_)
      for (const Stage& stage : one.stages) placed.push_back({stage, one.on_device() ? Backend::cuda : Backend::cpu});
    return placed;
  }

  bool takes_colour() const override {
    return stages_.size() == 1 && stages_.front().chain && (!scores_on_host() || model_->quality.weights.empty());
  }

  void expect(const Face& next) override {
    // where several stages read the picture, each copies it
    if (takes_colour()) stages_.front().chain->expect(next);
    if (stages_.size() == 1 && stages_.front().device) ahead_.expect(next);
  }

  Fit fit(const Face& face) override {
    Fit result;
    fit({&face, 1}, {&result, 1});
    return result;
  }

  void fit(std::span<const Face> faces, std::span<Fit> out) override {
    if (out.size() != faces.size())
      throw Error("room for " + std::to_string(out.size()) + " fits, but " + std::to_string(faces.size()) + " faces");
    const Stopwatch watch;
    images_.begin();
    for (const Face& face : faces) check_face(face, true, takes_colour());
    std::vector<FitState> states(faces.size());
    for_each(faces.size(), [&](std::size_t f) { states[f] = initial_state(*model_, faces[f].start, settings_.limit); });
    device_ms_ = 0;
    std::fill(out.begin(), out.end(), Fit{});
    for (CudaStage& stage : stages_) {
      if (stage.chain) {
        if (stage.spread)
          run_spread(*stage.chain, faces, states, out);
        else if (stage.stages.empty())
          run_score(*stage.chain, faces, states, out);
        else
          stage.chain->run(faces, states, out);
        device_ms_ += stage.chain->device_ms();
        continue;
      }
      const std::vector<StageOutcome> outcomes =
          stage.device ? run_on_device(stage, faces, states) : run_on_host(*stage.host, faces, states);
      for (std::size_t f = 0; f < faces.size(); ++f) {
        out[f].iterations += outcomes[f].iterations;
        out[f].error = outcomes[f].error;
        out[f].converged = outcomes[f].converged;
        if (!outcomes[f].combined.empty())
          out[f].combined.assign(outcomes[f].combined.begin(), outcomes[f].combined.end());
      }
    }
    finish_on_host(faces, states, out);
    wall_ms_ = watch.ms();
    for (Fit& fit : out) fit.ms = wall_ms_ / static_cast<double>(faces.size());
  }

  std::vector<StageTime> times() const override { return {{"device", device_ms_}, {"wall", wall_ms_}}; }

private:
  // A cascade from every start of every face, and the median of where those of a face end.
  void run_spread(FitChainCuda& chain, std::span<const Face> faces, std::vector<FitState>& states, std::span<Fit> out) {
    const auto starts = static_cast<std::size_t>(settings_.starts);
    std::vector<Face> each;
    std::vector<FitState> ends;
    for (std::size_t f = 0; f < faces.size(); ++f)
      for (int number = 0; number < settings_.starts; ++number) {
        each.push_back(faces[f]);
        ends.push_back(states[f]);
        ends.back().pose = spread_start(*model_, states[f].pose, number);
      }
    std::vector<Fit> fits(each.size());
    chain.run(each, ends, fits);
    for_each(faces.size(), [&](std::size_t f) {
      states[f] = median_state(*model_, std::span(ends).subspan(f * starts, starts));
      out[f].iterations += fits[f * starts].iterations;
      out[f].error = 0, out[f].converged = true;
    });
  }

  // Of pictures that earlier stages have left on the device.
  void run_score(FitChainCuda& chain, std::span<const Face> faces, std::vector<FitState>& states, std::span<Fit> out) {
    std::vector<Face> there;
    for (const Face& face : faces) there.push_back({images_.on_device(face, stream_), {}, true});
    stream_.wait();
    chain.run(there, states, out);
  }

  bool scores_on_host() const {
    const CudaStage& last = stages_.back();
    return settings_.score && !(last.finishes() && last.chain->scores());
  }

  // What the last stage left to do.
  void finish_on_host(std::span<const Face> faces, const std::vector<FitState>& states, std::span<Fit> out) {
    const CudaStage& last = stages_.back();
    const bool scores = scores_on_host();
    if (last.finishes() && !scores) return;
    std::vector<GreyView> views(faces.size());
    for (std::size_t f = 0; scores && !model_->quality.weights.empty() && f < faces.size(); ++f)
      views[f] = images_.on_host(faces[f]);
    for_each(faces.size(), [&](std::size_t f) {
      if (!last.finishes()) finish(*model_, states[f], out[f]);
      if (scores) score(*model_, views[f], out[f]);
    });
  }

  void for_each(std::size_t count, const std::function<void(std::size_t)>& work) const {
    if (count > 1)
      threads_.for_each(count, work);
    else if (count == 1)
      work(0);
  }

  std::vector<StageOutcome> run_on_host(const CpuStage& stage, std::span<const Face> faces,
                                        std::vector<FitState>& states) {
    std::vector<GreyView> views;
    for (const Face& face : faces) views.push_back(images_.on_host(face));
    std::vector<StageOutcome> outcomes(faces.size());
    if (faces.size() == 1)
      outcomes[0] = stage.run(views[0], states[0], &threads_);
    else
      for_each(faces.size(), [&](std::size_t f) { outcomes[f] = stage.run(views[f], states[f], nullptr); });
    return outcomes;
  }

  std::vector<StageOutcome> run_on_device(CudaStage& stage, std::span<const Face> faces,
                                          std::vector<FitState>& states) {
    const Level& level = model_->levels[stage.stages.front().level];
    std::vector<CombinedCuda::Input> in(faces.size());
    std::vector<Similarity> from_source(faces.size());  // the source to the model's unit under the state's pose
    for_each(faces.size(), [&](std::size_t f) {
      if (!states[f].mean) straighten(*model_, states[f]);
    });
    std::vector<GreyView> views(level.resampled ? 0 : faces.size());
    for (std::size_t f = 0; f < views.size(); ++f) {
      const GreyView& image = faces[f].image;
      const bool narrow = image.width < 2 || image.height < 2;
      const auto copied = faces[f].on_device || narrow ? std::nullopt : ahead_.take(image, stream_);
      views[f] = copied ? *copied : images_.on_device(faces[f], stream_);
    }
    if (level.resampled) make_frames(level, faces, states);
    for_each(faces.size(), [&](std::size_t f) {
      const FitState& state = states[f];
      CombinedTask& task = in[f].task;
      Similarity to_source = level.resampled ? frame_pose(level.frame) : state.pose;
      const auto nearest = [](double x) { return static_cast<std::ptrdiff_t>(std::clamp(std::round(x), -1e6, 1e6)); };
      const std::ptrdiff_t x = nearest(to_source.tx), y = nearest(to_source.ty);
      to_source.tx -= static_cast<double>(x), to_source.ty -= static_cast<double>(y);
      const auto place = [&](const auto* pixels, std::size_t width, std::size_t height, std::size_t stride,
                             std::size_t channels) {
        task.origin = reinterpret_cast<const void*>(reinterpret_cast<std::intptr_t>(pixels) +
                                                    (y * static_cast<std::ptrdiff_t>(stride) + x) *
                                                        static_cast<std::ptrdiff_t>(channels * sizeof(*pixels)));
        task.left = static_cast<float>(-x), task.top = static_cast<float>(-y);
        task.right = std::nextafter(static_cast<float>(static_cast<std::ptrdiff_t>(width) - 1 - x), task.left);
        task.bottom = std::nextafter(static_cast<float>(static_cast<std::ptrdiff_t>(height) - 1 - y), task.top);
        task.stride = static_cast<int>(stride);
      };
      if (level.resampled) {
        const std::size_t size = level.frame.width * level.frame.height * level.channel_count();
        place(frames_.data() + f * size, level.frame.width, level.frame.height, level.frame.width,
              level.channel_count());
      } else {
        place(views[f].data, views[f].width, views[f].height, views[f].stride, 1);
      }
      task.centred = level.photometric;
      from_source[f] = inverse(to_source);
      task.pose[0] = to_source.a, task.pose[1] = to_source.b, task.pose[2] = to_source.tx, task.pose[3] = to_source.ty;
      if (!state.mean) in[f].shape = state.shape;
    });
    std::vector<CombinedCuda::Output> out;
    device_ms_ += stage.device->run(in, out, stream_, [this] { ahead_.copy(); });
    std::vector<StageOutcome> outcomes(faces.size());
    for_each(faces.size(), [&](std::size_t f) {
      // s0 + Qs c, mapped to the source, and from there to the unit under the initial pose of the stage; in float, as c
      // is
      const std::size_t size = model_->shape.mean.size();
      std::vector<float> by_c(size, 0.0f);
      for (std::size_t k = 0; k < out[f].c.size(); ++k) {
        const float c = out[f].c[k], *mode = level.shape_combined.row(k).data();
        for (std::size_t i = 0; i < size; ++i) by_c[i] += c * mode[i];
      }
      std::vector<double> shape(size);
      for (std::size_t i = 0; i < size; ++i) shape[i] = double{model_->shape.mean[i]} + double{by_c[i]};
      states[f].shape = transformed<double>(compose(from_source[f], out[f].pose), shape);
      states[f].mean = false;
      outcomes[f].error = out[f].error;
      outcomes[f].iterations = out[f].iterations;
      outcomes[f].converged = out[f].converged;
      outcomes[f].combined.assign(out[f].c.begin(), out[f].c.end());
    });
    return outcomes;
  }

  void make_frames(const Level& level, std::span<const Face> faces, const std::vector<FitState>& states) {
    const std::size_t size = level.frame.width * level.frame.height * level.channel_count();
    frames_.reserve(faces.size() * size);
    frames_host_.reserve(faces.size() * size);
    std::vector<GreyView> views;
    for (const Face& face : faces) views.push_back(images_.on_host(face));
    for_each(faces.size(), [&](std::size_t f) {
      const TextureSource source = texture_source(level, views[f], states[f].pose);
      std::copy(source.channels.values.begin(), source.channels.values.end(), frames_host_.data() + f * size);
    });
    cuda::check(cudaMemcpyAsync(frames_.data(), frames_host_.data(), faces.size() * size * sizeof(float),
                                cudaMemcpyHostToDevice, stream_),
                "uploading frames");
  }

  std::shared_ptr<const Model> model_;
  FitSettings settings_;
  Threads threads_;
  std::vector<CudaStage> stages_;
  cuda::Stream stream_;
  Images images_;
  PictureAhead ahead_;  // of the combined stage
  cuda::Buffer<float> frames_;
  cuda::PinnedBuffer<float> frames_host_;
  double device_ms_ = 0, wall_ms_ = 0;
};

}  // namespace

std::unique_ptr<Fitter> make_cuda_fitter(std::shared_ptr<const Model> model, const FitSettings& settings, int threads) {
  return std::make_unique<CudaFitter>(std::move(model), settings, threads);
}

}  // namespace kinema::face
