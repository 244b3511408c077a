// The refinement of refine.h on the device: several poses at once, without host involvement between steps.
//
// The blocks of a pose find the contacts of their share of the points, and the last to finish sums them, accepts or
// rejects the step, and solves for the next, for which the others wait. One launch performs all steps of all poses. Few
// points need one block per pose, which waits for no other.
#pragma once

#include "body/likelihood/ray_tiles_cuda.cuh"
#include "body/refine/contact.h"
#include "body/refine/refine_settings.h"
#include "body/skeleton/skeleton_cuda.cuh"

#include <span>

namespace kinema::body {

/// The progress of a pose's refinement.
struct RefineProgress {
  double scale;  // of the points' sum: evidence / sigma^2
  double cost, damping;
  int step, attempt;
  bool begun, done;
};

/// A PosePrior on the device.
struct PriorMemory {
  double precision[most_tangent];
  float state[most_state];
};

class RefineCuda {
public:
  explicit RefineCuda(const SkeletonCuda& skeleton);

  /// Improves the first `count` of `states` in place, with the person's points (and rays past it) in `tiles`.
  /// settings.evidence is that of a frame of one point. Of many points an even subset is used.
  void refine(const RayTilesView& tiles, const RefineSettings& settings, const PosePrior& prior, float* states,
              int count, cudaStream_t stream);

  /// The same for poses with a prior each, one block per pose, with about `share` of the points.
  void refine_apart(const RayTilesView& tiles, const RefineSettings& settings, PointShare share,
                    std::span<const PosePrior* const> priors, float* states, cudaStream_t stream);

  /// (count) on the device: results of the refinements.
  const RefineProgress* progress() const { return progress_.data(); }

  /// (count, tangent, tangent), the lower half: inverse covariances of the refined poses.
  const double* information() const { return information_.data(); }

private:
  void start(const RayTilesView& tiles, const RefineSettings& settings, PointShare share,
             std::span<const PosePrior* const> priors, float* states, int count, int blocks, cudaStream_t stream);

  const SkeletonCuda& skeleton_;
  int warps_ = 0;    // of a block
  int at_once_ = 1;  // blocks resident on the device at once
  std::size_t shared_bytes_ = 0;
  bool matrix_shared_ = true;  // else, where it is too large, in matrix_
  cuda::PinnedBuffer<PriorMemory> priors_host_;
  cuda::Buffer<PriorMemory> priors_;
  cuda::Event priors_sent_;
  cuda::Buffer<RefineProgress> progress_;
  cuda::Buffer<float> trial_;               // (count, state)
  cuda::Buffer<Place> places_;              // (count, joints) of the trial
  cuda::Buffer<Segment> skin_;              // (count, capsules) of the trial
  cuda::Buffer<double> partial_;            // (count, blocks, joints * 28 + 1)
  cuda::Buffer<double> information_;        // (count, tangent, tangent)
  cuda::Buffer<double> gradient_;           // (count, tangent)
  cuda::Buffer<float> matrix_;              // (count, tangent + 1, stride)
  cuda::Buffer<unsigned> arrived_, turns_;  // (count)
};

}  // namespace kinema::body
