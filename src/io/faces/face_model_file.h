// .kface, the file of an appearance model: a container of arrays (section_file.h) with a JSON section for the rest. A
// model that is read uses the arrays in place in the mapped file, except matrices of 16 bits.
#pragma once

#include "kinema/face_model.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kinema::io {

enum class FaceModelPrecision {
  full,   ///< 32 bits, used in place when read
  small,  ///< large matrices in 16 bits: half as long; landmarks move by 0.001 pixels in the median (docs/face.md)
};

/// Written whole or not at all.
void write_face_model(const std::filesystem::path& path, const face::Model& model,
                      FaceModelPrecision precision = FaceModelPrecision::full);

/// Everything is checked before use: length, checksum, offsets of the arrays, their sizes, index ranges, and that all
/// numbers are finite. Throws Error of one line with the file's name.
face::Model read_face_model(const std::filesystem::path& path);

/// A line for each array of the file, for display.
struct FaceModelSection {
  std::string name, type;
  std::uint64_t elements = 0, bytes = 0;
};
std::vector<FaceModelSection> list_face_model(const std::filesystem::path& path);

}  // namespace kinema::io
