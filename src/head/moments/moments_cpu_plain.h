// The loops of the cpu backend one pixel at a time: for the remainder beside whole vectors, and for everything if
// Highway is not built in. In integers, so both give the same result.
#pragma once

#include "head/moments/colour_conversion.h"
#include "head/moments/moments_cpu_kernel.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace kinema::head::plain {

inline std::uint32_t weight(const PlaneOfBytes& plane, const std::uint8_t* p) {
  // unsigned, since the sum fits 32 bits, but its terms need not
  const auto q = [&](std::size_t c) { return static_cast<std::uint32_t>(plane.q[c]) * p[c]; };
  const auto v = static_cast<std::int32_t>(q(0) + q(1) + q(2) + static_cast<std::uint32_t>(plane.d));
  const std::int32_t above = v > 0 ? v : 0;
  return static_cast<std::uint32_t>(above < plane.one ? above : plane.one);
}

inline std::uint32_t weight(const ColourBlocks& table, const std::uint8_t* p) {
  const std::size_t block = table.block[p[0] / 8u + 32 * (p[1] / 8u) + 1024 * (p[2] / 4u)];
  return table.degrees[256 * block + p[0] % 8u + 8 * (p[1] % 8u) + 64 * (p[2] % 4u)];
}

/// Adds the weights of columns from `first` on, for pixels of this many bytes.
template <std::size_t pixel_bytes, class Of>
void add_columns_of(const Of& shared, const Piece& piece, std::size_t first, const Margins& margins) {
  // a local copy of the plane, which stores to the sums cannot alias
  const std::conditional_t<std::is_trivially_copyable_v<Of>, Of, const Of&> of = shared;
  std::uint32_t* const columns = margins.columns;
  for (std::size_t y = 0; y < piece.height; ++y) {
    const std::uint8_t* row = piece.data + y * piece.stride;
    std::uint64_t sum = 0;
    for (std::size_t begin = first; begin < piece.width; begin += most_rows) {
      const std::size_t end = std::min(begin + most_rows, piece.width);
      std::uint32_t part = 0;  // the sum of this many weights fits 32 bits, and compilers vectorise it
      for (std::size_t x = begin; x < end; ++x) {
        const std::uint32_t w = weight(of, row + pixel_bytes * x);
        columns[x] += w;
        part += w;
      }
      sum += part;
    }
    margins.rows[y] += sum;
  }
}

template <class Of>
void add_columns(const Of& of, const Piece& piece, std::size_t first, const Margins& margins) {
  if (first >= piece.width) return;
  if (piece.pixel_bytes == 3)
    add_columns_of<3>(of, piece, first, margins);
  else
    add_columns_of<4>(of, piece, first, margins);
}

template <class Of>
void weights(const Of& of, const std::uint8_t* row, std::size_t pixel_bytes, std::size_t first, std::size_t width,
             std::uint32_t* out) {
  for (std::size_t x = first; x < width; ++x) out[x] = weight(of, row + pixel_bytes * x);
}

inline void add_weighed(const std::uint32_t* weights, std::size_t first, std::size_t width, const RowWeighing& weighing,
                        std::uint32_t* columns, std::uint64_t& row) {
  for (std::size_t x = first; x < width; ++x) {
    float factor = weighing.scale * std::max(0.0f, weighing.down - weighing.across[x]);
    if (weighing.mask != nullptr) factor *= static_cast<float>(weighing.mask[x]);
    const auto w = static_cast<std::uint32_t>(std::nearbyint(static_cast<float>(weights[x]) * factor));
    columns[x] += w;
    row += w;
  }
}

inline void store(Rgb p, std::uint8_t* rgba) {
  rgba[0] = p.r;
  rgba[1] = p.g;
  rgba[2] = p.b;
  rgba[3] = 0;
}

inline void convert_nv12(const std::uint8_t* luma, const std::uint8_t* chroma, std::size_t first, std::size_t width,
                         std::uint8_t* rgba) {
  for (std::size_t x = first; x < width; ++x) {
    const std::uint8_t* pair = chroma + x / 2 * 2;
    store(rgb_of(luma[x], pair[0], pair[1]), rgba + 4 * x);
  }
}

inline void convert_yuyv(const std::uint8_t* row, std::size_t first, std::size_t width, std::uint8_t* rgba) {
  for (std::size_t x = first; x < width; ++x) {
    const std::uint8_t* pair = row + x / 2 * 4;
    store(rgb_of(pair[x % 2 * 2], pair[1], pair[3]), rgba + 4 * x);
  }
}

}  // namespace kinema::head::plain
