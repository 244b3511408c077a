// How the threads of a GPU share a matrix–vector product. Which way is fastest depends on the shape of the matrix: a wide
// matrix of few rows must be split along its rows, or most of the device is idle (reference 29 of the face paper).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kinema {

struct MatrixVectorLayout {
  /// Who shares a row within a block.
  enum class Owner { warp, block };

  /// Where the parts of a row are added up. All are added in the order of the parts, so that the bits do not depend on which
  /// block is faster.
  enum class Join {
    none,     ///< a row has one part
    last,     ///< in global memory, by the last block to arrive
    cluster,  ///< in the shared memory of a cluster's first block; Hopper and later
  };

  Owner owner = Owner::warp;
  int rows_at_once = 1;  ///< 1, 2, 4 or 8, which share what is read of the vector
  int threads = 256;     ///< of a block
  int parts = 1;         ///< blocks that share a row
  Join join = Join::none;

  /// Rows of a block.
  int block_rows() const { return owner == Owner::warp ? threads / 32 * rows_at_once : rows_at_once; }

  bool operator==(const MatrixVectorLayout&) const = default;
};

std::string_view word(MatrixVectorLayout::Owner owner);
std::string_view word(MatrixVectorLayout::Join join);

/// Such as "a warp per 4 rows, 256 threads, 8 parts in a cluster".
std::string describe(const MatrixVectorLayout& layout);

struct MatrixVectorDevice {
  std::string name;  ///< of device and architecture: what a measurement is valid for
  int multiprocessors = 1;
  bool clusters = false;
};

inline constexpr int most_cluster_parts = 16;

/// Whether a kernel can run it on this device.
bool possible(const MatrixVectorLayout& layout, const MatrixVectorDevice& device, int rows, int columns);

/// Layouts worth measuring for a shape.
std::vector<MatrixVectorLayout> candidate_layouts(const MatrixVectorDevice& device, int rows, int columns);

}  // namespace kinema
