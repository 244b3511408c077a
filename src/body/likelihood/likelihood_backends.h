// Shared by the backends of body::Likelihood: their factories, and the checks of their arguments.
#pragma once

#include "kinema/body.h"

#include <functional>

namespace kinema::body {

std::unique_ptr<Likelihood> make_reference_likelihood(const LikelihoodSettings& settings);
std::unique_ptr<Likelihood> make_cpu_likelihood(const LikelihoodSettings& settings, int threads);
std::unique_ptr<Likelihood> make_cuda_likelihood(const LikelihoodSettings& settings);

/// Divides samples among compute.devices. `make_part` gives the likelihood of a device, in the device's own thread.
using MakePart = std::function<std::unique_ptr<Likelihood>(int device)>;
std::unique_ptr<Likelihood> make_devices_likelihood(const Compute& compute, const MakePart& make_part);

/// Throws Error where settings are invalid.
void check_settings(const LikelihoodSettings& settings);

/// Throws where a size has no data, the number of marks or deviations differs from that of points, or a deviation is invalid.
void check_points(const PointsView& points);

/// Throws where the array is not (J, K, 7), or `out` does not have J elements.
void check_sizes(const CapsulesView& capsules, std::span<const double> out);

/// Throws at the first capsule with a non-finite number or a radius that is not positive.
void check_capsules(const CapsulesView& capsules);

/// The same message, for a backend that has already found the capsule.
[[noreturn]] void refuse_capsule(const CapsulesView& capsules, std::size_t sample, std::size_t capsule);

}  // namespace kinema::body
