// What `kinema bench body` compares: every likelihood that this build and this machine can run.
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

  /// Exactly linear in the samples and too slow for all of them: timed on a few and scaled.
  bool scaled = false;

  /// Samples that keep all of its threads busy; fewer would be timed unfairly.
  std::size_t batch = 1;

  std::function<std::unique_ptr<body::Likelihood>(const body::LikelihoodSettings&)> make;
};

/// Every backend's name that `bench body` knows, in the order of its tables.
std::vector<std::string> body_backends();

/// Those of `names`, or all that can run here where `names` is empty. cpu and cuda give two implementations each, one
/// for each association. `threads`: how many will be used. Throws Error for a name that is not known or cannot run here.
std::vector<Implementation> body_implementations(const std::vector<std::string>& names, std::size_t threads);

}  // namespace kinema::bench
