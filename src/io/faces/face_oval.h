// Detected faces as ovals around them, from which the colours of a head are learned.
#pragma once

#include "io/faces/face_detector.h"
#include "kinema/head_calibration.h"
#include "kinema/picture.h"

#include <optional>
#include <vector>

namespace kinema::io {

std::optional<head::Oval> largest_face(const FaceDetector& detector, const Picture& picture);

/// All possible heads, small ones included.
std::vector<FaceDetector::Find> find_heads(const FaceDetector& detector, const Picture& picture);

/// Of the detections in consecutive frames, the face with the most votes over all of them, since false detections have
/// few votes and soon disappear: its oval per frame, where detected.
std::vector<std::optional<head::Oval>> surest_face(const std::vector<std::vector<FaceDetector::Find>>& frames);

}  // namespace kinema::io
