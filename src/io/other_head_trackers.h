// Two trackers that OpenCV has, to hold ours against in the same run: a face detector in every frame, and CamShift on
// hue. Needs OpenCV.
#pragma once

#include "io/face_oval.h"
#include "kinema/head_calibration.h"
#include "kinema/picture.h"

#include <memory>
#include <optional>
#include <utility>

namespace kinema::io {

/// Where a tracker sees the head's centre, in pixels; nothing where it sees none.
using HeadCentre = std::optional<std::pair<double, double>>;

/// CamShift as OpenCV's sample has it: a histogram of hue inside the first oval, back projected.
class CamShiftTracker {
public:
  CamShiftTracker(const Picture& first, const head::Oval& oval);
  ~CamShiftTracker();
  CamShiftTracker(CamShiftTracker&&) noexcept;
  CamShiftTracker& operator=(CamShiftTracker&&) noexcept;

  HeadCentre track(const Picture& picture);

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The detector's largest face.
class HaarTracker {
public:
  HeadCentre track(const Picture& picture) {
    const std::optional<head::Oval> face = largest_face(detector_, picture);
    return face ? HeadCentre({face->cx, face->cy}) : std::nullopt;
  }

private:
  FaceDetector detector_;
};

}  // namespace kinema::io
