// The paper's Listing 1.2: the sequential program that figure 6 measures speed-ups against.
#pragma once

#include "kinema/body.h"

#include <memory>

namespace kinema::bench {

/// One thread, float, every capsule for every point, nothing computed ahead. Association `nearest` only; background
/// marks are ignored, as the paper knows none.
std::unique_ptr<body::Likelihood> make_listing_likelihood(const body::LikelihoodSettings& settings);

}  // namespace kinema::bench
