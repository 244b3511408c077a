#include "bench/head/head_report.h"

#include "bench/machine_json.h"

#include <algorithm>

namespace kinema::bench {
namespace {

using nlohmann::ordered_json;

ordered_json head_row_json(const HeadRow& row) {
  return {{"table", row.table},
          {"name", row.name},
          {"backend", row.backend},
          {"format", row.format},
          {"classifier", row.classifier},
          {"picture", row.picture},
          {"place", row.place},
          {"threads", row.threads},
          {"frames", row.frames},
          {"ms", row.ms.median},
          {"ms_quartiles", {row.ms.low, row.ms.high}},
          {"ms_stages", stages_json(row.stages)},
          {"repeats", row.repeats},
          {"mean_ms", optional_number(row.mean_ms)},
          {"mean_of", row.mean_of},
          {"calculation_ms", optional_number(row.calculation_ms)},
          {"size", row.width > 0 ? ordered_json({row.width, row.height}) : nullptr},
          {"frames_per_second", row.frames_per_second()},
          {"speedup_cpu1", optional_number(row.speedup_cpu1)},
          {"cpu_share", optional_number(row.cpu_share)},
          {"floor", row.floor},
          {"over_floor", optional_number(row.over_floor)},
          {"over_floor_device", optional_number(row.over_floor_device)},
          {"centroid_error", optional_number(row.centroid_error)},
          {"area_error", optional_number(row.area_error)}};
}

}  // namespace

std::vector<const HeadRow*> HeadReport::table(std::string_view name) const {
  std::vector<const HeadRow*> found;
  for (const HeadRow& row : rows)
    if (row.table == name) found.push_back(&row);
  return found;
}

const HeadRow* HeadReport::find(std::string_view name) const {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const HeadRow& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

void compare_rows(HeadReport& report) {
  const HeadRow* cpu1 = report.find("cpu1");
  for (HeadRow& row : report.rows) {
    if (row.table == "paper") row.calculation_ms = row.ms.median - row.stage("transfer").value_or(0);
    if (cpu1 != nullptr && row.table == "paper") row.speedup_cpu1 = cpu1->ms.median / row.ms.median;
    const HeadRow* floor = row.floor.empty() ? nullptr : report.find(row.floor);
    if (floor == nullptr) continue;
    row.over_floor = row.ms.median / floor->ms.median;
    const auto own = row.stage("device"), least = floor->stage("device");
    if (own && least && *least > 0) row.over_floor_device = *own / *least;
  }
}

std::string head_json(const HeadReport& report) {
  ordered_json json = run_json("head", report);
  json["settings"] = {
      {"width", report.width}, {"height", report.height}, {"seed", report.seed}, {"seconds", report.seconds}};
  add_rows(json, "rows", report.rows, head_row_json);
  return json.dump() + "\n";
}

}  // namespace kinema::bench
