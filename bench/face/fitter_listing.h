// Algorithms 1 and 2 of the face paper as printed: the sequential program that figures 6 to 8 compare with.
#pragma once

#include "kinema/face.h"

#include <memory>

namespace kinema::bench {

/// One thread, float, one combined stage of a level of plain intensity. With the same corrections as the reference.
std::unique_ptr<face::Fitter> make_listing_fitter(std::shared_ptr<const face::Model> model,
                                                  const face::FitSettings& settings);

}  // namespace kinema::bench
