// The same likelihood with a general ray tracer, Embree 3, as a baseline for the culling of this project.
#pragma once

#include "kinema/body.h"

#include <memory>
#include <string>

namespace kinema::bench {

/// Embree's version, "" if it is not built in.
std::string embree_version();

/// A scene of round linear curves per sample, the first hit of every ray, samples divided among the threads.
/// Association `first_hit` only. Throws Error if Embree is not built in. For timing only: Embree's own curves replace
/// the capsules, and corner cases (a camera inside a capsule, spheres) are not handled.
std::unique_ptr<body::Likelihood> make_embree_likelihood(const body::LikelihoodSettings& settings, int threads);

}  // namespace kinema::bench
