#include "bench/face/product/product_report.h"

#include "bench/machine_json.h"
#include "bench/number_text.h"

#include <fmt/format.h>

namespace kinema::bench {
namespace {

using nlohmann::ordered_json;

std::string summary(const ProductReport& report) {
  std::string text = fmt::format("a copy within the device: {:.0f} GB/s; an empty kernel: {} us",
                                 report.copy_bytes_per_second / 1e9, short_number(report.launch_us));
  if (const auto mean = report.mean_ratio())
    text += fmt::format("; over SGEMV: {:.2f} in the geometric mean of those in the cache, {:.2f} at least", *mean,
                        *report.least_ratio());
  if (const auto share = report.least_copy_share())
    text += fmt::format("; beyond the cache: {:.0f} % of a copy's bandwidth at least", 100 * *share);
  return text;
}

}  // namespace

ordered_json product_json(const ProductReport& report) {
  ordered_json json = {{"cublas", report.cublas},
                       {"copy_bytes_per_second", report.copy_bytes_per_second},
                       {"launch_us", report.launch_us},
                       {"mean_ratio", optional_number(report.mean_ratio())},
                       {"least_ratio", optional_number(report.least_ratio())},
                       {"least_copy_share", optional_number(report.least_copy_share())},
                       {"rows", ordered_json::array()}};
  for (const ProductRow& row : report.rows)
    json["rows"].push_back({{"what", row.shape.what},
                            {"rows", row.shape.rows},
                            {"columns", row.shape.columns},
                            {"layout", row.layout},
                            {"us", row.us},
                            {"sgemv_us", optional_number(row.sgemv_us)},
                            {"ratio", optional_number(row.ratio)},
                            {"bytes_per_second", row.bytes_per_second},
                            {"copy_share", row.copy_share},
                            {"difference", row.difference}});
  return json;
}

report::Section product_section(const ProductReport& report) {
  report::Section section;
  section.title = "Matrix–vector products" +
                  (report.cublas.empty() ? "; cuBLAS is not installed" : ", against cuBLAS " + report.cublas);
  report::Table table{"R r and its like, by a layout measured for the shape (reference 29 of the paper)",
                      {"what", "layout", "rows", "columns", "µs", "SGEMV, µs", "ratio", "GB/s", "of a copy", "differ"},
                      2,
                      {}};
  std::string last;
  for (const ProductRow& row : report.rows) {
    table.rows.push_back(
        {{row.shape.what, row.layout, std::to_string(row.shape.rows), std::to_string(row.shape.columns),
          short_number(row.us), or_dash(row.sgemv_us), row.ratio ? fmt::format("{:.2f}", *row.ratio) : "–",
          fmt::format("{:.0f}", row.bytes_per_second / 1e9), fmt::format("{:.0f} %", 100 * row.copy_share),
          fmt::format("{:.1e}", row.difference)},
         row.shape.what != last});
    last = row.shape.what;
  }
  section.blocks.emplace_back(std::move(table));
  section.blocks.emplace_back(
      report::Text{"Many launches in one graph, for both alike; medians. All but those called memory stay in the L2 "
                   "cache from launch to "
                   "launch, as R does from iteration to iteration. " +
                       summary(report) + ".",
                   ""});
  return section;
}

}  // namespace kinema::bench
