#include "bench/bars.h"
#include "bench/head_report.h"
#include "bench/paper_table.h"
#include "bench/plot.h"
#include "bench/report_page.h"

#include <fmt/format.h>

namespace kinema::bench {
namespace {

std::string or_dash(const std::optional<double>& value, Unit unit) { return value ? with_unit(*value, unit) : "–"; }
std::string small(const std::optional<double>& value) { return value ? fmt::format("{:.1e}", *value) : "–"; }

int colour_of(const HeadRow& row) {
  if (row.table == "floor") return 0;
  if (row.table == "other") return 1;
  if (row.backend == "joint" || row.backend == "cpu+gpu") return 4;
  return row.backend.starts_with("cpu") ? 2 : 3;
}

std::string paper_table(const HeadReport& report) {
  HtmlTable table("Table 1: rgba, a plane, a camera's picture",
                  {"version", "transfer", "calculation", "total", "CPU 1 / total", "frames/s", "the paper's total",
                   "the paper's CPU 1 / total", "error, pixels", "error, area"},
                  1);
  const double paper_cpu1 = *paper_total("cpu1");
  for (const HeadRow* row : report.table("paper")) {
    const auto paper = paper_total(row->name);
    table.add({row->name, or_dash(row->stage("transfer"), Unit::milliseconds),
               or_dash(row->stage("calculation"), Unit::milliseconds), with_unit(row->total_ms, Unit::milliseconds),
               or_dash(row->speedup_cpu1, Unit::factor), with_unit(row->frames_per_second(), Unit::count),
               or_dash(paper, Unit::milliseconds),
               or_dash(paper ? std::optional(paper_cpu1 / *paper) : std::nullopt, Unit::factor),
               small(row->centroid_error), small(row->area_error)},
              false);
  }
  return table.html();
}

std::string plain_table(const HeadReport& report, const char* name, const char* title) {
  const auto rows = report.table(name);
  if (rows.empty()) return "";
  HtmlTable table(title,
                  {"what", "a frame", "quartiles", "device", "× floor", "× floor (device)", "frames/s", "error, pixels",
                   "error, area", "measured"},
                  1);
  for (const HeadRow* row : rows)
    table.add({row->name, with_unit(row->ms.median, Unit::milliseconds),
               with_unit(row->ms.low, Unit::milliseconds) + " – " + with_unit(row->ms.high, Unit::milliseconds),
               or_dash(row->stage("device"), Unit::milliseconds), or_dash(row->over_floor, Unit::factor),
               or_dash(row->over_floor_device, Unit::factor), with_unit(row->frames_per_second(), Unit::count),
               small(row->centroid_error), small(row->area_error), fmt::format("{} ×", row->repeats)},
              false);
  return table.html();
}

std::string figure(const HeadReport& report, const std::string& title, std::initializer_list<const char*> tables) {
  std::vector<Bar> bars;
  for (const char* table : tables)
    for (const HeadRow* row : report.table(table)) {
      std::string name = row->name;
      if (row->table == "cpu") name = fmt::format("{} {} {}", row->classifier, row->format, row->threads);
      const auto transfer = row->stage("transfer");
      bars.push_back({name, row->total_ms, colour_of(*row),
                      row->table == "paper" && transfer && *transfer > 0
                          ? "transfer " + with_unit(*transfer, Unit::milliseconds)
                          : ""});
    }
  return bars_svg(title, bars);
}

// The cpu backend beside the floor under it, for the pictures that cameras give.
std::string cpu_figure(const HeadReport& report) {
  std::vector<Bar> bars;
  for (const HeadRow* row : report.table("cpu")) {
    if (row->format != "bgr" && row->format != "nv12") continue;
    bars.push_back({fmt::format("{} {} {}", row->format, row->classifier, row->picture == "noise" ? "noise" : ""),
                    row->ms.median, row->classifier == "plane" ? 2 : 5,
                    fmt::format("{} thr., {} floor", row->threads, or_dash(row->over_floor, Unit::factor))});
  }
  return bars_svg("The cpu backend, bgr and nv12", bars);
}

}  // namespace

std::string head_html(const HeadReport& report) {
  std::string html = page_head("kinema: the head's sums, measured", "The head's sums, measured");
  html += machine_html(report.machine, report.commit, report.date,
                       fmt::format("frames of {} × {} pixels, made on the spot: a lit head with the noise of a sensor, "
                                   "and white noise; seed {}",
                                   report.width, report.height, report.seed));
  if (!report.table("paper").empty()) {
    html += paper_table(report);
    html +=
        "<p>The steps of the paper and the backends that go past them (cpu, cuda, joint). Transfer and calculation are "
        "what the steps report; a total without them is the wall clock. The paper measured a laptop of 2015.</p>\n";
  }
  html += "<div class='plots'>";
  if (!report.table("paper").empty())
    html += figure(report, fmt::format("Figure 4: one frame of {} × {}", report.width, report.height), {"paper"});
  if (!report.table("cpu").empty()) html += cpu_figure(report);
  html += "</div>\n";
  html += plain_table(report, "cpu", "The cpu backend");
  html += plain_table(report, "gpu", "The cuda and joint backends");
  html += plain_table(report, "other", "Other programs, bgr");
  html += plain_table(report, "floor", "The floors");
  html +=
      "<p>Medians of the wall clock around a call; device: by the GPU's clock. × floor: times as long as the least for "
      "the same bytes: reading them with as many threads, a bare transfer, a read on the device. Alone: another frame "
      "each time, none of them in the device's cache. With events: recorded around the launch, which costs the wall "
      "time. Errors are against the double-precision reference: of the centroid in pixels, of the area as a share of "
      "the frame.</p>\n";
  return html + page_foot();
}

}  // namespace kinema::bench
