// The files of the library itself: a person, the colours of a head, an appearance model. What the command writes, a program
// reads, and the other way round.
//
// Reading throws Error of one line that names the file, the place in it and the mend. What is written appears whole or
// not at all.
#pragma once

#include "kinema/face_model.h"
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

/// .kface. A model that was read uses the arrays where they lie in the mapped file.
face::Model read_face_model(const std::filesystem::path& path);
void write_face_model(const std::filesystem::path& path, const face::Model& model);

}  // namespace kinema
