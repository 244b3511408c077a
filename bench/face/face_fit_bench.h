// The default fit of a model, cascade, descent and score, timed on each backend: one face, a batch of faces, and frame after
// frame of a film. Part of `kinema bench face`.
#pragma once

#include "bench/face/face_report.h"
#include "kinema/face.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace kinema::bench {

struct FaceFitOptions {
  std::uint64_t seed = 1;
  double seconds = 0.5;  ///< per row
  int threads = 0;
};

/// Drawn faces in pictures of 640 x 480 in host memory. Throws Error if the model has other landmarks than 68.
std::vector<FaceFitRow> measure_default_fit(const std::shared_ptr<const face::Model>& model,
                                            const FaceFitOptions& options);

}  // namespace kinema::bench
