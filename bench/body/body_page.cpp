#include "bench/body/body_problem.h"
#include "bench/body/body_report.h"
#include "bench/machine_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kinema::bench {
namespace {

using report::Unit;
using report::with_unit;

// First-hit rows of a backend that also ran `nearest`, and the reference, appear in the tables only: they would cover
// the other curves.
constexpr Curve body_curves[] = {{"listing", 0}, {"embree", 1}, {"cpu", 2}, {"paper", 4}, {"cuda", 3}};

bool in_plots(const BodyRow& row) { return row.association == body::Association::nearest || row.backend == "embree"; }

enum class Quantity { wall, device, speedup };

report::Point plot_point(const BodyRow& row, std::size_t BodyRow::*swept, Quantity quantity) {
  const auto x = static_cast<double>(row.*swept);
  switch (quantity) {
    case Quantity::wall:
      return {x, row.ms.median, row.ms.low, row.ms.high};
    case Quantity::device:
      return {x, row.stage("device"), 0, 0};
    case Quantity::speedup:
      return {x, row.speedup_listing, 0, 0};
  }
  return {};
}

void add_series(report::Plot& plot, const std::vector<const BodyRow*>& rows, std::size_t BodyRow::*swept,
                const Curve& curve, Quantity quantity) {
  const bool device = quantity == Quantity::device;
  report::Series series{std::string(curve.backend) + (device ? " (GPU)" : ""),
                        curve.colour,
                        device ? report::Style::dashed : report::Style::line,
                        {}};
  for (const BodyRow* row : rows) {
    if (row->backend != curve.backend || !in_plots(*row)) continue;
    const report::Point point = plot_point(*row, swept, quantity);
    if (point.y) series.points.push_back(point);
  }
  if (!series.points.empty()) plot.series.push_back(std::move(series));
}

report::Plot time_plot(const std::string& title, const char* x_label, const std::vector<const BodyRow*>& rows,
                       std::size_t BodyRow::*swept) {
  report::Plot plot = logarithmic_plot(title, x_label, "time for all samples", Unit::milliseconds);
  for (const Curve& curve : body_curves) {
    add_series(plot, rows, swept, curve, Quantity::wall);
    add_series(plot, rows, swept, curve, Quantity::device);
  }
  return plot;
}

report::Plot speedup_plot(const std::string& title, const char* x_label, const std::vector<const BodyRow*>& rows,
                          std::size_t BodyRow::*swept) {
  report::Plot plot = logarithmic_plot(title, x_label, "speed-up over the listing", Unit::factor);
  for (const Curve& curve : body_curves)
    if (std::string_view(curve.backend) != "listing") add_series(plot, rows, swept, curve, Quantity::speedup);
  return plot;
}

std::string timed(const BodyRow& row) {
  if (row.timed_samples == row.samples) return fmt::format("{} ×", row.repeats);
  return fmt::format("{} × on {} of the samples, scaled", row.repeats, row.timed_samples);
}

// `swept` is the size that varies between rows; none if all rows have one size.
report::Table row_table(const std::string& title, const std::vector<const BodyRow*>& rows,
                        std::size_t BodyRow::*swept = nullptr) {
  report::Table table{title,
                      {"backend", "association", "wall", "quartiles", "device", "× listing", "× Embree", "× paper",
                       "pairs/s", "measured"},
                      2,
                      {}};
  if (swept != nullptr) {
    table.columns.insert(table.columns.begin(), swept == &BodyRow::points ? "points" : "samples");
    table.text_columns = 3;
  }
  std::size_t last = 0;
  for (const BodyRow* row : rows) {
    std::vector<std::string> cells{row->backend,
                                   std::string(name(row->association)),
                                   with_unit(row->ms.median, Unit::milliseconds),
                                   quartiles(row->ms),
                                   or_dash(row->stage("device"), Unit::milliseconds),
                                   or_dash(row->speedup_listing, Unit::factor),
                                   or_dash(row->speedup_embree, Unit::factor),
                                   or_dash(row->speedup_paper, Unit::factor),
                                   fmt::format("{:.2e}", row->pairs_per_second),
                                   timed(*row)};
    const bool first = swept != nullptr && row->*swept != last;
    if (swept != nullptr) {
      last = row->*swept;
      cells.insert(cells.begin(), first ? std::to_string(last) : "");
    }
    table.rows.push_back({std::move(cells), first, false});
  }
  return table;
}

report::Table stage_table(const BodyReport& report) {
  report::Table table{"Stages at the largest size", {"backend", "association", "stage", "time"}, 3, {}};
  for (const BodyRow& row : report.rows) {
    if (row.points != report.points.back() || row.samples != report.samples.back()) continue;
    bool first = true;
    for (const StageTime& stage : row.stages) {
      table.rows.push_back({{first ? row.backend : "", first ? std::string(name(row.association)) : "", stage.stage,
                             with_unit(stage.ms, Unit::milliseconds)},
                            first});
      first = false;
    }
  }
  return table;
}

report::Table set_points_table(const BodyReport& report) {
  report::Table table{
      "Setting the points, once per frame", {"backend", "association", "points", "wall", "quartiles"}, 2, {}};
  std::size_t last = 0;
  for (const SetPointsRow& row : report.set_points) {
    table.rows.push_back({{row.backend, std::string(name(row.association)), std::to_string(row.points),
                           with_unit(row.ms.median, Unit::milliseconds), quartiles(row.ms)},
                          row.points != last});
    last = row.points;
  }
  return table;
}

// The largest over all sizes, since an error at any size is an error.
report::Table error_table(const BodyReport& report) {
  report::Table table{"Largest relative error of the log-likelihood against the reference",
                      {"backend", "association", "largest error", "at points", "samples compared"},
                      2,
                      {}};
  std::vector<const BodyRow*> worst;
  for (const BodyRow& row : report.rows) {
    const auto known = std::find_if(worst.begin(), worst.end(), [&](const BodyRow* other) {
      return other->backend == row.backend && other->association == row.association;
    });
    if (known == worst.end())
      worst.push_back(&row);
    else if (row.max_relative_error > (*known)->max_relative_error)
      *known = &row;
  }
  for (const BodyRow* row : worst)
    table.rows.push_back(
        {{row->backend, std::string(name(row->association)), fmt::format("{:.1e}", row->max_relative_error),
          std::to_string(row->points), std::to_string(row->error_samples)}});
  return table;
}

// By the size of a block, and the listing by the number of samples.
report::Table block_table(const BodyReport& report) {
  report::Table table{"The paper's kernels by points per block, at the largest size",
                      {"points per block", "device", "quartiles"},
                      0,
                      {}};
  for (const BlockRow& row : report.blocks)
    table.rows.push_back(
        {{std::to_string(row.points_per_block), with_unit(row.ms.median, Unit::milliseconds), quartiles(row.ms)}});
  return table;
}

report::Table linear_table(const BodyReport& report) {
  report::Table table{"The listing is linear in the samples", {"points", "samples", "time", "a pair"}, 0, {}};
  for (const LinearRow& row : report.linear)
    table.rows.push_back(
        {{std::to_string(row.points), std::to_string(row.samples), with_unit(row.ms.median, Unit::milliseconds),
          fmt::format("{:.2f} ns",
                      1e6 * row.ms.median / static_cast<double>(row.points * row.samples * person_capsules))}});
  return table;
}

report::Table tracker_table(const BodyReport& report) {
  report::Table table{"The tracker on a person who walks, without reading files",
                      {"backend", "filter", "association", "input", "particles", "layers", "refined", "points",
                       "frames/s", "a frame", "quartiles", "lost", "joint error", "by stage"},
                      4,
                      {}};
  for (const TrackerRow& row : report.trackers)
    table.rows.push_back(
        {{row.backend, row.filter, std::string(name(row.association)), input_text(row), std::to_string(row.particles),
          std::to_string(row.layers), fmt::format("{} × {}", row.refined, row.refine_steps), std::to_string(row.points),
          with_unit(row.frames_per_second, Unit::count), with_unit(row.ms.median, Unit::milliseconds),
          quartiles(row.ms), std::to_string(row.lost), fmt::format("{:.1f} mm", 1e3 * row.joint_error),
          stages_text(row.stages)}});
  return table;
}

report::Table matcher_table(const BodyReport& report) {
  report::Table table{
      "Stereo matching of whole pictures",
      {"program", "pixels", "disparities", "a pair", "quartiles", "known", "wrong by over a pixel", "by stage"},
      2,
      {}};
  for (const MatcherRow& row : report.matchers)
    table.rows.push_back(
        {{row.name, fmt::format("{} × {}", row.width, row.height), std::to_string(row.disparities),
          with_unit(row.ms.median, Unit::milliseconds), quartiles(row.ms), fmt::format("{:.1f} %", 100 * row.known),
          fmt::format("{:.2f} %", 100 * row.wrong), stages_text(row.stages)}});
  return table;
}

}  // namespace

report::Report body_page(const BodyReport& report) {
  const auto by_points = report.by_points(), by_samples = report.by_samples();
  const std::string at_samples = fmt::format("{} samples", report.samples.back());
  const std::string at_points = fmt::format("{} points", report.points.back());

  std::vector<const BodyRow*> largest;
  for (const BodyRow* row : by_points)
    if (row->points == report.points.back()) largest.push_back(row);

  report::Section section;
  section.blocks = {
      machine_list(report,
                   fmt::format("a person of {} capsules at 2 to 3 m, a noisy depth frame with outliers; tau {} m, "
                               "sigma {} m, seed {}",
                               person_capsules, report.settings.tau, report.settings.sigma, report.seed)),
      row_table(fmt::format("The largest problem: {}, {}, {} capsules", at_points, at_samples, person_capsules),
                largest),
      report::Text{
          "Wall: median wall time of one call for all samples. Device: the GPU's part of it, by its own clock. "
          "Speed-ups over the listing (the paper's sequential program) and over Embree are by wall time, those "
          "over the paper's kernels by device time. Pairs: points × samples × capsules, whether or not a pair "
          "was examined. What is slow and linear in the samples is measured on some of them and scaled.",
          ""},
      time_plot("Figure 5a: time against points, " + at_samples, "points", by_points, &BodyRow::points),
      time_plot("Figure 5b: time against samples, " + at_points, "samples", by_samples, &BodyRow::samples),
      speedup_plot("Figure 6a: speed-up over the listing, " + at_samples, "points", by_points, &BodyRow::points),
      speedup_plot("Figure 6b: speed-up over the listing, " + at_points, "samples", by_samples, &BodyRow::samples),
      error_table(report)};
  if (report::Table stages = stage_table(report); !stages.rows.empty()) section.blocks.emplace_back(std::move(stages));
  if (!report.blocks.empty()) section.blocks.emplace_back(block_table(report));
  if (!report.linear.empty()) section.blocks.emplace_back(linear_table(report));
  section.blocks.emplace_back(set_points_table(report));
  for (const TrackerRow& row : report.trackers)
    if (row.scene) section.blocks.emplace_back(report::Scenes{{*row.scene}});
  if (!report.trackers.empty()) section.blocks.emplace_back(tracker_table(report));
  if (!report.matchers.empty()) section.blocks.emplace_back(matcher_table(report));
  section.blocks.emplace_back(row_table("Time against points, " + at_samples, by_points, &BodyRow::points));
  section.blocks.emplace_back(row_table("Time against samples, " + at_points, by_samples, &BodyRow::samples));
  return {"The body likelihood, measured", "", {std::move(section)}, ""};
}

}  // namespace kinema::bench
