#include "bench/head/head_report.h"
#include "bench/number_text.h"
#include "bench/paper_table.h"

#include <fmt/format.h>

namespace kinema::bench {
namespace {

std::string small(const std::optional<double>& value) { return value ? fmt::format("{:.1e}", *value) : "-"; }

std::string paper_text(const HeadReport& report) {
  std::string text = fmt::format("{:<10} {:>11} {:>14} {:>9} {:>9} {:>9} {:>11} {:>10} {:>14} {:>14} {:>10}\n",
                                 "version", "transfer ms", "calculation ms", "CPU share", "total ms", "mean ms",
                                 "CPU1/total", "frames/s", "paper total ms", "error px", "error area");
  for (const HeadRow* row : report.table("paper"))
    text += fmt::format("{:<10} {:>11} {:>14} {:>9} {:>9} {:>9} {:>11} {:>10} {:>14} {:>14} {:>10}\n", row->name,
                        or_dash(row->stage("transfer")), or_dash(row->calculation_ms), or_dash(row->cpu_share),
                        short_number(row->ms.median), or_dash(row->mean_ms), or_dash(row->speedup_cpu1),
                        short_number(row->frames_per_second()), or_dash(paper_total(row->name)),
                        small(row->centroid_error), small(row->area_error));
  return text;
}

std::string plain_table(const HeadReport& report, const char* name) {
  std::string text = fmt::format("{:<58} {:>10} {:>21} {:>10} {:>9} {:>9} {:>10} {:>10} {:>7}\n", "what", "us a frame",
                                 "quartiles", "device us", "x floor", "(device)", "error px", "error area", "timed");
  for (const HeadRow* row : report.table(name)) {
    const auto device = row->stage(row->table == "kernels" ? "kernel" : "device");
    text += fmt::format(
        "{:<58} {:>10} {:>21} {:>10} {:>9} {:>9} {:>10} {:>10} {:>7}\n", row->name, short_number(1e3 * row->ms.median),
        short_number(1e3 * row->ms.low) + " - " + short_number(1e3 * row->ms.high),
        device ? short_number(1e3 * *device) : "-", or_dash(row->over_floor), or_dash(row->over_floor_device),
        small(row->centroid_error), small(row->area_error), row->repeats);
  }
  return text;
}

}  // namespace

std::string head_text(const HeadReport& report) {
  std::string text = fmt::format("The head's sums over a frame of {} x {} pixels, seed {}\n", report.width,
                                 report.height, report.seed);
  text += machine_text(report.machine, report.commit, report.date);
  if (!report.table("paper").empty()) text += "\nTable 1: rgba, a plane, a camera's picture\n" + paper_text(report);
  for (const auto& [name, title] :
       {std::pair{"kernels", "Kernels alone, by the GPU's clock"}, std::pair{"cpu", "The cpu backend"},
        std::pair{"gpu", "The cuda and joint backends"}, std::pair{"other", "Other programs"},
        std::pair{"floor", "The floors"}})
    if (!report.table(name).empty()) text += fmt::format("\n{}\n", title) + plain_table(report, name);
  text +=
      "\nTimes are medians of the wall clock around a call; in table 1 the transfer is by the GPU's clock, the "
      "calculation all\n"
      "else, and mean ms that of 100 calls. device us: by the GPU's clock. x floor: times as long as the least for the "
      "same bytes: reading them with as many threads, a bare\n"
      "transfer, a read on the device. alone: another frame each time, none of them in the device's cache. with "
      "events:\n"
      "recorded around the launch, which costs the wall time. Errors are against the double-precision reference: of "
      "the\n"
      "centroid in pixels, of the area as a share of the frame.\n";
  return text;
}

}  // namespace kinema::bench
