#include "bench/face_report.h"
#include "bench/plot.h"
#include "bench/report_page.h"

#include <fmt/format.h>

namespace kinema::bench {
namespace {

struct Curve {
  const char* backend;
  int colour;
};
constexpr Curve curves[] = {{"listing", 0}, {"opencv", 1}, {"cpu", 2}, {"paper", 4}, {"cuda", 3}, {"cuda batch", 5}};

std::string or_dash(const std::optional<double>& value, Unit unit) { return value ? with_unit(*value, unit) : "–"; }

template <class Value>
std::string size_plot(const FaceReport& report, const std::string& title, const char* label, Unit unit, Value value) {
  Plot plot{title, "pixels of the texture", label, Unit::count, unit, {}};
  for (const Curve& curve : curves) {
    Series series{curve.backend, curve.colour, false, {}};
    for (const FaceRow* row : report.of(curve.backend)) {
      const PlotPoint point = value(*row);
      if (point.y > 0) series.points.push_back({static_cast<double>(row->pixels), point.y, point.low, point.high});
    }
    if (!series.points.empty()) plot.series.push_back(std::move(series));
  }
  return to_svg(plot);
}

// Figure 6: time against frames, at one size.
std::string frames_plot(const FaceReport& report, std::size_t pixels) {
  Plot plot{fmt::format("Figure 6: time against frames, {} pixels", pixels),
            "frames",
            "time",
            Unit::count,
            Unit::milliseconds,
            {}};
  for (const Curve& curve : curves)
    for (const FaceRow* row : report.of(curve.backend)) {
      if (row->pixels != pixels || row->frame_ms.size() < 2) continue;
      Series series{curve.backend, curve.colour, false, {}};
      double frames = 1;
      for (const double ms : row->frame_ms) series.points.push_back({frames, ms, 0, 0}), frames *= 2;
      plot.series.push_back(std::move(series));
    }
  return to_svg(plot);
}

std::string row_table(const FaceReport& report) {
  HtmlTable table("Table 1: time a frame and an iteration",
                  {"pixels", "backend", "a frame", "quartiles", "an iteration", "device", "faces/s", "growth",
                   "× listing", "× OpenCV", "× paper", "error, pixels", "the paper's", "measured"},
                  2);
  std::size_t last = 0;
  for (const FaceRow& row : report.rows) {
    const bool first = row.pixels != last;
    last = row.pixels;
    const auto paper = paper_face_time(row.pixels);
    std::optional<double> printed;
    if (paper && row.backend == "listing") printed = paper->cpu_ms;
    if (paper && row.backend == "paper") printed = paper->gpu_ms;
    table.add({first ? std::to_string(row.pixels) : "", row.backend, with_unit(row.ms.median, Unit::milliseconds),
               with_unit(row.ms.low, Unit::milliseconds) + " – " + with_unit(row.ms.high, Unit::milliseconds),
               with_unit(row.iteration_ms, Unit::milliseconds), or_dash(row.stage("device"), Unit::milliseconds),
               with_unit(row.faces_per_second(), Unit::count), with_unit(row.growth, Unit::factor),
               or_dash(row.speedup_listing, Unit::factor), or_dash(row.speedup_opencv, Unit::factor),
               or_dash(row.speedup_paper, Unit::factor),
               row.landmark_error ? fmt::format("{:.1e}", *row.landmark_error) : "–",
               or_dash(printed, Unit::milliseconds), fmt::format("{} ×", row.repeats)},
              first);
  }
  return table.html();
}

}  // namespace

std::string face_html(const FaceReport& report) {
  std::string html = page_head("kinema: fitting faces, measured", "Fitting faces, measured");
  html += machine_html(
      report.machine, report.commit, report.date,
      fmt::format("models trained on 82 faces that were drawn on the spot, 68 landmarks; {} iterations "
                  "a frame, damping 1, 1/2, 1/4, 1/8; seed {}{}",
                  report.iterations, report.seed, report.facemark.empty() ? "" : "; OpenCV " + report.facemark));
  html += "<div class='plots'>";
  html += size_plot(report, "Time a frame", "time a frame", Unit::milliseconds, [](const FaceRow& row) {
    return PlotPoint{0, row.ms.median, row.ms.low, row.ms.high};
  });
  html += size_plot(report, "Figure 7: growth of the time", "times that of the smallest", Unit::factor,
                    [](const FaceRow& row) {
                      return PlotPoint{0, row.growth, 0, 0};
                    });
  html += size_plot(report, "Figure 8: speed-up over the listing", "times as fast as the listing", Unit::factor,
                    [](const FaceRow& row) {
                      return PlotPoint{0, row.backend == "listing" ? 0 : row.speedup_listing.value_or(0), 0, 0};
                    });
  // the paper shows five sizes; of others the first and the last
  const auto shown = [&](std::size_t pixels) {
    return pixels == report.pixels.front() || pixels == report.pixels.back() || pixels == 8192 || pixels == 16384 ||
           pixels == 32768;
  };
  for (const std::size_t pixels : report.pixels)
    if (shown(pixels)) html += frames_plot(report, pixels);
  html += "</div>\n";
  html += row_table(report);
  html +=
      "<p>A frame is one fit: median of the wall clock, the picture on the host, or already on the device for paper "
      "and "
      "cuda; device: the GPU's part by its own clock. Cuda batch: many faces in one call, a face's share. The listing "
      "is "
      "the paper's algorithms 1 and 2 on one thread, the paper its ten kernels on 4 × 1024 threads; OpenCV is "
      "FacemarkAAM, another model with as many texture modes and about as many pixels. Speed-ups over the paper's "
      "kernels "
      "are by device time, the others by wall time. Errors: the farthest landmark from that of the double-precision "
      "reference. The paper's own times are from an Athlon II X2 250 and a GTX 650.</p>\n";
  return html + page_foot();
}

}  // namespace kinema::bench
