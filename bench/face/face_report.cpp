#include "bench/face/face_report.h"

#include "bench/face/face_figures.h"
#include "bench/face/product/product_report.h"
#include "bench/machine_json.h"

#include <algorithm>

namespace kinema::bench {
namespace {

using nlohmann::ordered_json;

constexpr PaperFaceTime paper_face_times[] = {
    {4096, 75.57, 9.74},     {8192, 180.58, 11.08},   {12288, 271.40, 12.65},  {16384, 366.81, 14.06},
    {20480, 445.58, 15.18},  {24576, 543.34, 16.64},  {28672, 632.59, 17.94},  {32768, 727.48, 19.15},
    {36864, 813.35, 20.58},  {40960, 903.71, 21.85},  {45056, 1000.40, 23.02}, {49152, 1077.62, 24.47},
    {53248, 1158.40, 26.54}, {57344, 1243.77, 26.91}, {61440, 1333.50, 28.26}, {65536, 1423.24, 29.58}};

ordered_json face_row_json(const FaceRow& row) {
  return {{"backend", row.backend},
          {"pixels", row.pixels},
          {"modes", row.modes},
          {"faces", row.faces},
          {"image", row.image},
          {"ms", row.ms.median},
          {"ms_quartiles", {row.ms.low, row.ms.high}},
          {"mean_ms", row.mean_ms},
          {"ms_stages", stages_json(row.stages)},
          {"upload_ms", optional_number(row.upload_ms)},
          {"free_iterations", optional_number(row.free_iterations)},
          {"error", optional_number(row.error)},
          {"lost", row.lost},
          {"iteration_ms", row.iteration_ms},
          {"frames_ms", row.frame_ms},
          {"faces_per_second", row.faces_per_second()},
          {"repeats", row.repeats},
          {"growth", row.growth},
          {"speedup_listing", optional_number(row.speedup_listing)},
          {"speedup_opencv", optional_number(row.speedup_opencv)},
          {"speedup_paper", optional_number(row.speedup_paper)},
          {"landmark_error", optional_number(row.landmark_error)}};
}

const FaceRow* at_size(const FaceReport& report, std::string_view backend, std::size_t pixels) {
  for (const FaceRow* row : report.of(backend))
    if (row->pixels == pixels) return row;
  return nullptr;
}

}  // namespace

std::vector<const FaceRow*> FaceReport::of(std::string_view backend) const {
  std::vector<const FaceRow*> found;
  for (const FaceRow& row : rows)
    if (row.backend == backend) found.push_back(&row);
  return found;
}

std::vector<std::string> FaceReport::backends() const {
  std::vector<std::string> names;
  for (const FaceRow& row : rows)
    if (std::find(names.begin(), names.end(), row.backend) == names.end()) names.push_back(row.backend);
  return names;
}

void compare_rows(FaceReport& report) {
  for (FaceRow& row : report.rows) {
    row.growth = row.ms.median / report.of(row.backend).front()->ms.median;
    if (const FaceRow* listing = at_size(report, "listing", row.pixels))
      row.speedup_listing = listing->ms.median / row.ms.median;
    if (const FaceRow* opencv = at_size(report, "opencv", row.pixels))
      row.speedup_opencv = opencv->ms.median / row.ms.median;
    const FaceRow* paper = at_size(report, "paper", row.pixels);
    const auto ours = row.stage("device"), theirs = paper != nullptr ? paper->stage("device") : std::nullopt;
    if (ours && theirs && *ours > 0) row.speedup_paper = *theirs / *ours;
  }
}

std::optional<PaperFaceTime> paper_face_time(std::size_t pixels) {
  for (const PaperFaceTime& time : paper_face_times)
    if (time.pixels == pixels) return time;
  return std::nullopt;
}

std::string face_json(const FaceReport& report) {
  ordered_json json = run_json("face", report);
  json["facemark"] = report.facemark;
  json["settings"] = {{"iterations", report.iterations}, {"seed", report.seed}, {"seconds", report.seconds}};
  json["pixels"] = report.pixels;
  add_rows(json, "rows", report.rows, face_row_json);
  if (!report.default_fits.empty()) {
    json["model"] = report.model;
    add_rows(json, "default_fits", report.default_fits, [](const FaceFitRow& row) {
      return ordered_json{{"what", row.what},
                          {"backend", row.backend},
                          {"faces", row.faces},
                          {"ms", {{"median", row.ms.median}, {"low", row.ms.low}, {"high", row.ms.high}}},
                          {"faces_per_second", row.faces_per_second()},
                          {"iterations", row.iterations},
                          {"landmark_error", row.landmark_error},
                          {"repeats", row.repeats},
                          {"stages", stages_json(row.stages)}};
    });
  }
  add_figures(report, json);
  if (report.products) json["products"] = product_json(*report.products);
  return json.dump() + "\n";
}

}  // namespace kinema::bench
