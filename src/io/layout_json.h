// layout.json: what the landmarks of a set mean. Groups in the order of their lines, mirror pairs, triangles if wanted,
// and the outer corners of the eyes, over whose distance errors are measured.
//
//   {"landmarks": 68, "outer_eyes": [36, 45],
//    "groups": {"jaw": [0, 1, ...], "left_eye": {"points": [36, ...], "closed": true}, ...},
//    "mirror": [[0, 16], [1, 15], ...], "triangles": [[0, 1, 17], ...]}
#pragma once

#include "kinema/face_model.h"

#include <filesystem>

namespace kinema::io {

/// For a set of `landmarks` landmarks. A landmark that no mirror pair names is its own mirror image. Throws Error with
/// file, place and mend.
face::Layout read_layout(const std::filesystem::path& path, std::size_t landmarks);

/// Written whole or not at all.
void write_layout(const std::filesystem::path& path, const face::Layout& layout, std::size_t landmarks);

}  // namespace kinema::io
