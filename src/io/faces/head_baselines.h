// Head tracking by OpenCV, as baselines for kinema in the same run: CamShift on hue, a face detector in every frame,
// and skin thresholds. Without OpenCV they throw Error.
#pragma once

#include "core/hidden.h"
#include "io/faces/face_oval.h"
#include "kinema/head_calibration.h"
#include "kinema/image.h"
#include "kinema/picture.h"

#include <optional>
#include <utility>

namespace kinema::io {

bool head_baselines_built_in();

/// The head's centre according to a tracker, in pixels; nothing if there is none.
using HeadCentre = std::optional<std::pair<double, double>>;

/// CamShift as in OpenCV's sample: back projection of a hue histogram taken inside the first oval.
class CamShiftTracker {
public:
  CamShiftTracker(const Picture& first, const head::Oval& oval);

  HeadCentre track(const Picture& picture);

private:
  struct State;
  Hidden<State> state_;
};

/// The largest face of the detector.
class HaarTracker {
public:
  HeadCentre track(const Picture& picture) {
    const std::optional<head::Oval> face = largest_face(detector_, picture);
    return face ? HeadCentre({face->cx, face->cy}) : std::nullopt;
  }

private:
  FaceDetector detector_;
};

struct SkinCentre {
  double x = 0, y = 0;
  double area = 0;  // share of the frame
};

/// A bgr frame converted to HSV, thresholded for skin, and its moments.
SkinCentre hsv_centre(const ColourView& bgr);

/// The same frame converted to HSV, the back projection of a hue histogram, and CamShift from the whole frame.
SkinCentre camshift_centre(const ColourView& bgr);

}  // namespace kinema::io
