// What people use OpenCV for where kinema follows a head, to hold kinema against in the same run: CamShift on hue, a face
// detector in every frame, and thresholds on skin. Without OpenCV they throw Error.
#pragma once

#include "io/face_oval.h"
#include "kinema/head_calibration.h"
#include "kinema/image.h"
#include "kinema/picture.h"

#include <memory>
#include <optional>
#include <utility>

namespace kinema::io {

bool head_baselines_built_in();

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

struct SkinCentre {
  double x = 0, y = 0;
  double area = 0;  // share of the frame
};

/// A frame of bgr through HSV, a threshold for skin, and the moments of what is left.
SkinCentre hsv_centre(const ColourView& bgr);

/// The same frame through HSV, the back projection of a histogram of hues, and CamShift from the whole frame.
SkinCentre camshift_centre(const ColourView& bgr);

}  // namespace kinema::io
