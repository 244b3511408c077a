// The paper's own GPU likelihood, for `kinema bench body` to be held against.
#pragma once

#include "kinema/body.h"

namespace kinema::body {

/// nearest only, without free space; at most 64 capsules a sample.
std::unique_ptr<Likelihood> make_paper_likelihood(const LikelihoodSettings& settings);

}  // namespace kinema::body
