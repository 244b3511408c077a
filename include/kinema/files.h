// The files of the library: a person, the colours of a head, an appearance model, a face detector. Shared with the
// command.
//
// Readers throw a one-line Error that names the file, the place in it and the remedy. A written file appears complete
// or not at all.
#pragma once

#include "kinema/face_model.h"
#include "kinema/face_tracker.h"
#include "kinema/head_calibration.h"
#include "kinema/skeleton.h"

#include <filesystem>

namespace kinema {

/// skeleton.json, see docs/skeleton.md.
body::Skeleton read_skeleton(const std::filesystem::path& path);
void write_skeleton(const std::filesystem::path& path, const body::Skeleton& skeleton);

/// filter.json, see docs/head.md.
head::Calibration read_filter(const std::filesystem::path& path);
void write_filter(const std::filesystem::path& path, const head::Calibration& calibration);

/// .kface. The arrays of a model that was read are views of the mapped file, except those in 16 bits.
face::Model read_face_model(const std::filesystem::path& path);

/// The face model that ships with the library, made from drawn faces alone: its file, empty if it is not installed.
std::filesystem::path default_face_model();

/// The same, read. Throws Error if it is not installed.
face::Model read_face_model();
void write_face_model(const std::filesystem::path& path, const face::Model& model);

/// A face detector of OpenCV, for face::TrackerSettings and person::TrackerSettings: a cascade (.xml), or a network for its
/// FaceDetectorYN (.onnx); "" is the frontal face cascade that Debian's opencv-data installs. Not thread-safe. Throws
/// Error where OpenCV is not built in.
face::Detect read_face_detector(const std::filesystem::path& path = {});

}  // namespace kinema
