// A likelihood whose samples are divided among the ranks of MPI.
#pragma once

#include "kinema/body.h"

#include <functional>

namespace kinema::app {

/// Runs `work` on the first rank, while the others of the first `ranks` weigh for the likelihoods that it shares. All ranks
/// make the call.
void share_among_ranks(int ranks, const Compute& compute,
                       const std::function<void(const body::ShareLikelihood&)>& work);

}  // namespace kinema::app
