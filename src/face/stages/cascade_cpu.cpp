// The cascade on the CPU: features of a frame, then one short product per regression.
#include "face/chain/fit_state.h"
#include "face/chain/ordered_product.h"
#include "face/model/orientation_bins.h"
#include "face/model/shape.h"
#include "face/stages/stages_cpu.h"

#include <algorithm>

namespace kinema::face {
namespace {

class CascadeRun final : public CpuStage {
public:
  CascadeRun(const Model& model, const Stage& stage, const FitSettings& settings)
      : model_(model),
        count_(stage.iterations == 0 ? model.cascade.stages.size()
                                     : std::min<std::size_t>(stage.iterations, model.cascade.stages.size())),
        starts_(settings.starts) {}

  StageOutcome run(const GreyView& image, FitState& state, const Threads* threads) const override {
    StageOutcome outcome;
    outcome.converged = true;
    outcome.iterations = static_cast<int>(count_);
    if (starts_ == 1) {
      descend(image, state, threads);
      return outcome;
    }
    std::vector<FitState> ends(static_cast<std::size_t>(starts_), state);
    const std::function<void(std::size_t)> one = [&](std::size_t number) {
      ends[number].pose = spread_start(model_, state.pose, static_cast<int>(number));
      descend(image, ends[number], nullptr);
    };
    if (threads != nullptr)
      threads->for_each(ends.size(), one);
    else
      for (std::size_t number = 0; number < ends.size(); ++number) one(number);
    state = median_state(model_, ends);
    return outcome;
  }

private:
  void descend(const GreyView& image, FitState& state, const Threads* threads) const {
    const Cascade& cascade = model_.cascade;
    Channels grey;
    OrientationBins bins;
    std::vector<float> texture, dq;
    for (std::size_t k = 0; k < count_; ++k) {
      const CascadeStage& step = cascade.stages[k];
      const Frame& frame = cascade.frames[step.frame];
      if (k == 0 || step.frame != cascade.stages[k - 1].frame) {
        straighten(model_, state);
        resample(image, state.pose, frame, grey, threads);
        orientation_bins(grey, cascade.bins, bins, threads);
      }
      texture.resize(step.gradient.columns);
      const std::vector<float> shape(state.shape.begin(), state.shape.end());
      landmark_texture(bins, frame, step.offsets, shape, texture, threads);
      dq.resize(step.gradient.rows);
      ordered_product(step.gradient, texture, dq, threads);
      for (std::size_t r = 0; r < dq.size(); ++r) {
        const double by = double{step.constant[r] + dq[r]};
        const auto mode = mode_of(model_, r);
        for (std::size_t i = 0; i < mode.size(); ++i) state.shape[i] += by * mode[i];
      }
    }
    state.mean = false;
  }

  const Model& model_;
  std::size_t count_;
  int starts_;
};

}  // namespace

std::unique_ptr<CpuStage> make_cascade_stage(const Model& model, const Stage& stage, const FitSettings& settings) {
  return std::make_unique<CascadeRun>(model, stage, settings);
}

}  // namespace kinema::face
