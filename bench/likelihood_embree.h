// The same likelihood by a general ray tracer, Embree 3, as a baseline for the culling of this project.
#pragma once

#include "kinema/body.h"

#include <memory>
#include <string>

namespace kinema::bench {

/// Embree's version, "" where it is not built in.
std::string embree_version();

/// A scene of round linear curves for each sample, the first hit of every ray, samples divided among the threads.
/// Association `first_hit` only. Throws Error where Embree is not built in. For timing: Embree's own curves stand for
/// the capsules, and none of the corners (a camera inside a capsule, spheres) is looked after.
std::unique_ptr<body::Likelihood> make_embree_likelihood(const body::LikelihoodSettings& settings);

}  // namespace kinema::bench
