#include "bench/face/product/matrix_vector_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace kinema {
namespace {

using Layout = MatrixVectorLayout;

constexpr int most_threads = 1024, resident_threads = 1024;  // as the kernels' registers allow
constexpr int most_length = 1 << 30;  // of a row or column, which indices of 32 bits reach with room for a step

std::int64_t groups_of(const Layout& layout, int rows) {
  return (std::int64_t{rows} + layout.block_rows() - 1) / layout.block_rows();
}

}  // namespace

std::string_view word(Layout::Owner owner) { return owner == Layout::Owner::warp ? "warp" : "block"; }

std::string_view word(Layout::Join join) {
  switch (join) {
    case Layout::Join::none:
      return "none";
    case Layout::Join::last:
      return "last";
    case Layout::Join::cluster:
      break;
  }
  return "cluster";
}

std::string describe(const Layout& layout) {
  std::string text =
      fmt::format("a {} per {}, {} threads", word(layout.owner),
                  layout.rows_at_once == 1 ? "row" : fmt::format("{} rows", layout.rows_at_once), layout.threads);
  if (layout.parts > 1)
    text += fmt::format(", {} parts{}", layout.parts, layout.join == Layout::Join::cluster ? " in a cluster" : "");
  return text;
}

bool possible(const Layout& layout, const MatrixVectorDevice& device, int rows, int columns) {
  const int at_once = layout.rows_at_once;
  if (rows < 1 || rows > most_length || columns < 1 || columns > most_length) return false;
  if (at_once != 1 && at_once != 2 && at_once != 4 && at_once != 8) return false;
  if (layout.threads < 32 || layout.threads > most_threads || layout.threads % 32 != 0) return false;
  if (layout.parts < 1 || layout.parts > columns || (layout.parts == 1) != (layout.join == Layout::Join::none))
    return false;
  if (layout.join == Layout::Join::cluster && (!device.clusters || layout.parts > most_cluster_parts)) return false;
  constexpr std::int64_t most_blocks = (std::int64_t{1} << 31) - 1;
  return groups_of(layout, rows) <= most_blocks / layout.parts;
}

std::vector<Layout> candidate_layouts(const MatrixVectorDevice& device, int rows, int columns) {
  std::vector<Layout> found;
  const auto add = [&](Layout layout, int parts, Layout::Join join) {
    layout.parts = parts, layout.join = join;
    if (possible(layout, device, rows, columns) && std::find(found.begin(), found.end(), layout) == found.end())
      found.push_back(layout);
  };
  for (const Layout::Owner owner : {Layout::Owner::warp, Layout::Owner::block})
    for (const int threads : {64, 128, 256, 512, 1024})
      for (const int at_once : {1, 2, 4, 8}) {
        // where rows are few, a block of many warps would be mostly idle
        if (at_once > 1 && at_once >= 2 * rows) continue;
        Layout layout{owner, at_once, threads, 1, Layout::Join::none};
        if (threads > 64 && owner == Layout::Owner::warp && layout.block_rows() >= 2 * rows) continue;
        add(layout, 1, Layout::Join::none);
        // at least one load of four values for each thread that shares a row
        const int sharing = owner == Layout::Owner::warp ? 32 : threads;
        const int most_parts = columns / (4 * sharing);
        for (const int parts : {2, 4, 8, most_cluster_parts})
          if (parts <= most_parts) add(layout, parts, Layout::Join::cluster);
        // enough blocks to fill the device by these shares
        const int full = device.multiprocessors * (resident_threads / threads);
        for (const double fill : {0.5, 1.0, 2.0, 4.0, 8.0}) {
          const auto parts = static_cast<int>(fill * full / static_cast<double>(groups_of(layout, rows)));
          if (parts > 1 && parts <= most_parts) add(layout, parts, Layout::Join::last);
        }
      }
  return found;
}

}  // namespace kinema
