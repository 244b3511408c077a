#include "bench/head/head_report.h"
#include "bench/machine_page.h"
#include "bench/paper_table.h"

#include <fmt/format.h>

#include <utility>

namespace kinema::bench {
namespace {

using report::Unit;
using report::with_unit;

std::string scientific(const std::optional<double>& value) { return value ? fmt::format("{:.1e}", *value) : "–"; }

int colour_of(const HeadRow& row) {
  if (row.table == "floor") return 0;
  if (row.table == "other") return 1;
  if (row.backend == "joint" || row.backend == "cpu+gpu") return 4;
  return row.backend.starts_with("cpu") ? 2 : 3;
}

report::Table paper_table(const HeadReport& report) {
  report::Table table{"Table 1: rgba, a plane, a camera's picture",
                      {"version", "transfer", "calculation", "CPU's share", "total", "mean of 100", "CPU 1 / total",
                       "frames/s", "the paper's total", "the paper's CPU 1 / total", "error, pixels", "error, area"},
                      1,
                      {}};
  const double paper_cpu1 = *paper_total("cpu1");
  for (const HeadRow* row : report.table("paper")) {
    const auto paper = paper_total(row->name);
    table.rows.push_back({{row->name, or_dash(row->stage("transfer"), Unit::milliseconds),
                           or_dash(row->calculation_ms, Unit::milliseconds), or_dash(row->cpu_share, Unit::percent),
                           with_unit(row->ms.median, Unit::milliseconds), or_dash(row->mean_ms, Unit::milliseconds),
                           or_dash(row->speedup_cpu1, Unit::factor), with_unit(row->frames_per_second(), Unit::count),
                           or_dash(paper, Unit::milliseconds),
                           or_dash(paper ? std::optional(paper_cpu1 / *paper) : std::nullopt, Unit::factor),
                           scientific(row->centroid_error), scientific(row->area_error)}});
  }
  return table;
}

void add_table(report::Section& section, const HeadReport& report, const char* name, const char* title) {
  const auto rows = report.table(name);
  if (rows.empty()) return;
  report::Table table{title,
                      {"what", "a frame", "quartiles", "device", "× floor", "× floor (device)", "frames/s",
                       "error, pixels", "error, area", "measured"},
                      1,
                      {}};
  for (const HeadRow* row : rows)
    table.rows.push_back({{row->name, with_unit(row->ms.median, Unit::milliseconds), quartiles(row->ms),
                           or_dash(row->stage(row->table == "kernels" ? "kernel" : "device"), Unit::milliseconds),
                           or_dash(row->over_floor, Unit::factor), or_dash(row->over_floor_device, Unit::factor),
                           with_unit(row->frames_per_second(), Unit::count), scientific(row->centroid_error),
                           scientific(row->area_error), fmt::format("{} ×", row->repeats)}});
  section.blocks.emplace_back(std::move(table));
}

report::Bars time_bars(const std::string& title) {
  report::Bars bars;
  bars.title = title;
  bars.axis = {"time per frame", Unit::milliseconds, true, {}, {}, false};
  return bars;
}

report::Bars paper_figure(const HeadReport& report) {
  report::Bars bars = time_bars(fmt::format("Figure 4: one frame of {} × {}", report.width, report.height));
  for (const HeadRow* row : report.table("paper")) {
    const auto transfer = row->stage("transfer");
    bars.bars.push_back({row->name, row->ms.median, colour_of(*row),
                         transfer && *transfer > 0 ? "transfer " + with_unit(*transfer, Unit::milliseconds) : "", 0});
    if (const auto paper = paper_total(row->name)) bars.bars.push_back({"the paper's", *paper, 1, "", 0});
  }
  return bars;
}

// The cpu backend beside its lower bound, for camera images.
report::Bars cpu_figure(const HeadReport& report) {
  report::Bars bars = time_bars("The cpu backend, bgr and nv12");
  for (const HeadRow* row : report.table("cpu")) {
    if (row->format != "bgr" && row->format != "nv12") continue;
    bars.bars.push_back({fmt::format("{} {}{}", row->format, row->classifier, row->picture == "noise" ? " noise" : ""),
                         row->ms.median, row->classifier == "plane" ? 2 : 5,
                         fmt::format("{} {}, {} floor", row->threads, row->threads == 1 ? "thread" : "threads",
                                     or_dash(row->over_floor, Unit::factor)),
                         0});
  }
  return bars;
}

}  // namespace

report::Report head_page(const HeadReport& report) {
  report::Section section;
  section.blocks.emplace_back(machine_list(
      report, fmt::format("frames of {} × {} pixels, made on the spot: a lit head with the noise of a sensor, and "
                          "white noise; seed {}",
                          report.width, report.height, report.seed)));
  const bool paper = !report.table("paper").empty();
  if (paper) {
    section.blocks.emplace_back(paper_table(report));
    section.blocks.emplace_back(
        report::Text{"The steps of the paper and the backends that go past them (cpu, cuda, joint). Totals are medians "
                     "by one clock, beside "
                     "means of 100 as in the paper; the transfer is by the GPU's clock, the calculation all else. The "
                     "paper measured on a "
                     "laptop of 2015.",
                     ""});
    section.blocks.emplace_back(paper_figure(report));
  }
  if (!report.table("cpu").empty()) section.blocks.emplace_back(cpu_figure(report));
  add_table(section, report, "kernels", "Kernels alone, without transfer, clearing and download");
  add_table(section, report, "cpu", "The cpu backend");
  add_table(section, report, "gpu", "The cuda and joint backends");
  add_table(section, report, "other", "Other programs, bgr");
  add_table(section, report, "floor", "The floors");
  section.blocks.emplace_back(report::Text{
      "Medians of the wall time of a call. Device: by the GPU's clock. × floor: time over the least time for the same "
      "bytes, which is reading them with as many threads, a bare transfer, or a read on the device. Alone: a different "
      "frame each time, none of them in the device's cache. With events: recorded around the launch, at the expense of "
      "wall time. Errors are against the double-precision reference: of the centroid in pixels, of the area as a share "
      "of the frame.",
      ""});
  return {"The head's sums, measured", "", {std::move(section)}, ""};
}

}  // namespace kinema::bench
