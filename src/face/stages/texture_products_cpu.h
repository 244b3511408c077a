// Products of stacked rows with textures, a block at a time: they take most of the time of a fit. SIMD by Highway.
#pragma once

#include <cstddef>

namespace kinema::face {

/// sums[row * columns + column] = the row's dot product with the column, of one block or some of its tiles. `rows`: a
/// block of them as in RowStack, `groups` times 4; successive groups are `block_tiles` tiles apart. `panel`: columns of
/// `tiles` times 16 values, block_values apart. Any number of columns; groups of 4 are efficient.
void multiply_block(const float* rows, std::size_t groups, std::size_t block_tiles, std::size_t tiles,
                    const float* panel, std::size_t columns, float* sums);

/// x and y of the three corners of a triangle: columns of the panels below.
inline constexpr std::size_t corner_columns = 6;

/// The same for the values from `first` to `last` of a whole block and a panel of 6 columns, which is 0 in the rest of the
/// tiles there; in plain single precision, and column by column: sums[column * 4 groups + row].
void multiply_corners(const float* rows, std::size_t groups, std::size_t block_tiles, std::size_t first,
                      std::size_t last, const float* panel, float* sums);

/// Products of the columns of a panel with each other, and of a seventh with all of them: column 0 with itself, 1 with 0 and
/// itself, 2 with 0, 1 and itself ..., then 6 with 0 to 5. Values as above.
void pair_block(std::size_t first, std::size_t last, const float* panel, float* sums);

/// sums[column] = the column's square.
void square_block(std::size_t tiles, const float* panel, std::size_t columns, float* sums);

/// texture += sum of factors[row] * row, of one block.
void add_rows(const float* rows, std::size_t groups, std::size_t tiles, const float* factors, float* texture);

}  // namespace kinema::face
