// Algorithm 1 on the CPU, without forming the model's texture or the residual: only products of either with [R; Qg; g0; 1] are
// needed.
#include "face/model/linear.h"
#include "face/model/similarity.h"
#include "face/stages/stages_cpu.h"
#include "face/stages/texture_stack_cpu.h"

#include <cmath>
#include <limits>
#include <utility>

namespace kinema::face {
namespace {

// Image-independent products of a level's combined model.
struct CombinedProducts {
  Eigen::Index modes = 0;
  StackProducts stack;       // of [R; Qg]
  Eigen::MatrixXd by_modes;  // [R; Qg] Qg^T
  Eigen::MatrixXd Qs;        // modes x 2 n
  Eigen::VectorXd most;      // bound of c; infinite: none
};

// p: appearance, and the pose as a displacement in the model's frame.
struct CombinedParameters {
  Eigen::VectorXd c;
  Similarity t;
};

// -R r and E = r.r at some p.
struct CombinedStep {
  Eigen::VectorXd dp;
  double error = 0;
};

Eigen::VectorXd limited(const CombinedProducts& of, const Eigen::VectorXd& c) {
  return c.cwiseMin(of.most).cwiseMax(-of.most);
}

// The parts that need no long products.
CombinedProducts combined_products(const Level& level, double limit) {
  CombinedProducts of;
  of.modes = static_cast<Eigen::Index>(level.shape_combined.rows);
  of.Qs = rows_of(level.shape_combined).cast<double>();
  of.most = Eigen::VectorXd::Constant(of.modes, std::numeric_limits<double>::infinity());
  for (Eigen::Index k = 0; limit > 0 && k < of.modes; ++k)
    of.most[k] = limit * std::sqrt(double{level.combined_variances[static_cast<std::size_t>(k)]});
  return of;
}

// r = g - g0 - Qg^T c, so R r = R g - R g0 - R Qg^T c, and r.r likewise.
CombinedStep combined_step(const CombinedProducts& of, const NormalisedSums& texture, const Eigen::VectorXd& c) {
  const Eigen::Index m = of.modes;
  const Eigen::VectorXd by_c = of.by_modes * c;
  CombinedStep step;
  step.dp = of.stack.by_mean.head(m + 4) + by_c.head(m + 4) - texture.products.head(m + 4);
  const double along = texture.by_mean + c.dot(texture.products.tail(m));
  const double model =
      of.stack.by_mean[of.stack.rows] + 2 * c.dot(of.stack.by_mean.segment(m + 4, m)) + c.dot(by_c.tail(m));
  step.error = texture.square - 2 * along + model;
  return step;
}

// p displaced by k dp.
CombinedParameters displaced(const CombinedProducts& of, const CombinedParameters& p, const Eigen::VectorXd& dp,
                             double k) {
  const Eigen::Vector4d dt = k * dp.tail(4);
  return {limited(of, p.c + k * dp.head(of.modes)), compose(p.t, {1 + dt[0], dt[1], dt[2], dt[3]})};
}

// c of a shape other than the mean, and of the texture there.
Eigen::VectorXd combined_of(const CombinedProducts& of, const Level& level, const Model& model,
                            std::span<const double> shape, const NormalisedSums& texture) {
  Eigen::VectorXd away(static_cast<Eigen::Index>(shape.size()));
  for (std::size_t i = 0; i < shape.size(); ++i)
    away[static_cast<Eigen::Index>(i)] = shape[i] - double{model.shape.mean[i]};
  const double weight = double{level.shape_weight} * level.shape_weight;
  return limited(
      of, weight * (of.Qs * away) + texture.products.tail(of.modes) - of.stack.by_mean.segment(of.modes + 4, of.modes));
}

// s = s0 + Qs c under t, in the model's unit.
std::vector<double> combined_shape(const CombinedProducts& of, const Model& model, const CombinedParameters& p) {
  std::vector<double> s(model.shape.mean.begin(), model.shape.mean.end());
  Eigen::Map<Eigen::VectorXd>(s.data(), static_cast<Eigen::Index>(s.size())) += of.Qs.transpose() * p.c;
  return transformed<double>(p.t, s);
}

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
