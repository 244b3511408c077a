// The loops of the cpu backend: SIMD over the pixels of a piece of a frame. No pixel is multiplied by its position:
// weights are summed by column and by row, and the moments follow from these few sums.
#pragma once

#include "head/moments/colour_blocks.h"
#include "head/moments/fixed_plane.h"

#include <cstddef>
#include <cstdint>

namespace kinema::head {

/// Pixels of 3 or 4 bytes in memory, a piece of a frame.
struct Piece {
  const std::uint8_t* data;
  std::size_t stride;       // bytes from one row to the next
  std::size_t pixel_bytes;  // 3 or 4
  std::size_t width, height;
};

/// The sums of the weights of a piece.
struct Margins {
  std::uint32_t* columns;  // one per column of the piece
  std::uint64_t* rows;     // one per row
};

/// The number of rows of weights up to 2^25 whose sum fits 32 bits.
inline constexpr std::size_t most_rows = 64;

/// Columns of a piece that is converted on the way: of video, and with other weights.
inline constexpr std::size_t most_columns = 384;

/// Adds the weights of a piece of up to `most_rows`.
void add_plane(const PlaneOfBytes& plane, const Piece& piece, const Margins& margins);
void add_table(const ColourBlocks& table, const Piece& piece, const Margins& margins);

/// The weights of a row: `out` has room for its width.
void plane_weights(const PlaneOfBytes& plane, const std::uint8_t* row, std::size_t pixel_bytes, std::size_t width,
                   std::uint32_t* out);
void table_weights(const ColourBlocks& table, const std::uint8_t* row, std::size_t pixel_bytes, std::size_t width,
                   std::uint32_t* out);

/// Other weights of a row: weight n is multiplied by scale * max(0, down - across[n]) * mask[n], rounded, and added.
struct RowWeighing {
  const float* across;
  float down;
  const std::uint8_t* mask;  // or null, for 1
  float scale;
};
void add_weighed(const std::uint32_t* weights, std::size_t width, const RowWeighing& weighing, std::uint32_t* columns,
                 std::uint64_t& row);

/// Pixels x0...x0 + width - 1 (x0 even) of a row of video as R G B and a byte of 0.
void convert_nv12(const std::uint8_t* luma, const std::uint8_t* chroma, std::size_t width, std::uint8_t* rgba);
void convert_yuyv(const std::uint8_t* row, std::size_t width, std::uint8_t* rgba);

}  // namespace kinema::head
