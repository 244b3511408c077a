// NumPy's .npy files, versions 1 to 3: dense arrays in row-major order, little-endian.
//
// Input is untrusted: no memory is allocated before the header's shape has been checked against the size of the file.
// Every Error is one line that starts with the file's name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace kinema::io {

class OutputFile;

template <class T>
struct NpyArray {
  std::vector<std::size_t> shape;  // one entry per dimension
  std::vector<T> data;             // row-major, as many as the product of shape
};

/// Matches any size of a dimension in an expected shape.
inline constexpr std::size_t any_size = std::numeric_limits<std::size_t>::max();

/// Reads an array whose shape has the rank of `expected` and agrees with it except where that is any_size, such as
/// {any_size, 3} for points. T is float for '<f4', or std::uint8_t for '|u1' and '|b1' (0 and 1).
template <class T>
NpyArray<T> read_npy(const std::filesystem::path& path, const std::vector<std::size_t>& expected);

extern template NpyArray<float> read_npy(const std::filesystem::path&, const std::vector<std::size_t>&);
extern template NpyArray<std::uint8_t> read_npy(const std::filesystem::path&, const std::vector<std::size_t>&);

/// Writes an array as version 1.0; the caller commits the file. T is float ('<f4') or double ('<f8').
template <class T>
void write_npy(OutputFile& file, std::span<const T> data, const std::vector<std::size_t>& shape);

extern template void write_npy(OutputFile&, std::span<const float>, const std::vector<std::size_t>&);
extern template void write_npy(OutputFile&, std::span<const double>, const std::vector<std::size_t>&);

/// "(43000, 3)", as NumPy prints a shape; any_size prints as "any".
std::string shape_text(const std::vector<std::size_t>& shape);

}  // namespace kinema::io
