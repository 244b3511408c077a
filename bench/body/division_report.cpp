#include "bench/body/division_bench.h"
#include "bench/machine_json.h"
#include "bench/machine_page.h"
#include "bench/number_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace kinema::bench {
namespace {

using nlohmann::ordered_json;

constexpr const char* on_one =
    "All parts ran on one device: the difference is what the division costs, and no gain can come of it.";

std::string devices_text(const DivisionReport& report) {
  if (report.backend != Backend::cuda) return fmt::format("{} parts of the CPU's work", report.devices.size());
  return fmt::format("{} parts on the GPUs {}", report.devices.size(), fmt::join(report.devices, ", "));
}

report::Table division_table(const DivisionReport& report) {
  report::Table table{"Whole and divided: " + devices_text(report),
                      {"operation", "points", "samples", "whole", "divided", "overhead", "exchanged", "same bits"},
                      1,
                      {}};
  for (const DivisionRow& row : report.rows) {
    table.rows.push_back(
        {{row.what, std::to_string(row.points), std::to_string(row.samples),
          fmt::format("{} ms", short_number(row.whole.median)), fmt::format("{} ms", short_number(row.divided.median)),
          fmt::format("{:+.1f} %", 100 * row.overhead()),
          row.bytes > 0 ? fmt::format("{:.1f} kB per frame", row.bytes / 1000) : "-", row.same_bits ? "yes" : "no"}});
  }
  return table;
}

report::Table scaling_table(const DivisionReport& report, const std::string& scaling) {
  report::Table table{
      scaling == "strong" ? "Strong scaling: the same problem on more ranks" : "Weak scaling: as much for each rank",
      {"operation", "ranks", "points", "samples", "time", "efficiency", "exchanged"},
      1,
      {}};
  for (const ScalingRow& row : report.scaling) {
    if (row.scaling != scaling) continue;
    table.rows.push_back(
        {{row.what, std::to_string(row.ranks), std::to_string(row.points), std::to_string(row.samples),
          fmt::format("{} ms", short_number(row.ms.median)), fmt::format("{:.0f} %", 100 * row.efficiency),
          row.bytes > 0 ? fmt::format("{:.1f} kB per frame", row.bytes / 1000) : "-"}});
  }
  return table;
}

std::vector<report::Table> tables(const DivisionReport& report) {
  std::vector<report::Table> all;
  if (!report.rows.empty()) all.push_back(division_table(report));
  if (!report.scaling.empty()) {
    all.push_back(scaling_table(report, "strong"));
    all.push_back(scaling_table(report, "weak"));
  }
  return all;
}

}  // namespace

std::string division_json(const DivisionReport& report) {
  ordered_json json = run_json("body division", report);
  json["backend"] = name(report.backend);
  json["devices"] = report.devices;
  json["ranks"] = report.ranks;
  json["one_device"] = report.one_device;
  add_rows(json, "division", report.rows, [](const DivisionRow& row) {
    return ordered_json{{"what", row.what},
                        {"points", row.points},
                        {"samples", row.samples},
                        {"parts", row.parts},
                        {"ms", row.whole.median},
                        {"ms_quartiles", {row.whole.low, row.whole.high}},
                        {"ms_stages", stages_json(row.stages)},
                        {"divided_ms_stages", stages_json(row.divided_stages)},
                        {"divided_ms", row.divided.median},
                        {"divided_ms_quartiles", {row.divided.low, row.divided.high}},
                        {"overhead", row.overhead()},
                        {"bytes_per_frame", row.bytes},
                        {"same_bits", row.same_bits}};
  });
  add_rows(json, "scaling", report.scaling, [](const ScalingRow& row) {
    return ordered_json{{"scaling", row.scaling},
                        {"what", row.what},
                        {"ranks", row.ranks},
                        {"points", row.points},
                        {"samples", row.samples},
                        {"ms", row.ms.median},
                        {"ms_quartiles", {row.ms.low, row.ms.high}},
                        {"efficiency", row.efficiency},
                        {"bytes_per_frame", row.bytes}};
  });
  return json.dump() + "\n";
}

report::Report division_page(const DivisionReport& report) {
  report::Section section;
  section.blocks = {
      machine_list(report, "the likelihood of poses, and frames of a person who walks, without reading files")};
  for (report::Table& table : tables(report)) section.blocks.emplace_back(std::move(table));
  if (!report.rows.empty() && report.one_device) section.blocks.emplace_back(report::Text{on_one, ""});
  return {"The body, divided", "", {std::move(section)}, ""};
}

}  // namespace kinema::bench
