// Replaces the vectorised loops in builds without Highway.
#include "head/moments/moments_cpu_plain.h"

namespace kinema::head {

void add_plane(const PlaneOfBytes& plane, const Piece& piece, const Margins& margins) {
  plain::add_columns(plane, piece, 0, margins);
}

void add_table(const ColourBlocks& table, const Piece& piece, const Margins& margins) {
  plain::add_columns(table, piece, 0, margins);
}

void plane_weights(const PlaneOfBytes& plane, const std::uint8_t* row, std::size_t pixel_bytes, std::size_t width,
                   std::uint32_t* out) {
  plain::weights(plane, row, pixel_bytes, 0, width, out);
}

void table_weights(const ColourBlocks& table, const std::uint8_t* row, std::size_t pixel_bytes, std::size_t width,
                   std::uint32_t* out) {
  plain::weights(table, row, pixel_bytes, 0, width, out);
}

void add_weighed(const std::uint32_t* weights, std::size_t width, const RowWeighing& weighing, std::uint32_t* columns,
                 std::uint64_t& row) {
  plain::add_weighed(weights, 0, width, weighing, columns, row);
}

void convert_nv12(const std::uint8_t* luma, const std::uint8_t* chroma, std::size_t width, std::uint8_t* rgba) {
  plain::convert_nv12(luma, chroma, 0, width, rgba);
}

void convert_yuyv(const std::uint8_t* row, std::size_t width, std::uint8_t* rgba) {
  plain::convert_yuyv(row, 0, width, rgba);
}

}  // namespace kinema::head
