#include "bench/face/product/product_report.h"

#include "bench/number_text.h"

#include <fmt/format.h>

namespace kinema::bench {
namespace {

using nlohmann::ordered_json;

ordered_json or_null(const std::optional<double>& value) { return value ? ordered_json(*value) : nullptr; }

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

std::string product_text(const ProductReport& report) {
  std::string text =
      fmt::format("\nMatrix-vector products on the device (reference 29 of the paper){}\n",
                  report.cublas.empty() ? "; cuBLAS is not installed" : ", against cuBLAS " + report.cublas);
  text += fmt::format("{:<8} {:>6} {:>8} {:>9} {:>9} {:>6} {:>7} {:>7} {:>8}  {}\n", "what", "rows", "columns", "us",
                      "SGEMV us", "ratio", "GB/s", "of copy", "differ", "layout");
  for (const ProductRow& row : report.rows)
    text += fmt::format("{:<8} {:>6} {:>8} {:>9} {:>9} {:>6} {:>7.0f} {:>6.0f}% {:>8.1e}  {}\n", row.shape.what,
                        row.shape.rows, row.shape.columns, short_number(row.us), or_dash(row.sgemv_us),
                        row.ratio ? fmt::format("{:.2f}", *row.ratio) : "-", row.bytes_per_second / 1e9,
                        100 * row.copy_share, row.difference, row.layout);
  return text + summary(report) + "\n";
}

ordered_json product_json(const ProductReport& report) {
  ordered_json json = {{"cublas", report.cublas},
                       {"copy_bytes_per_second", report.copy_bytes_per_second},
                       {"launch_us", report.launch_us},
                       {"mean_ratio", or_null(report.mean_ratio())},
                       {"least_ratio", or_null(report.least_ratio())},
                       {"least_copy_share", or_null(report.least_copy_share())},
                       {"rows", ordered_json::array()}};
  for (const ProductRow& row : report.rows)
    json["rows"].push_back({{"what", row.shape.what},
                            {"rows", row.shape.rows},
                            {"columns", row.shape.columns},
                            {"layout", row.layout},
                            {"us", row.us},
                            {"sgemv_us", or_null(row.sgemv_us)},
                            {"ratio", or_null(row.ratio)},
                            {"bytes_per_second", row.bytes_per_second},
                            {"copy_share", row.copy_share},
                            {"difference", row.difference}});
  return json;
}

report::Section product_section(const ProductReport& report) {
  report::Section section;
  section.title = "Matrix–vector products";
  report::Table table{"R r and its like, by a layout measured for the shape (reference 29 of the paper)",
                      {"what", "layout", "rows", "columns", "µs", "SGEMV, µs", "ratio", "GB/s", "of a copy"},
                      2,
                      {}};
  std::string last;
  for (const ProductRow& row : report.rows) {
    table.rows.push_back(
        {{row.shape.what, row.layout, std::to_string(row.shape.rows), std::to_string(row.shape.columns),
          short_number(row.us), or_dash(row.sgemv_us), row.ratio ? fmt::format("{:.2f}", *row.ratio) : "–",
          fmt::format("{:.0f}", row.bytes_per_second / 1e9), fmt::format("{:.0f} %", 100 * row.copy_share)},
         row.shape.what != last,
         false});
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
