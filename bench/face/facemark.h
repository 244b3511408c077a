// OpenCV's FacemarkAAM, for comparison: an independent model, fitted by simultaneous inverse composition.
#pragma once

#include "bench/face/face_problem.h"

#include <memory>
#include <string>
#include <vector>

namespace kinema::bench {

/// OpenCV's version if its module `face` is built in, otherwise "".
std::string facemark_version();

class Facemark {
public:
  virtual ~Facemark() = default;

  /// Fits the face that the image was drawn with, from its mean shape at the true position; this many iterations.
  virtual std::vector<float> fit(const DrawnFace& face) = 0;
};

/// Trained on these faces, whose size determines its number of pixels. Throws Error if the module is not built in.
std::unique_ptr<Facemark> train_facemark(const std::vector<DrawnFace>& faces, int modes, int iterations);

}  // namespace kinema::bench
