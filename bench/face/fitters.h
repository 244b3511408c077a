// Fitters by name: the backends, and what they are compared with.
#pragma once

#include "kinema/face.h"

#include <memory>
#include <string_view>

namespace kinema::face {

/// The paper's ten kernels on 4 x 1024 threads: one combined stage, from images, without scores. `in_parts`: times() has the
/// three parts of figure 2, which makes the whole slower.
std::unique_ptr<Fitter> make_paper_fitter(std::shared_ptr<const Model> model, const FitSettings& settings,
                                          bool in_parts);

}  // namespace kinema::face

namespace kinema::bench {

/// By name, in place of the backend of `compute`: those of parse_backend(), "listing" (see fitter_listing.h), "paper" and
/// "paper in parts".
std::unique_ptr<face::Fitter> make_fitter(std::string_view name, std::shared_ptr<const face::Model> model,
                                          const face::FitSettings& settings = {}, Compute compute = {});

}  // namespace kinema::bench
