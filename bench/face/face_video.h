// The video experiment of the face paper: a face followed frame by frame, each fit starting where the one before ended, the
// pictures in host memory. Part of `kinema bench face`.
#pragma once

#include "bench/face/face_picture.h"
#include "bench/face/face_problem.h"
#include "bench/statistics.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kinema::bench {

/// One backend with the model of one size.
struct FaceVideoRow {
  std::string backend;
  std::size_t pixels = 0;
  std::size_t repeats = 0;  ///< frames that were timed
  Spread ms;                ///< wall time per frame, upload included
  double error = 0;         ///< mean distance of a landmark from where it was drawn, in pixels; of the first frames
  double start_error = 0;   ///< the same for landmarks that stay where the first frame has them

  double frames_per_second() const { return ms.median > 0 ? 1000 / ms.median : 0; }
};

struct VideoOptions {
  int iterations = 10;
  double seconds = 0.5;
  int threads = 0;
};

/// One face that moves on a closed path, 640 x 480 pixels.
std::vector<DrawnFace> draw_clip(std::uint64_t seed, int threads);

/// Backends of make_fitter() and "listing", in turns.
std::vector<FaceVideoRow> measure_video(const std::shared_ptr<const face::Model>& model,
                                        const std::vector<DrawnFace>& clip, const std::vector<std::string>& backends,
                                        const VideoOptions& options);

/// Some frames of the clip with the landmarks that a fit on the CPU found there.
std::vector<FacePicture> fitted_frames(const std::shared_ptr<const face::Model>& model,
                                       const std::vector<DrawnFace>& clip, const VideoOptions& options);

}  // namespace kinema::bench
