// The cpu backend: SIMD, and threads over the pixels of one face or over the faces of a batch.
#include "core/stopwatch.h"
#include "core/threads.h"
#include "face/chain/fit_state.h"
#include "face/fitter/fitter_backends.h"
#include "face/stages/stages_cpu.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace kinema::face {
namespace {

class CpuFitter final : public Fitter {
public:
  CpuFitter(std::shared_ptr<const Model> model, const FitSettings& settings, int threads)
      : model_(std::move(model)), settings_(settings), threads_(threads, Threads::Between::awake) {
    for (const Stage& stage : stages_of(*model_, settings_))
      stages_.push_back(make_cpu_stage(*model_, stage, settings_, threads_));
  }

  std::vector<PlacedStage> stages() const override { return placed_on(Backend::cpu, stages_of(*model_, settings_)); }

  Fit fit(const Face& face) override {
    times_.assign(1 + stages_.size(), 0.0);
    return fit_one(face, &threads_, &times_);
  }

  void fit(std::span<const Face> faces, std::span<Fit> out) override {
    if (out.size() != faces.size())
      throw Error(fmt::format("room for {} fits, but {} faces", out.size(), faces.size()));
    if (faces.size() < 2 * static_cast<std::size_t>(threads_.count())) {
      for (std::size_t i = 0; i < faces.size(); ++i) out[i] = fit(faces[i]);
      return;
    }
    const Stopwatch watch;
    threads_.for_each(faces.size(), [&](std::size_t i) { out[i] = fit_one(faces[i], nullptr, nullptr); });
    batch_ms_ = watch.ms();
    times_.clear();
  }

  std::vector<StageTime> times() const override {
    if (times_.empty()) return {{"batch", batch_ms_}};
    std::vector<StageTime> times;
    for (std::size_t i = 0; i < stages_.size(); ++i) times.push_back({fmt::format("stage {}", i + 1), times_[i]});
    times.push_back({"score", times_.back()});
    return times;
  }

private:
  Fit fit_one(const Face& face, const Threads* threads, std::vector<double>* times) const {
    const Stopwatch watch;
    check_face(face, false);
    FitState state = initial_state(*model_, face.start, settings_.limit);
    Fit result;
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      const Stopwatch stage_watch;
      const StageOutcome outcome = stages_[i]->run(face.image, state, threads);
      result.iterations += outcome.iterations;
      result.error = outcome.error;
      result.converged = outcome.converged;
      if (!outcome.combined.empty()) result.combined.assign(outcome.combined.begin(), outcome.combined.end());
      if (times != nullptr) (*times)[i] = stage_watch.ms();
    }
    finish(*model_, state, result);
    const Stopwatch score_watch;
    if (settings_.score) score(*model_, face.image, result, threads);
    if (times != nullptr) times->back() = score_watch.ms();
    result.ms = watch.ms();
    return result;
  }

  std::shared_ptr<const Model> model_;
  FitSettings settings_;
  Threads threads_;
  std::vector<std::unique_ptr<CpuStage>> stages_;
  std::vector<double> times_;  // of each stage, then of the score
  double batch_ms_ = 0;
};

}  // namespace

std::unique_ptr<CpuStage> make_cpu_stage(const Model& model, const Stage& stage, const FitSettings& settings,
                                         const Threads& threads) {
  switch (stage.method) {
    case Method::cascade:
      return make_cascade_stage(model, stage, settings);
    case Method::combined:
      return make_combined_stage(model, stage, settings, threads);
    case Method::project_out:
    case Method::simultaneous:
      break;
  }
  return make_inverse_compositional_stage(model, stage, settings);
}

std::unique_ptr<Fitter> make_cpu_fitter(std::shared_ptr<const Model> model, const FitSettings& settings, int threads) {
  return std::make_unique<CpuFitter>(std::move(model), settings, threads);
}

}  // namespace kinema::face
