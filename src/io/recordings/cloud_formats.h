// The readers of io/recordings/cloud.h, each from the bytes of a file, and what they share. Their errors do not name the file.
#pragma once

#include "io/files/text.h"
#include "io/recordings/cloud.h"

#include <string_view>

namespace kinema::io {

Cloud read_ply(std::string_view bytes);
Cloud read_pcd(std::string_view bytes);
Cloud read_xyz(std::string_view bytes);

/// Keeps a point, or drops it and counts it.
void add_point(Cloud& cloud, double x, double y, double z);

}  // namespace kinema::io
