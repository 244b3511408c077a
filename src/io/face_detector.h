// Faces in a picture, by OpenCV's cascade of Haar features. Its file comes with Debian's opencv-data. Needs OpenCV.
#pragma once

#include "io/picture.h"
#include "kinema/head_calibration.h"

#include <filesystem>
#include <memory>
#include <optional>

namespace kinema::io {

class FaceDetector {
public:
  /// `cascade`: the xml file; empty: haarcascade_frontalface_default.xml where Debian, or OPENCV_DATA, puts it. Throws
  /// Error where there is none.
  explicit FaceDetector(const std::filesystem::path& cascade = {});
  ~FaceDetector();
  FaceDetector(FaceDetector&&) noexcept;
  FaceDetector& operator=(FaceDetector&&) noexcept;

  /// The largest face as an oval about it: the detector's box reaches from brow to chin.
  std::optional<head::Oval> largest(const Picture& picture);

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinema::io
