// The paper's own GPU likelihood, the baseline of `kinema bench body`.
#pragma once

#include "kinema/body.h"

namespace kinema::body {

/// nearest only, without free space; at most 64 capsules per sample.
std::unique_ptr<Likelihood> make_paper_likelihood(const LikelihoodSettings& settings);

}  // namespace kinema::body
