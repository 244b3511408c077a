// Point clouds on disk: PLY, PCD, NPY and plain text.
//
// Input is untrusted: no memory is allocated before the header's counts have been checked against the size of the file.
// Every Error is one line that starts with the file's name.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <vector>

namespace kinema::io {

struct Cloud {
  std::vector<float> points;  ///< (n, 3): x y z
  std::size_t dropped = 0;    ///< points dropped: not finite, or 0 0 0, which sensors write for "no measurement"
};

/// By file extension:
/// .ply  ascii, binary_little_endian or binary_big_endian; x y z of any type among the properties of "vertex"
/// .pcd  ascii, binary or binary_compressed; x y z among the fields
/// .npy  (n, 3) or more columns of float32, of which the first three are taken
/// .xyz .txt  a point per line, three or more numbers between spaces, commas or semicolons; # and // start a comment, and
///       one line of names may stand first
Cloud read_cloud(const std::filesystem::path& path);

// The readers, each from the bytes of a file, and what they share. Their errors do not name the file.

Cloud read_ply(std::string_view bytes);
Cloud read_pcd(std::string_view bytes);
Cloud read_xyz(std::string_view bytes);

/// Keeps a point, or drops it and counts it.
void add_point(Cloud& cloud, double x, double y, double z);

}  // namespace kinema::io
