// The paper's own GPU likelihood, the baseline of `kinema bench body`.
#pragma once

#include "kinema/body.h"

#include <vector>

namespace kinema::body {

/// Sizes of a block between which the paper's kernels are tuned to a GPU.
inline constexpr int paper_blocks[] = {32, 64, 96, 128, 160, 192, 256, 320, 384, 512, 640};

struct PaperDivision {
  int points_per_block = 128;  ///< a multiple of 32, at most 1024

  /// GPUs that divide the samples, a thread of the host for each; empty: the current one. One may be named several times.
  std::vector<int> devices = {};
};

/// Without the additions to the paper: `nearest` only, no marks of background, no deviations of points; at most 64 capsules
/// per sample.
std::unique_ptr<Likelihood> make_paper_likelihood(const LikelihoodSettings& settings,
                                                  const PaperDivision& division = {});

}  // namespace kinema::body
