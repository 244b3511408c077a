// layout.json: the meaning of the landmarks of a set. Groups in the order of their lines, mirror pairs, optional
// triangles, and the outer corners of the eyes, whose distance normalises errors.
//
//   {"landmarks": 68, "outer_eyes": [36, 45],
//    "groups": {"jaw": [0, 1, ...], "left_eye": {"points": [36, ...], "closed": true}, ...},
//    "mirror": [[0, 16], [1, 15], ...], "triangles": [[0, 1, 17], ...]}
#pragma once

#include "kinema/face_model.h"

#include <filesystem>

namespace kinema::io {

/// For a set of `landmarks` landmarks. A landmark in no mirror pair is its own mirror image. Throws Error with file,
/// place and remedy.
face::Layout read_layout(const std::filesystem::path& path, std::size_t landmarks);

}  // namespace kinema::io
