// The paper's Listing 1.2: the sequential program that is the baseline of figure 6.
#pragma once

#include "kinema/body.h"

#include <memory>

namespace kinema::bench {

/// One thread, float, every capsule for every point, nothing precomputed. Association `nearest` only; background marks
/// are ignored, since the paper has none.
std::unique_ptr<body::Likelihood> make_listing_likelihood(const body::LikelihoodSettings& settings);

}  // namespace kinema::bench
