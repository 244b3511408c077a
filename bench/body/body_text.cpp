#include "bench/body/body_problem.h"
#include "bench/body/body_report.h"
#include "bench/number_text.h"

#include <fmt/format.h>

#include <cstddef>

namespace kinema::bench {
namespace {

std::string table(const std::vector<const BodyRow*>& rows, std::size_t BodyRow::*swept, const char* swept_name) {
  std::string text = fmt::format("{:>8}  {:<10} {:<12} {:>10} {:>10} {:>9} {:>10} {:>9} {:>8} {:>9} {:>10}  {}\n",
                                 swept_name, "backend", "association", "wall ms", "device ms", "points ms", "x listing",
                                 "x Embree", "x paper", "pairs/s", "max error", "timed");
  std::size_t last = 0;
  for (const BodyRow* row : rows) {
    if (last != 0 && row->*swept != last) text += "\n";
    last = row->*swept;
    const bool scaled = row->timed_samples < row->samples;
    text += fmt::format(
        "{:>8}  {:<10} {:<12} {:>10} {:>10} {:>9} {:>10} {:>9} {:>8} {:>9.2e} {:>10.1e}  {}\n", last, row->backend,
        name(row->association), short_number(row->ms.median), or_dash(row->stage("device")),
        short_number(row->set_points_ms), or_dash(row->speedup_listing), or_dash(row->speedup_embree),
        or_dash(row->speedup_paper), row->pairs_per_second, row->max_relative_error,
        scaled ? fmt::format("{} x, measured on {} of the samples, scaled", row->repeats, row->timed_samples)
               : fmt::format("{} x", row->repeats));
  }
  return text;
}

std::string stages_text(const std::vector<StageTime>& stages) {
  std::string text;
  for (const StageTime& time : stages)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", time.stage, short_number(time.ms));
  return text;
}

std::string tracker_table(const std::vector<TrackerRow>& rows) {
  std::string text =
      fmt::format("{:<10} {:<8} {:<12} {:>9} {:>6} {:>8} {:>6} {:>13} {:>8} {:>11} {:>8} {:>8} {:>6} {:>9}  {}\n",
                  "backend", "filter", "association", "particles", "layers", "refined", "rivals", "from", "points",
                  "background", "frames/s", "ms", "lost", "error mm", "ms by stage");
  for (const TrackerRow& row : rows) {
    text += fmt::format("{:<10} {:<8} {:<12} {:>9} {:>6} {:>8} {:>6} {:>13} {:>8} {:>11} {:>8} {:>8} {:>6} {:>9}  {}\n",
                        row.backend, row.filter, name(row.association), row.particles, row.layers,
                        fmt::format("{} x {}", row.refined, row.refine_steps), row.rivals, input_text(row), row.points,
                        row.background, short_number(row.frames_per_second), short_number(row.ms.median), row.lost,
                        short_number(1e3 * row.joint_error), stages_text(row.stages));
  }
  return text;
}

std::string matcher_table(const std::vector<MatcherRow>& rows) {
  std::string text = fmt::format("{:<16} {:>10} {:>11} {:>8} {:>8} {:>7} {:>7}  {}\n", "program", "pixels",
                                 "disparities", "ms", "quartile", "known", "wrong", "ms by stage");
  for (const MatcherRow& row : rows) {
    text += fmt::format("{:<16} {:>10} {:>11} {:>8} {:>8} {:>6.1f}% {:>6.2f}%  {}\n", row.name,
                        fmt::format("{} x {}", row.width, row.height), row.disparities, short_number(row.ms.median),
                        short_number(row.ms.high), 100 * row.known, 100 * row.wrong, stages_text(row.stages));
  }
  return text;
}

}  // namespace

std::string body_text(const BodyReport& report) {
  std::string text = fmt::format("The body likelihood, {} capsules, tau {} m, sigma {} m, seed {}\n", person_capsules,
                                 report.settings.tau, report.settings.sigma, report.seed);
  text += machine_text(report.machine, report.commit, report.date);
  text += fmt::format("\nTime against points, {} samples (figure 5a)\n", report.samples.back());
  text += table(report.by_points(), &BodyRow::points, "points");
  if (report.samples.size() > 1) {
    text += fmt::format("\nTime against samples, {} points (figure 5b)\n", report.points.back());
    text += table(report.by_samples(), &BodyRow::samples, "samples");
  }
  if (!report.trackers.empty()) {
    text +=
        "\nThe tracker, a person who walks, everything but reading files; from: its points as they are, or what "
        "it is cut out of\n" +
        tracker_table(report.trackers);
  }
  if (!report.matchers.empty())
    text += "\nStereo matching of whole pictures; wrong: of the known disparities, those off by over a pixel\n" +
            matcher_table(report.matchers);
  text +=
      "\nwall ms: median around evaluate(), all samples. device ms: the GPU's part of it. points ms: set_points(), "
      "once a "
      "frame,\nnot part of wall. x listing, x Embree: by wall ms. x paper: by device ms. pairs: points x samples x "
      "capsules.\nmax error: relative, of the log-likelihood against the double-precision reference with the same "
      "association,\nover the first samples. timed: repeats; what is linear in samples and slow is measured on some "
      "and "
      "scaled up.\n";
  return text;
}

}  // namespace kinema::bench
