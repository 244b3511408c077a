#include "bench/body_problem.h"
#include "bench/plot.h"
#include "bench/report.h"
#include "bench/report_page.h"

#include <fmt/format.h>

#include <algorithm>

namespace kinema::bench {
namespace {

// Which curves a plot has, in which colour. First-hit rows of a backend that also ran `nearest`, and the reference,
// stand in the tables only: they would cover what matters.
struct Curve {
  const char* backend;
  int colour;
};
constexpr Curve curves[] = {{"listing", 0}, {"embree", 1}, {"cpu", 2}, {"paper", 4}, {"cuda", 3}};

bool in_plots(const BodyRow& row) { return row.association == body::Association::nearest || row.backend == "embree"; }

enum class Quantity { wall, device, speedup };

PlotPoint plot_point(const BodyRow& row, std::size_t BodyRow::*swept, Quantity quantity) {
  const auto x = static_cast<double>(row.*swept);
  switch (quantity) {
    case Quantity::wall:
      return {x, row.ms.median, row.ms.low, row.ms.high};
    case Quantity::device:
      return {x, row.stage("device").value_or(0), 0, 0};
    case Quantity::speedup:
      return {x, row.speedup_listing.value_or(0), 0, 0};
  }
  return {};
}

void add_series(Plot& plot, const std::vector<const BodyRow*>& rows, std::size_t BodyRow::*swept, const Curve& curve,
                Quantity quantity) {
  const bool device = quantity == Quantity::device;
  Series series{std::string(curve.backend) + (device ? " (GPU)" : ""), curve.colour, device, {}};
  for (const BodyRow* row : rows) {
    if (row->backend != curve.backend || !in_plots(*row)) continue;
    const PlotPoint point = plot_point(*row, swept, quantity);
    if (point.y > 0) series.points.push_back(point);
  }
  if (!series.points.empty()) plot.series.push_back(std::move(series));
}

std::string time_plot(const std::string& title, const char* x_label, const std::vector<const BodyRow*>& rows,
                      std::size_t BodyRow::*swept) {
  Plot plot{title, x_label, "time of all samples", Unit::count, Unit::milliseconds, {}};
  for (const Curve& curve : curves) {
    add_series(plot, rows, swept, curve, Quantity::wall);
    add_series(plot, rows, swept, curve, Quantity::device);
  }
  return to_svg(plot);
}

std::string speedup_plot(const std::string& title, const char* x_label, const std::vector<const BodyRow*>& rows,
                         std::size_t BodyRow::*swept) {
  Plot plot{title, x_label, "times as fast as the listing", Unit::count, Unit::factor, {}};
  for (const Curve& curve : curves)
    if (std::string_view(curve.backend) != "listing") add_series(plot, rows, swept, curve, Quantity::speedup);
  return to_svg(plot);
}

std::string or_dash(const std::optional<double>& value, Unit unit) { return value ? with_unit(*value, unit) : "–"; }

std::string timed(const BodyRow& row) {
  if (row.timed_samples == row.samples) return fmt::format("{} ×", row.repeats);
  return fmt::format("{} × on {} of the samples, scaled", row.repeats, row.timed_samples);
}

// `swept` is the size that differs from row to row; none where all rows are of one size.
std::string row_table(const std::string& caption, const std::vector<const BodyRow*>& rows,
                      std::size_t BodyRow::*swept = nullptr) {
  std::vector<std::string> heads{"backend",   "association", "wall",    "quartiles", "device",
                                 "× listing", "× Embree",    "× paper", "pairs/s",   "measured"};
  if (swept != nullptr) heads.insert(heads.begin(), swept == &BodyRow::points ? "points" : "samples");
  HtmlTable table(caption, heads, swept != nullptr ? 3 : 2);
  std::size_t last = 0;
  for (const BodyRow* row : rows) {
    std::vector<std::string> cells{
        row->backend,
        std::string(name(row->association)),
        with_unit(row->ms.median, Unit::milliseconds),
        with_unit(row->ms.low, Unit::milliseconds) + " – " + with_unit(row->ms.high, Unit::milliseconds),
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
    table.add(cells, first);
  }
  return table.html();
}

std::string stage_table(const BodyReport& report) {
  HtmlTable table("Stages at the largest size", {"backend", "association", "stage", "time"}, 3);
  bool any = false;
  for (const BodyRow& row : report.rows) {
    if (row.points != report.points.back() || row.samples != report.samples.back()) continue;
    bool first = true;
    for (const StageTime& stage : row.stages) {
      table.add({first ? row.backend : "", first ? std::string(name(row.association)) : "", stage.stage,
                 with_unit(stage.ms, Unit::milliseconds)},
                first);
      first = false;
      any = true;
    }
  }
  return any ? table.html() : "";
}

std::string set_points_table(const BodyReport& report) {
  HtmlTable table("Setting the points, once a frame", {"backend", "association", "points", "wall", "quartiles"}, 2);
  std::size_t last = 0;
  for (const SetPointsRow& row : report.set_points) {
    table.add({row.backend, std::string(name(row.association)), std::to_string(row.points),
               with_unit(row.ms.median, Unit::milliseconds),
               with_unit(row.ms.low, Unit::milliseconds) + " – " + with_unit(row.ms.high, Unit::milliseconds)},
              row.points != last);
    last = row.points;
  }
  return table.html();
}

// The worst over all sizes, since an error that shows at one size is there.
std::string error_table(const BodyReport& report) {
  HtmlTable table("Largest relative error of the log-likelihood against the reference",
                  {"backend", "association", "largest error", "at points", "samples compared"}, 2);
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
    table.add({row->backend, std::string(name(row->association)), fmt::format("{:.1e}", row->max_relative_error),
               std::to_string(row->points), std::to_string(row->error_samples)},
              false);
  return table.html();
}

std::string machine_list(const BodyReport& report) {
  return machine_html(
      report.machine, report.commit, report.date,
      fmt::format("a person of {} capsules at 2 to 3 m, a noisy depth frame with outliers; tau {} m, sigma {} "
                  "m, seed {}",
                  person_capsules, report.settings.tau, report.settings.sigma, report.seed));
}

}  // namespace

std::string body_html(const BodyReport& report) {
  const auto by_points = report.by_points(), by_samples = report.by_samples();
  const std::string at_samples = fmt::format("{} samples", report.samples.back());
  const std::string at_points = fmt::format("{} points", report.points.back());

  std::vector<const BodyRow*> largest;
  for (const BodyRow* row : by_points)
    if (row->points == report.points.back()) largest.push_back(row);

  std::string html = page_head("kinema: the body likelihood, measured", "The body likelihood, measured");
  html += machine_list(report);
  html += row_table(fmt::format("The largest problem: {}, {}, {} capsules", at_points, at_samples, person_capsules),
                    largest);
  html +=
      "<p>Wall: median of the clock around one call for all samples; device: the GPU's part of it, by its own clock. "
      "Speed-ups over the listing (the paper's sequential program) and over Embree are by wall time, those over the "
      "paper's kernels by device time. Pairs: points × samples × capsules, whether or not a pair was looked at. "
      "What is slow and linear in the samples is measured on some of them and scaled.</p>\n<div class='plots'>";
  html += time_plot("Figure 5a: time against points, " + at_samples, "points", by_points, &BodyRow::points);
  html += time_plot("Figure 5b: time against samples, " + at_points, "samples", by_samples, &BodyRow::samples);
  html += speedup_plot("Figure 6a: speed-up over the listing, " + at_samples, "points", by_points, &BodyRow::points);
  html += speedup_plot("Figure 6b: speed-up over the listing, " + at_points, "samples", by_samples, &BodyRow::samples);
  html += "</div>\n";
  html += error_table(report);
  html += stage_table(report);
  html += set_points_table(report);
  html += row_table("Time against points, " + at_samples, by_points, &BodyRow::points);
  html += row_table("Time against samples, " + at_points, by_samples, &BodyRow::samples);
  return html + page_foot();
}

}  // namespace kinema::bench
