#include "bench/body/body_problem.h"
#include "bench/body/body_report.h"
#include "bench/machine_json.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace kinema::bench {
namespace {

using nlohmann::ordered_json;

ordered_json body_row_json(const BodyRow& row) {
  return {{"backend", row.backend},
          {"association", name(row.association)},
          {"points", row.points},
          {"samples", row.samples},
          {"ms", row.ms.median},
          {"ms_quartiles", {row.ms.low, row.ms.high}},
          {"ms_stages", stages_json(row.stages)},
          {"set_points_ms", row.set_points_ms},
          {"repeats", row.repeats},
          {"points_per_block", row.points_per_block > 0 ? ordered_json(row.points_per_block) : nullptr},
          {"scaled_from_samples", row.timed_samples < row.samples ? ordered_json(row.timed_samples) : nullptr},
          {"speedup_listing", optional_number(row.speedup_listing)},
          {"speedup_embree", optional_number(row.speedup_embree)},
          {"speedup_paper", optional_number(row.speedup_paper)},
          {"pairs_per_second", row.pairs_per_second},
          {"max_relative_error", row.max_relative_error},
          {"error_samples", row.error_samples}};
}

// Points by level of depth, and capsules as two circles, in pixels.
ordered_json scene_json(const report::Scenes::Scene& scene) {
  ordered_json points = ordered_json::array();
  for (const auto& level : scene.points) {
    ordered_json of_level = ordered_json::array();
    for (const auto& [x, y] : level) of_level.push_back({std::lround(x), std::lround(y)});
    points.push_back(std::move(of_level));
  }
  ordered_json outlines = ordered_json::array();
  for (const report::Scenes::Outline& outline : scene.outlines) {
    ordered_json one = ordered_json::array();
    for (const double number : outline) one.push_back(0.1 * static_cast<double>(std::lround(10 * number)));
    outlines.push_back(std::move(one));
  }
  return {{"text", scene.text},
          {"box", {scene.left, scene.top, scene.width, scene.height}},
          {"points", points},
          {"outlines", outlines}};
}

ordered_json tracker_json(const TrackerRow& row) {
  return {{"backend", row.backend},
          {"filter", row.filter},
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
          {"ms_stages", stages_json(row.stages)},
          {"joint_error", row.joint_error}};
}

ordered_json matcher_json(const MatcherRow& row) {
  return {{"name", row.name},
          {"size", {row.width, row.height}},
          {"disparities", row.disparities},
          {"ms", row.ms.median},
          {"ms_quartiles", {row.ms.low, row.ms.high}},
          {"ms_stages", stages_json(row.stages)},
          {"repeats", row.repeats},
          {"known", row.known},
          {"wrong", row.wrong}};
}

}  // namespace

std::string body_json(const BodyReport& report) {
  ordered_json json = run_json("body", report);
  json["settings"] = {{"tau", report.settings.tau},
                      {"sigma", report.settings.sigma},
                      {"association", name(report.settings.association)},
                      {"capsules", person_capsules},
                      {"seed", report.seed},
                      {"seconds", report.seconds}};
  json["points"] = report.points;
  json["samples"] = report.samples;
  add_rows(json, "rows", report.rows, body_row_json);
  add_rows(json, "trackers", report.trackers, tracker_json);
  for (const TrackerRow& row : report.trackers)
    if (row.scene) json["scene"] = scene_json(*row.scene);
  add_rows(json, "matchers", report.matchers, matcher_json);
  add_rows(json, "set_points", report.set_points, [](const SetPointsRow& row) {
    return ordered_json{
        {"backend", row.backend}, {"association", name(row.association)},      {"points", row.points},
        {"ms", row.ms.median},    {"ms_quartiles", {row.ms.low, row.ms.high}}, {"ms_stages", stages_json(row.stages)}};
  });
  add_rows(json, "blocks", report.blocks, [](const BlockRow& row) {
    return ordered_json{
        {"points_per_block", row.points_per_block}, {"ms", row.ms.median}, {"ms_quartiles", {row.ms.low, row.ms.high}}};
  });
  add_rows(json, "linear", report.linear, [](const LinearRow& row) {
    return ordered_json{{"points", row.points},
                        {"samples", row.samples},
                        {"ms", row.ms.median},
                        {"ms_quartiles", {row.ms.low, row.ms.high}}};
  });
  return json.dump() + "\n";
}

}  // namespace kinema::bench
