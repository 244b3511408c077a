// OpenCV's face detectors: boxes from which a fit starts. Without OpenCV making one throws.
#pragma once

#include "io/image_file.h"
#include "kinema/face.h"

#include <filesystem>
#include <memory>
#include <vector>

namespace kinema::io {

class FaceDetector {
public:
  /// A cascade of OpenCV (.xml), or a network for cv::FaceDetectorYN (.onnx); "" takes the cascade of frontal faces that
  /// Debian's opencv-data installs, and where it finds nothing those beside it. Throws Error with the mend where it is not there or cannot be read.
  explicit FaceDetector(const std::filesystem::path& data = {});
  ~FaceDetector();
  FaceDetector(FaceDetector&&) noexcept;
  FaceDetector& operator=(FaceDetector&&) noexcept;

  struct Find {
    face::Start::Box box;  ///< in pixels from 0
    int votes;             ///< places and sizes beside it where the detector sees the same face
  };

  /// No face narrower than the share of the picture's shorter side, or than the detector can see.
  std::vector<Find> find(const GreyImage& image, double smallest_share) const;
  std::vector<Find> find(const face::GreyView& image, double smallest_share) const;

  /// Boxes as starts of a fit, the largest first. None in pictures too small to hold a face.
  std::vector<face::Start::Box> detect(const GreyImage& image) const;
  std::vector<face::Start::Box> detect(const face::GreyView& image) const;

  /// The file it came from.
  const std::filesystem::path& data() const { return data_; }

private:
  struct State;
  std::filesystem::path data_;
  std::unique_ptr<State> state_;
};

/// Where the cascade lies that "" takes; empty: nowhere.
std::filesystem::path find_face_cascade();

}  // namespace kinema::io
