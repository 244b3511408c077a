// The stages of a fit on the CPU. Each holds what it needs of the model, prepared once, and can be run concurrently for
// different faces.
#pragma once

#include "core/threads.h"
#include "face/chain/fit_state.h"
#include "kinema/face.h"

#include <memory>

namespace kinema::face {

class CpuStage {
public:
  virtual ~CpuStage() = default;

  /// `threads`: to divide the work of this face among; null: the caller only.
  virtual StageOutcome run(const GreyView& image, FitState& state, const Threads* threads) const = 0;
};

std::unique_ptr<CpuStage> make_combined_stage(const Model& model, const Stage& stage, const FitSettings& settings,
                                              const Threads& threads);
std::unique_ptr<CpuStage> make_inverse_compositional_stage(const Model& model, const Stage& stage,
                                                           const FitSettings& settings);
std::unique_ptr<CpuStage> make_cascade_stage(const Model& model, const Stage& stage, const FitSettings& settings);

/// By the stage's method.
std::unique_ptr<CpuStage> make_cpu_stage(const Model& model, const Stage& stage, const FitSettings& settings,
                                         const Threads& threads);

}  // namespace kinema::face
