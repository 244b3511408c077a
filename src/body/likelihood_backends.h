// What the backends of body::Likelihood have in common: their factories, and the checks of what they are given.
#pragma once

#include "kinema/body.h"

namespace kinema::body {

std::unique_ptr<Likelihood> make_reference_likelihood(const LikelihoodSettings& settings);
std::unique_ptr<Likelihood> make_cpu_likelihood(const LikelihoodSettings& settings);
std::unique_ptr<Likelihood> make_cuda_likelihood(const LikelihoodSettings& settings);

/// Throws Error where settings make no sense.
void check_settings(const LikelihoodSettings& settings);

/// Throws where there is no data behind a size, or marks of another number than points.
void check_points(const PointsView& points);

/// Throws where the array is not (J, K, 7), or `out` has not J places.
void check_sizes(const CapsulesView& capsules, std::span<const double> out);

/// Throws at the first capsule with a number that is not finite, or a radius that is not positive.
void check_capsules(const CapsulesView& capsules);

/// The same message, for a backend that found the capsule by itself.
[[noreturn]] void refuse_capsule(const CapsulesView& capsules, std::size_t sample, std::size_t capsule);

}  // namespace kinema::body
