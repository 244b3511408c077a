// OpenCV's face detectors: boxes from which a fit starts. Without OpenCV the constructor throws.
#pragma once

#include "core/hidden.h"
#include "io/pictures/image_file.h"
#include "kinema/face.h"

#include <filesystem>
#include <vector>

namespace kinema::io {

class FaceDetector {
public:
  /// An OpenCV cascade (.xml), or a network for cv::FaceDetectorYN (.onnx); "" uses the frontal face cascade installed
  /// by Debian's opencv-data, and those beside it if that detects nothing. Throws Error with the remedy if it is
  /// missing or unreadable.
  explicit FaceDetector(const std::filesystem::path& data = {});

  struct Find {
    face::Start::Box box;  ///< in pixels from 0
    int votes;             ///< neighbouring positions and sizes at which the detector sees the same face
  };

  /// Faces are no narrower than this share of the image's shorter side, nor than the detector can see.
  std::vector<Find> find(const face::GreyView& image, double smallest_share) const;

  /// Boxes as starts of a fit, the largest first. None in images too small to hold a face.
  std::vector<face::Start::Box> detect(const face::GreyView& image) const;

  /// The file it was loaded from.
  const std::filesystem::path& data() const { return data_; }

private:
  struct State;
  std::filesystem::path data_;
  Hidden<State> state_;
};

/// Path of the cascade that "" uses; empty: none is installed.
std::filesystem::path find_face_cascade();

}  // namespace kinema::io
