// Faces that a detector finds as ovals about them: where a head's colours are learned.
#pragma once

#include "io/face_detector.h"
#include "kinema/head_calibration.h"
#include "kinema/picture.h"

#include <optional>
#include <vector>

namespace kinema::io {

std::optional<head::Oval> largest_face(const FaceDetector& detector, const Picture& picture);

/// All that may be a head to be followed, also small ones.
std::vector<FaceDetector::Find> find_heads(const FaceDetector& detector, const Picture& picture);

/// Of what was found in consecutive frames the face with the most votes over all of them, since what is taken for a face
/// by chance has few and is soon gone: its oval by frame, where it was found.
std::vector<std::optional<head::Oval>> surest_face(const std::vector<std::vector<FaceDetector::Find>>& frames);

}  // namespace kinema::io
