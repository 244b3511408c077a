// The order of a level's pixels in the fast fitters: by triangle, so that neighbours share their corners, in blocks
// that fit into the L1 cache. Matrices with long rows are divided in the same way.
#pragma once

#include "kinema/face_model.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kinema::face {

inline constexpr std::size_t block_values = 1024;  ///< values of a block: a panel of them for 4 shapes is 16 KiB
inline constexpr std::size_t tile_values = 16;     ///< contiguous values of a row within a block
inline constexpr std::size_t group_rows = 4;       ///< interleaved rows of a tile

/// Pixels of one triangle within one block, as TextureLayout orders them.
struct PixelRun {
  std::uint32_t triangle = 0, first = 0, count = 0;
};

struct TextureLayout {
  TextureLayout() = default;
  explicit TextureLayout(const Level& level);

  std::size_t blocks() const { return block_runs.size() - 1; }
  std::size_t block_pixels() const { return block_values / channels; }

  /// Values of a block, rounded up to whole tiles.
  std::size_t tiles(std::size_t block) const;

  /// Values of a texture in this order.
  std::vector<float> ordered(std::span<const float> texture) const;

  std::size_t channels = 1, pixels = 0, values = 0;
  std::vector<std::uint32_t> order;               ///< pixel here -> pixel of the level
  std::array<std::vector<float>, 3> barycentric;  ///< of each corner, with room past the end for a whole vector
  std::vector<PixelRun> runs;
  std::vector<std::size_t> block_runs;  ///< the runs of a block, and one past the last
};

/// Of each pixel in the order of a layout: its neighbours there, and the factors of their differences across and down.
struct PixelSlopes {
  PixelSlopes(const Level& level, const TextureLayout& layout);

  std::vector<std::uint32_t> neighbours;  ///< pixels x 4
  std::vector<float> steps;               ///< pixels x 2
};

/// Rows as long as a texture, in the order of a layout: blocks x row groups x tiles x 4 rows x 16 values; padded with 0
/// past the last row or value.
class RowStack {
public:
  RowStack() = default;
  RowStack(const TextureLayout& layout, std::span<const std::span<const float>> rows);

  std::size_t rows() const { return rows_; }
  std::size_t groups() const { return (rows_ + group_rows - 1) / group_rows; }

  const float* block(std::size_t block) const { return values_.data() + starts_[block]; }

private:
  std::size_t rows_ = 0;
  std::vector<std::size_t> starts_;
  std::vector<float> values_;
};

}  // namespace kinema::face
