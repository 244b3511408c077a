#include "bench/body/body_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace kinema::bench {
namespace {

const BodyRow* same_size(const std::vector<BodyRow>& rows, const BodyRow& row, std::string_view backend) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const BodyRow& other) {
    return other.backend == backend && other.points == row.points && other.samples == row.samples;
  });
  return found == rows.end() ? nullptr : &*found;
}

std::vector<const BodyRow*> sweep(const std::vector<BodyRow>& rows, std::size_t BodyRow::*fixed, std::size_t value,
                                  std::size_t BodyRow::*swept) {
  std::vector<const BodyRow*> found;
  for (const BodyRow& row : rows)
    if (row.*fixed == value) found.push_back(&row);
  std::stable_sort(found.begin(), found.end(),
                   [&](const BodyRow* a, const BodyRow* b) { return a->*swept < b->*swept; });
  return found;
}

}  // namespace

std::vector<const BodyRow*> BodyReport::by_points() const {
  return sweep(rows, &BodyRow::samples, samples.back(), &BodyRow::points);
}

std::vector<const BodyRow*> BodyReport::by_samples() const {
  return sweep(rows, &BodyRow::points, points.back(), &BodyRow::samples);
}

void compare_rows(std::vector<BodyRow>& rows) {
  for (BodyRow& row : rows) {
    if (const BodyRow* listing = same_size(rows, row, "listing"))
      row.speedup_listing = listing->ms.median / row.ms.median;
    if (const BodyRow* embree = same_size(rows, row, "embree")) row.speedup_embree = embree->ms.median / row.ms.median;

    // kernels versus kernels: the overhead of the host is the same for both
    const BodyRow* paper = same_size(rows, row, "paper");
    const auto ours = row.stage("device");
    const auto theirs = paper ? paper->stage("device") : std::nullopt;
    if (ours && theirs && *ours > 0) row.speedup_paper = *theirs / *ours;
  }
}

std::string_view name(body::Association association) {
  return association == body::Association::nearest ? "nearest" : "first-hit";
}

std::string input_text(const TrackerRow& row) {
  return row.width == 0 ? row.input : fmt::format("{} {}x{}", row.input, row.width, row.height);
}

}  // namespace kinema::bench
