#include "bench/face/face_figures.h"
#include "bench/face/face_report.h"
#include "bench/face/product/product_report.h"
#include "bench/number_text.h"

#include <fmt/format.h>

namespace kinema::bench {
namespace {

std::string table_text(const FaceReport& report) {
  std::string text = "\nTable 1 and figures 7 and 8\n";
  text +=
      fmt::format("{:>7} {:<11} {:>10} {:>12} {:>10} {:>10} {:>8} {:>10} {:>9} {:>8} {:>11} {:>9} {:>9} {:>5} {:>7}\n",
                  "pixels", "backend", "mean ms", "ms iteration", "device ms", "faces/s", "growth", "x listing",
                  "x OpenCV", "x paper", "ref. px", "paper ms", "error px", "lost", "timed");
  std::size_t last = 0;
  for (const FaceRow& row : report.rows) {
    if (last != 0 && row.pixels != last) text += "\n";
    last = row.pixels;
    const auto paper = paper_face_time(row.pixels);
    std::optional<double> printed;
    if (paper && row.backend == "listing") printed = paper->cpu_ms;
    if (paper && row.backend == "paper") printed = paper->gpu_ms;
    text += fmt::format(
        "{:>7} {:<11} {:>10} {:>12} {:>10} {:>10} {:>8} {:>10} {:>9} {:>8} {:>11} {:>9} {:>9} {:>5} {:>7}\n",
        row.pixels, row.backend, short_number(row.mean_ms), short_number(row.iteration_ms),
        or_dash(row.stage("device")), short_number(row.faces_per_second()), short_number(row.growth),
        or_dash(row.speedup_listing), or_dash(row.speedup_opencv), or_dash(row.speedup_paper),
        row.landmark_error ? fmt::format("{:.1e}", *row.landmark_error) : "-", or_dash(printed), or_dash(row.error),
        row.lost, fmt::format("{} x", row.repeats));
  }
  text +=
      "\nmean ms: of the wall clock around fits of frame after frame of films, the picture on the host, its upload "
      "hidden\n"
      "behind the fit before; faces/s, growth and ratios by the median. device ms: the GPU's part by its clock. cuda "
      "batch: many faces a call, a face's share. growth: over the "
      "same backend at\nthe first size. x listing, x OpenCV: by the wall clock; x paper: by the device's. OpenCV fits "
      "another model (FacemarkAAM,\nas many texture modes) of about as many pixels. ref. px: farthest landmark from "
      "the double-precision reference's.\npaper ms: what the paper printed for its CPU and GPU. error px: mean "
      "distance of "
      "a landmark from where it was drawn;\nlost: frames in which that was over a fifth of the distance between the "
      "eyes.\n";
  return text;
}

std::string default_fit_text(const FaceReport& report) {
  std::string text;
  text += fmt::format("\nThe default fit of {}, pictures of 640 x 480 in host memory\n", report.model);
  text += fmt::format("{:<9} {:<8} {:>6} {:>10} {:>10} {:>11} {:>11} {:>7}\n", "what", "backend", "faces", "ms a face",
                      "faces/s", "iterations", "from cpu px", "timed");
  for (const FaceFitRow& row : report.default_fits) {
    text += fmt::format("{:<9} {:<8} {:>6} {:>10} {:>10} {:>11.1f} {:>11.1e} {:>7}\n", row.what, row.backend, row.faces,
                        short_number(row.ms.median), short_number(row.faces_per_second()), row.iterations,
                        row.landmark_error, fmt::format("{} x", row.repeats));
    for (const StageTime& stage : row.stages)
      text += fmt::format("{:<9} {:<8} {:>17} ms {}\n", "", "", short_number(stage.ms), stage.stage);
  }
  return text;
}

}  // namespace

std::string face_text(const FaceReport& report) {
  std::string text =
      fmt::format("Fitting faces: combined appearance models, {} landmarks, {} iterations a frame, seed {}\n", 68,
                  report.iterations, report.seed);
  text += machine_text(report.machine, report.commit, report.date);
  if (!report.facemark.empty()) text += fmt::format("OpenCV {} with its module face\n", report.facemark);
  if (!report.rows.empty()) text += table_text(report);
  if (!report.default_fits.empty()) text += default_fit_text(report);
  text += figures_text(report);
  if (report.products) text += product_text(*report.products);
  return text;
}

}  // namespace kinema::bench
