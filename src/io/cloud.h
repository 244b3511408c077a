// Point clouds on disk: PLY, PCD, NPY and plain text.
//
// Reading trusts nothing: no memory is taken before the header's counts have been held against the size of the file.
// Every refusal is an Error of one line that starts with the file's name.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace kinema::io {

struct Cloud {
  std::vector<float> points;  ///< (n, 3): x y z
  std::size_t dropped = 0;    ///< points of the file that are not finite, or 0 0 0, which is how sensors say: nothing
};

/// By the ending of its name:
/// .ply  ascii, binary_little_endian or binary_big_endian; x y z of any type among the properties of "vertex"
/// .pcd  ascii, binary or binary_compressed; x y z among the fields
/// .npy  (n, 3) or more columns of float32, of which the first three are taken
/// .xyz .txt  a point per line, three or more numbers between spaces, commas or semicolons; # and // start a comment, and
///       one line of names may stand first
Cloud read_cloud(const std::filesystem::path& path);

}  // namespace kinema::io
