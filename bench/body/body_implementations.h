// The likelihoods compared by `kinema bench body`: all that this build and this machine can run.
#pragma once

#include "kinema/body.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kinema::bench {

struct Implementation {
  std::string backend;
  body::Association association = body::Association::nearest;

  /// Exactly linear in the samples and too slow for all of them: timed on a few and extrapolated.
  bool scaled = false;

  /// The number of samples that keeps all of its threads busy; fewer would be timed unfairly.
  std::size_t batch = 1;

  /// What it is tuned by: the points of a block of the paper's kernels.
  int points_per_block = 0;

  /// The sequential program is timed on one core.
  bool serial() const { return scaled && batch == 1; }

  std::function<std::unique_ptr<body::Likelihood>(const body::LikelihoodSettings&)> make;
};

/// The names of all backends of `bench body`, in the order of its tables.
std::vector<std::string> body_backends();

/// Those of `names`, or all that can run here if `names` is empty. cpu and cuda give two implementations each, one per
/// association. `threads`: how many will be used. Throws Error for a name that is unknown or cannot run here.
std::vector<Implementation> body_implementations(const std::vector<std::string>& names, std::size_t threads);

/// The same with each value of what it is tuned by; empty if there is nothing to tune.
std::vector<Implementation> variants_of(const Implementation& implementation);

}  // namespace kinema::bench
