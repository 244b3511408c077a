#include "bench/body/body_problem.h"
#include "bench/body/body_report.h"
#include "bench/machine_json.h"

#include <nlohmann/json.hpp>

namespace kinema::bench {
namespace {

using nlohmann::ordered_json;

ordered_json stage_times(const std::vector<StageTime>& stages) {
  ordered_json json = ordered_json::object();
  for (const StageTime& time : stages) json[time.stage] = time.ms;
  return json;
}

ordered_json row_json(const BodyRow& row) {
  return {{"backend", row.backend},
          {"association", name(row.association)},
          {"points", row.points},
          {"samples", row.samples},
          {"ms", row.ms.median},
          {"ms_quartiles", {row.ms.low, row.ms.high}},
          {"ms_stages", stage_times(row.stages)},
          {"set_points_ms", row.set_points_ms},
          {"repeats", row.repeats},
          {"scaled_from_samples", row.timed_samples < row.samples ? ordered_json(row.timed_samples) : nullptr},
          {"speedup_listing", optional_number(row.speedup_listing)},
          {"speedup_embree", optional_number(row.speedup_embree)},
          {"speedup_paper", optional_number(row.speedup_paper)},
          {"pairs_per_second", row.pairs_per_second},
          {"max_relative_error", row.max_relative_error},
          {"error_samples", row.error_samples}};
}

ordered_json tracker_json(const TrackerRow& row) {
  return {{"backend", row.backend},
          {"association", name(row.association)},
          {"particles", row.particles},
          {"layers", row.layers},
          {"refined", row.refined},
          {"refine_steps", row.refine_steps},
          {"rivals", row.rivals},
          {"foreground", row.input != "points"},
          {"input", row.input},
          {"size", row.width == 0 ? ordered_json() : ordered_json({row.width, row.height})},
          {"points", row.points},
          {"background", row.background},
          {"frames", row.frames},
          {"lost", row.lost},
          {"frames_per_second", row.frames_per_second},
          {"ms", row.ms.median},
          {"ms_quartiles", {row.ms.low, row.ms.high}},
          {"ms_stages", stage_times(row.stages)},
          {"joint_error", row.joint_error}};
}

ordered_json matcher_json(const MatcherRow& row) {
  return {{"name", row.name},
          {"size", {row.width, row.height}},
          {"disparities", row.disparities},
          {"ms", row.ms.median},
          {"ms_quartiles", {row.ms.low, row.ms.high}},
          {"ms_stages", stage_times(row.stages)},
          {"repeats", row.repeats},
          {"known", row.known},
          {"wrong", row.wrong}};
}

}  // namespace

std::string body_json(const BodyReport& report) {
  ordered_json json = {{"kind", "body"},
                       {"date", report.date},
                       {"commit", report.commit},
                       {"machine", machine_json(report.machine)},
                       {"build", build_json(report.machine)},
                       {"settings",
                        {{"tau", report.settings.tau},
                         {"sigma", report.settings.sigma},
                         {"association", name(report.settings.association)},
                         {"capsules", person_capsules},
                         {"seed", report.seed},
                         {"seconds", report.seconds}}},
                       {"points", report.points},
                       {"samples", report.samples}};
  json["rows"] = ordered_json::array();
  for (const BodyRow& row : report.rows) json["rows"].push_back(row_json(row));
  json["trackers"] = ordered_json::array();
  for (const TrackerRow& row : report.trackers) json["trackers"].push_back(tracker_json(row));
  json["matchers"] = ordered_json::array();
  for (const MatcherRow& row : report.matchers) json["matchers"].push_back(matcher_json(row));
  json["set_points"] = ordered_json::array();
  for (const SetPointsRow& row : report.set_points)
    json["set_points"].push_back({{"backend", row.backend},
                                  {"association", name(row.association)},
                                  {"points", row.points},
                                  {"ms", row.ms.median},
                                  {"ms_quartiles", {row.ms.low, row.ms.high}},
                                  {"ms_stages", stage_times(row.stages)}});
  return json.dump() + "\n";
}

}  // namespace kinema::bench
