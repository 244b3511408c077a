// The largest face of a picture as an oval about it: where a head's colours are learned.
#pragma once

#include "io/face_detector.h"
#include "io/picture.h"
#include "kinema/head_calibration.h"

#include <optional>

namespace kinema::io {

std::optional<head::Oval> largest_face(const FaceDetector& detector, const Picture& picture);

}  // namespace kinema::io
