#include "bench/face/face_figures.h"
#include "bench/face/face_report.h"
#include "bench/face/product/product_report.h"
#include "bench/machine_page.h"

#include <fmt/format.h>

#include <utility>

namespace kinema::bench {
namespace {

using report::Unit;
using report::with_unit;

constexpr Curve face_curves[] = {{"listing", 0}, {"opencv", 1}, {"cpu", 2},
                                 {"paper", 4},   {"cuda", 3},   {"cuda batch", 5}};

// `value` gives the point of a row, whose x is set here, and `printed` what the paper has there.
template <class Value, class Printed>
report::Plot size_plot(const FaceReport& report, const std::string& title, const char* label, Unit unit, Value value,
                       Printed printed) {
  report::Plot plot = logarithmic_plot(title, "pixels of the texture", label, unit);
  for (const Curve& curve : face_curves) {
    report::Series series{curve.backend, curve.colour, report::Style::line, {}};
    for (const FaceRow* row : report.of(curve.backend)) {
      report::Point point = value(*row);
      point.x = static_cast<double>(row->pixels);
      if (point.y) series.points.push_back(point);
    }
    if (!series.points.empty()) plot.series.push_back(std::move(series));
  }
  // the paper's own, from its table 1
  for (const bool gpu : {false, true}) {
    report::Series series{
        gpu ? "GTX 650 (the paper)" : "Athlon II (the paper)", gpu ? 4 : 0, report::Style::dashed, {}};
    for (const std::size_t pixels : report.pixels)
      if (const auto time = paper_face_time(pixels))
        if (const std::optional<double> y = printed(*time, gpu))
          series.points.push_back({static_cast<double>(pixels), y, 0, 0});
    if (!series.points.empty()) plot.series.push_back(std::move(series));
  }
  return plot;
}

// Figure 6: time over frames, at one size.
report::Plot frames_plot(const FaceReport& report, std::size_t pixels) {
  report::Plot plot = logarithmic_plot(fmt::format("Figure 6: time against frames, {} pixels", pixels), "frames",
                                       "time", Unit::milliseconds);
  for (const Curve& curve : face_curves)
    for (const FaceRow* row : report.of(curve.backend)) {
      if (row->pixels != pixels || row->frame_ms.size() < 2) continue;
      report::Series series{curve.backend, curve.colour, report::Style::line, {}};
      double frames = 1;
      for (const double ms : row->frame_ms) {
        series.points.push_back({frames, ms, 0, 0});
        frames *= 2;
      }
      plot.series.push_back(std::move(series));
    }
  return plot;
}

report::Table row_table(const FaceReport& report) {
  report::Table table{"Table 1: time per frame and per iteration",
                      {"pixels", "backend", "mean frame", "median", "quartiles", "iteration", "device", "faces/s",
                       "growth", "× listing", "× OpenCV", "× paper", "from the reference, pixels", "the paper's",
                       "error, pixels", "lost", "measured"},
                      2,
                      {}};
  std::size_t last = 0;
  for (const FaceRow& row : report.rows) {
    const bool first = row.pixels != last;
    last = row.pixels;
    const auto paper = paper_face_time(row.pixels);
    std::optional<double> printed;
    if (paper && row.backend == "listing") printed = paper->cpu_ms;
    if (paper && row.backend == "paper") printed = paper->gpu_ms;
    table.rows.push_back(
        {{first ? std::to_string(row.pixels) : "", row.backend, with_unit(row.mean_ms, Unit::milliseconds),
          with_unit(row.ms.median, Unit::milliseconds), quartiles(row.ms),
          with_unit(row.iteration_ms, Unit::milliseconds), or_dash(row.stage("device"), Unit::milliseconds),
          with_unit(row.faces_per_second(), Unit::count), with_unit(row.growth, Unit::factor),
          or_dash(row.speedup_listing, Unit::factor), or_dash(row.speedup_opencv, Unit::factor),
          or_dash(row.speedup_paper, Unit::factor),
          row.landmark_error ? fmt::format("{:.1e}", *row.landmark_error) : "–", or_dash(printed, Unit::milliseconds),
          row.error ? fmt::format("{:.2f}", *row.error) : "–", std::to_string(row.lost),
          fmt::format("{} ×", row.repeats)},
         first});
  }
  return table;
}

report::Table default_fit_table(const FaceReport& report) {
  report::Table table;
  table.title = fmt::format("The default fit of {}, pictures of 640 × 480 in host memory", report.model);
  table.columns = {"what", "backend", "per face", "faces/s", "iterations", "from cpu, px", "timed", "by stage"};
  table.text_columns = 2;
  for (const FaceFitRow& row : report.default_fits)
    table.rows.push_back(
        {{row.what, row.backend, with_unit(row.ms.median, Unit::milliseconds),
          with_unit(row.faces_per_second(), Unit::count), fmt::format("{:.1f}", row.iterations),
          fmt::format("{:.1e}", row.landmark_error), fmt::format("{} ×", row.repeats), stages_text(row.stages)}});
  return table;
}

}  // namespace

report::Report face_page(const FaceReport& report) {
  report::Section section;
  section.blocks = {
      machine_list(
          report,
          fmt::format("models trained on 82 drawn photographs, 68 landmarks, and films of people who turn, speak and "
                      "blink; {} iterations per "
                      "frame, damping 1, 1/2, 1/4, 1/8; seed {}{}",
                      report.iterations, report.seed, report.facemark.empty() ? "" : "; OpenCV " + report.facemark)),
      size_plot(
          report, "Time per frame", "time per frame", Unit::milliseconds,
          [](const FaceRow& row) {
            return report::Point{0, row.mean_ms, row.ms.low, row.ms.high};
          },
          [](const PaperFaceTime& time, bool gpu) { return std::optional(gpu ? time.gpu_ms : time.cpu_ms); }),
      size_plot(
          report, "Figure 7: growth of the time", "time over that of the smallest model", Unit::factor,
          [](const FaceRow& row) {
            return report::Point{0, row.growth, 0, 0};
          },
          [](const PaperFaceTime& time, bool gpu) {
            const PaperFaceTime least = *paper_face_time(4096);
            return std::optional(gpu ? time.gpu_ms / least.gpu_ms : time.cpu_ms / least.cpu_ms);
          }),
      size_plot(
          report, "Figure 8: speed-up over the listing", "speed-up over the listing", Unit::factor,
          [](const FaceRow& row) {
            return report::Point{0, row.backend == "listing" ? std::nullopt : row.speedup_listing, 0, 0};
          },
          [](const PaperFaceTime& time, bool gpu) {
            return gpu ? std::optional(time.cpu_ms / time.gpu_ms) : std::nullopt;
          })};
  // the paper shows five sizes; for others, the first and the last
  for (const std::size_t pixels : report.pixels)
    if (pixels == report.pixels.front() || pixels == report.pixels.back() || pixels == 8192 || pixels == 16384 ||
        pixels == 32768)
      section.blocks.emplace_back(frames_plot(report, pixels));
  section.blocks.emplace_back(row_table(report));
  if (!report.default_fits.empty()) section.blocks.emplace_back(default_fit_table(report));
  section.blocks.emplace_back(report::Text{
      "A frame is one fit of a film of many people, from the parameters that the one before ended with; the picture "
      "lies on "
      "the host, and its upload is hidden behind the fit before. Device: the GPU's part by its own clock. Cuda batch: "
      "many faces in one call, time per face. The listing "
      "is the paper's algorithms 1 and 2 on one thread, the paper its kernels on 4 × 1024 threads; OpenCV is "
      "FacemarkAAM, another model with as many texture modes and about as many pixels. Speed-ups over the paper's "
      "kernels are by device time, the others by wall time. Errors: the largest distance of a landmark from that of "
      "the double-precision reference. The paper's own times are from an Athlon II X2 250 and a GTX 650.",
      ""});
  std::vector<report::Section> sections;
  if (!report.rows.empty() || !report.default_fits.empty()) sections.push_back(std::move(section));
  for (report::Section& one : figure_sections(report)) sections.push_back(std::move(one));
  if (report.products) sections.push_back(product_section(*report.products));
  return {"Fitting faces, measured", "", std::move(sections), ""};
}

}  // namespace kinema::bench
