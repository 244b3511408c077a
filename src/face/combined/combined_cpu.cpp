// Algorithm 1 on the CPU.
#include "face/combined/combined_fit.h"
#include "face/model/similarity.h"
#include "face/stages/stages_cpu.h"
#include "face/stages/texture_stack_cpu.h"

#include <utility>

namespace kinema::face {
namespace {

class CombinedStage final : public CpuStage {
public:
  CombinedStage(const Model& model, const Stage& stage, const FitSettings& settings, const Threads& threads)
      : model_(model),
        level_(model.levels[stage.level]),
        iterations_(static_cast<int>(stage.iterations)),
        settings_(settings),
        stack_(model, level_, std::vector<const Matrix*>{&level_.gradient, &level_.texture_combined}),
        of_(combined_products(level_, settings.limit)) {
    of_.stack = stack_.products();
    of_.by_modes = stack_.times(level_.texture_combined, threads);
  }

  StageOutcome run(const GreyView& image, FitState& state, const Threads* threads) const override {
    if (!state.mean) straighten(model_, state);
    const auto [from, to_source] = texture_image(level_, image, state, threads);

    // line 3: c = 0 at a mean shape; otherwise c of the current shape, and of the texture there
    CombinedParameters p{Eigen::VectorXd::Zero(of_.modes), {}};
    std::vector<std::vector<float>> shapes = {placed(to_source, state.shape)};
    std::vector<NormalisedSums> textures = stack_.sample(from, shapes, threads);
    if (!state.mean) {
      p.c = combined_of(of_, level_, model_, state.shape, textures[0]);
      shapes[0] = placed(to_source, combined_shape(of_, model_, p));
      textures = stack_.sample(from, shapes, threads);
    }
    CombinedStep step = combined_step(of_, textures[0], p.c);

    StageOutcome outcome;
    const std::size_t factors = settings_.damping.size();
    // the first factor usually suffices; if it does not, the others are evaluated in the same pass
    std::size_t together = 1;
    while (outcome.iterations < iterations_ && !outcome.converged) {
      bool improved = false;
      double gain = 0;
      for (std::size_t first = 0; first < factors && !improved; first += together) {
        if (first > 0) together = factors - first;
        std::vector<CombinedParameters> tried;
        shapes.clear();
        for (std::size_t k = first; k < std::min(factors, first + together); ++k) {
          tried.push_back(displaced(of_, p, step.dp, settings_.damping[k]));
          shapes.push_back(placed(to_source, combined_shape(of_, model_, tried.back())));
        }
        textures = stack_.sample(from, shapes, threads);
        for (std::size_t i = 0; i < tried.size() && !improved; ++i) {
          CombinedStep next = combined_step(of_, textures[i], tried[i].c);
          if (!(next.error < step.error)) continue;
          gain = step.error - next.error;
          p = std::move(tried[i]), step = std::move(next);
          improved = true;
          together = first + i == 0 ? 1 : factors;
        }
      }
      if (!improved) together = factors;
      ++outcome.iterations;
      // the loop ends if the improvement is small, or there is none
      if (settings_.threshold >= 0 && (!improved || gain < settings_.threshold * (step.error + gain)))
        outcome.converged = true;
    }
    state.shape = combined_shape(of_, model_, p);
    state.mean = false;
    outcome.error = step.error / of_.stack.values;
    outcome.combined.assign(p.c.data(), p.c.data() + p.c.size());
    return outcome;
  }

private:
  const Model& model_;
  const Level& level_;
  int iterations_;
  FitSettings settings_;
  TextureStack stack_;
  CombinedProducts of_;
};

}  // namespace

std::unique_ptr<CpuStage> make_combined_stage(const Model& model, const Stage& stage, const FitSettings& settings,
                                              const Threads& threads) {
  return std::make_unique<CombinedStage>(model, stage, settings, threads);
}

}  // namespace kinema::face
