// A whole fit of a batch of faces, or its score alone, as one chain of kernels, without a return to the host: a launcher runs a kernel on a grid, whose
// rows are faces or groups of them. The device records it as a graph; on the host it is run by one thread.
//
// Kernels of faces that have ended return at once, so that the length of a chain does not depend on the faces.
#pragma once

#include "face/chain/cascade_kernels.h"
#include "face/chain/corners_kernels.h"
#include "face/chain/descent_kernels.h"
#include "face/chain/fit_batch.h"
#include "face/chain/frame_kernels.h"
#include "face/chain/sampling_kernels.h"
#include "face/chain/score_kernels.h"
#include "face/chain/solve_kernels.h"

#include <algorithm>

namespace kinema::face {

/// `faces_at_once`: faces for which a block reads a matrix once; 1 for the shortest time of a single face.
template <int faces_at_once, class Launch>
class FitChain {
public:
  /// `faces`: rows of the grids, at least *batch.count. `colour`: some have a colour frame.
  FitChain(const FitTables& tables, const FitBatch& batch, int faces, bool colour, Launch launch)
      : tables_(tables),
        batch_(batch),
        faces_(faces),
        colour_(colour),
        groups_((faces + faces_at_once - 1) / faces_at_once),
        launch_(launch) {}

  void run() {
    const auto near = [this](const StageTable& stage) {
      return stage.method == Method::cascade || fits<StepKernel<true>>(tables_.shape, stage.level);
    };
    if (fits<EnterFrameKernel<true>>(tables_.shape) && fits<ScoreKernel<true>>(tables_.shape, tables_.score) &&
        std::all_of(tables_.stages.begin(), tables_.stages.end(), near))
      run_all<true>();
    else
      run_all<false>();
  }

private:
  // Whether a block can have the memory that a kernel needs.
  template <class Kernel, class... Tables>
  bool fits(const Tables&... tables) const {
    return Kernel{tables..., batch_}.shared_bytes() <= launch_.block_bytes();
  }

  // On a grid with a row for each face, or each group of them.
  template <class Kernel>
  void launch(const Kernel& kernel, int rows) const {
    int columns = 1;
    if constexpr (requires { kernel.blocks(); }) columns = kernel.blocks();
    launch_(kernel, columns, rows, batch_.count);
  }

  // `near`: the basis of shapes lies in a block's memory.
  template <bool near>
  void run_all() {
    const ShapeTable& shape = tables_.shape;
    if (colour_) launch(GreyKernel{batch_}, faces_);
    launch(BeginKernel{shape, batch_}, faces_);
    double values = tables_.stages.empty() ? 1 : 0;
    for (const StageTable& stage : tables_.stages) {
      if (stage.method == Method::cascade)
        run_cascade<near>(stage);
      else
        run_level<near>(stage.level);
      values = stage.method == Method::cascade ? 0 : stage.level.values;
    }
    launch(FinishKernel<near>{shape, values, tables_.score.present, batch_}, faces_);
    if (!tables_.score.present) return;
    make_bins(tables_.score.rings);
    launch(RingsKernel{tables_.score.rings, shape.landmarks, batch_}, faces_);
    launch(ScoreKernel<near>{shape, tables_.score, batch_}, faces_);
  }

  void make_bins(const RingTable& rings) {
    launch(ResampleKernel{rings.frame, batch_}, faces_);
    launch(BinsKernel<faces_at_once>{rings, batch_}, faces_);
  }

  template <bool near>
  void run_cascade(const StageTable& stage) {
    const ShapeTable& shape = tables_.shape;
    launch(EnterFrameKernel<near>{shape, batch_}, faces_);
    for (std::size_t k = 0; k < stage.regressions.size(); ++k) {
      const RegressionTable& regression = stage.regressions[k];
      if (regression.enters) make_bins(regression.rings);
      launch(RingsKernel{regression.rings, shape.landmarks, batch_}, faces_);
      launch(RegressionKernel<faces_at_once>{regression, batch_}, groups_);
      const bool last = k + 1 == stage.regressions.size();
      launch(DisplaceKernel<near>{shape, regression, !last && stage.regressions[k + 1].enters, last, batch_}, faces_);
    }
  }

  template <bool stack_near>
  void sample(const LevelTable& level, bool samples, bool texture) {
    // sampling does less with what it reads than a descent, and needs fewer registers: more faces share it
    constexpr int together = faces_at_once == 1 ? 1 : 2 * faces_at_once;
    launch(SampleKernel<together, stack_near>{level, samples, texture, batch_}, (faces_ + together - 1) / together);
  }

  template <bool near>
  void run_level(const LevelTable& level) {
    if constexpr (faces_at_once == 1)
      if (fits<DescendKernel<1, true>>(level)) return run_level<near, true>(level);
    run_level<near, false>(level);
  }

  template <bool near, bool stack_near>
  void run_level(const LevelTable& level) {
    const ShapeTable& shape = tables_.shape;
    launch(BeginStageKernel<near>{shape, level, batch_}, faces_);
    if (level.resampled) {
      launch(ResampleKernel{level.frame, batch_}, faces_);
      if (level.features != Features::intensity) {
        launch(GradientKernel{level.frame, batch_}, faces_);
        launch(FeaturesKernel{level.frame, level.features, batch_}, faces_);
      }
    }
    launch(BeginShapeKernel<near>{shape, level, batch_}, faces_);
    sample<stack_near>(level, true, false);
    launch(DecideKernel{shape, level, true, batch_}, faces_);
    if (level.simultaneous && level.iterations > 0) sample<stack_near>(level, false, true);
    // A descent needs no more of a decision than how the texture was normalised: otherwise it runs beside it, and in vain if
    // the face has ended. Many faces fill a device without it.
    const bool beside = faces_at_once == 1 && level.simultaneous && !level.photometric;
    for (int iteration = 0; iteration < level.iterations; ++iteration) {
      const bool first = iteration == 0, last = iteration + 1 == level.iterations;
      if (level.simultaneous) {
        if (beside && !first)
          launch(
              SideBySide<DescendKernel<1, stack_near>, DecideKernel>{
                  {level, batch_}, {shape, level, false, batch_}, level.chunks},
              faces_);
        else
          launch(DescendKernel<faces_at_once, stack_near>{level, batch_}, groups_);
        launch(CornersKernel<near>{shape, level, batch_}, faces_);
      }
      launch(StepKernel<near>{shape, level, batch_}, faces_);
      sample<stack_near>(level, true, level.simultaneous && !last);
      if (!beside || last) launch(DecideKernel{shape, level, false, batch_}, faces_);
    }
  }

  const FitTables& tables_;
  FitBatch batch_;
  int faces_;
  bool colour_;
  int groups_;
  Launch launch_;
};

}  // namespace kinema::face
