#include "bench/face/face_figures.h"

#include "bench/machine_page.h"
#include "bench/number_text.h"

#include <fmt/format.h>

#include <utility>

namespace kinema::bench {
namespace {

using nlohmann::ordered_json;
using report::Unit;

constexpr const char* paper_parts[] = {"estimate p", "E", "delta p"};
constexpr const char* printed_shares = "the paper's CPU: estimate p 1 %, E 95 %, delta p 4 %";

std::string name_of(const FaceShares& shares) {
  if (shares.fit == "default") return "default fit, " + shares.backend;
  return fmt::format("{} pixels, {}", shares.pixels, shares.backend);
}

double share(const FaceShares& shares, const StageTime& part) {
  return shares.total() > 0 ? part.ms / shares.total() : 0;
}

// What the paper printed for its GPU, which hid the upload; for the listing its CPU.
std::optional<double> printed_rate(const FaceVideoRow& row) {
  const auto time = paper_face_time(row.pixels);
  if (!time) return std::nullopt;
  return 1000 / (row.backend == "listing" ? time->cpu_ms : time->gpu_ms);
}

report::Section shares_section(const std::vector<FaceShares>& all) {
  report::Section section{"Figure 2: where the time goes", "", {}};
  report::Table table{"Shares of a frame's time", {"fit", "part", "time", "share"}, 2, {}};
  for (const FaceShares& shares : all)
    for (std::size_t i = 0; i < shares.parts.size(); ++i)
      table.rows.push_back({{i == 0 ? name_of(shares) : "", shares.parts[i].stage,
                             report::with_unit(shares.parts[i].ms, Unit::milliseconds),
                             report::with_unit(share(shares, shares.parts[i]), Unit::percent)},
                            i == 0,
                            false});
  section.blocks.emplace_back(std::move(table));
  section.blocks.emplace_back(report::Text{
      fmt::format(
          "Of {}. Listing: the paper's serial program; paper: its kernels, with an event after each part. The cpu and "
          "cuda backends find E and R r in one pass. The default fit on a GPU is timed with and without its last "
          "parts.",
          printed_shares),
      ""});
  return section;
}

report::Section video_section(const FaceReport& report) {
  report::Section section{"Video: a face followed from frame to frame", "", {}};
  constexpr Curve curves[] = {{"listing", 0}, {"cpu", 2}, {"paper", 4}, {"cuda", 3}};
  report::Plot plot = logarithmic_plot("Frames per second", "pixels of the texture", "frames per second", Unit::count);
  for (const Curve& curve : curves) {
    report::Series series{curve.backend, curve.colour, report::Style::line, {}};
    for (const FaceVideoRow& row : report.video)
      if (row.backend == curve.backend)
        series.points.push_back({static_cast<double>(row.pixels), row.frames_per_second(), 0, 0});
    if (!series.points.empty()) plot.series.push_back(std::move(series));
  }
  report::Series printed{"the paper's GPU", 1, report::Style::dashed, {}};
  for (const std::size_t pixels : report.pixels)
    if (const auto time = paper_face_time(pixels))
      printed.points.push_back({static_cast<double>(pixels), 1000 / time->gpu_ms, 0, 0});
  if (!printed.points.empty()) plot.series.push_back(std::move(printed));
  section.blocks.emplace_back(std::move(plot));
  report::Table table{
      "Frames per second, pictures of 640 × 480 in host memory",
      {"backend", "pixels", "frame", "quartiles", "frames/s", "the paper's", "error, pixels", "measured"},
      1,
      {}};
  for (const FaceVideoRow& row : report.video)
    table.rows.push_back(
        {{row.backend, std::to_string(row.pixels), report::with_unit(row.ms.median, Unit::milliseconds),
          quartiles(row.ms), report::with_unit(row.frames_per_second(), Unit::count),
          or_dash(printed_rate(row), Unit::count), fmt::format("{:.2f}", row.error), fmt::format("{} ×", row.repeats)},
         false,
         false});
  section.blocks.emplace_back(std::move(table));
  return section;
}

report::Pictures pictures_of(const std::vector<FacePicture>& from, const std::string& shows) {
  report::Pictures pictures;
  for (const FacePicture& one : from)
    pictures.pictures.push_back({one.png, static_cast<int>(one.width), static_cast<int>(one.height),
                                 one.caption.empty() ? shows : shows + ", " + one.caption, one.caption});
  return pictures;
}

}  // namespace

double FaceShares::total() const {
  double sum = 0;
  for (const StageTime& part : parts) sum += part.ms;
  return sum;
}

std::vector<FaceShares> face_shares(const FaceReport& report) {
  std::vector<FaceShares> all;
  for (const FaceRow& row : report.rows) {
    FaceShares shares{"paper", row.backend, row.pixels, {}};
    for (const char* part : paper_parts)
      if (const auto ms = row.stage(part)) shares.parts.push_back({part, *ms});
    if (!shares.parts.empty()) all.push_back(std::move(shares));
  }
  for (const FaceFitRow& row : report.default_fits)
    if (!row.parts.empty()) all.push_back({"default", row.backend, 0, row.parts});
  return all;
}

std::string figures_text(const FaceReport& report) {
  std::string text;
  if (const std::vector<FaceShares> all = face_shares(report); !all.empty()) {
    text += "\nFigure 2: where the time of a frame goes\n";
    for (const FaceShares& shares : all) {
      text += fmt::format("{:<24} {:>9} ms:", name_of(shares), short_number(shares.total()));
      for (const StageTime& part : shares.parts)
        text += fmt::format("  {} {:.1f} %", part.stage, 100 * share(shares, part));
      text += "\n";
    }
    text += fmt::format("{}\n", printed_shares);
  }
  if (report.video.empty()) return text;
  text += "\nVideo: a face followed from frame to frame, pictures of 640 x 480 in host memory\n";
  text += fmt::format("{:>7} {:<8} {:>10} {:>10} {:>11} {:>9} {:>7}\n", "pixels", "backend", "ms a frame", "frames/s",
                      "paper's f/s", "error px", "timed");
  for (const FaceVideoRow& row : report.video)
    text += fmt::format("{:>7} {:<8} {:>10} {:>10} {:>11} {:>9.2f} {:>7}\n", row.pixels, row.backend,
                        short_number(row.ms.median), short_number(row.frames_per_second()), or_dash(printed_rate(row)),
                        row.error, fmt::format("{} x", row.repeats));
  text += fmt::format(
      "error px: mean distance of a landmark from where it was drawn; {:.2f} if nothing followed the face\n",
      report.video.back().start_error);
  return text;
}

void add_figures(const FaceReport& report, ordered_json& json) {
  if (const std::vector<FaceShares> all = face_shares(report); !all.empty()) {
    json["shares"] = ordered_json::array();
    for (const FaceShares& shares : all) {
      ordered_json parts = ordered_json::object();
      for (const StageTime& part : shares.parts) parts[part.stage] = {{"ms", part.ms}, {"share", share(shares, part)}};
      json["shares"].push_back(
          {{"fit", shares.fit}, {"backend", shares.backend}, {"pixels", shares.pixels}, {"parts", parts}});
    }
  }
  if (report.video.empty()) return;
  json["video"] = ordered_json::array();
  for (const FaceVideoRow& row : report.video) {
    const auto printed = printed_rate(row);
    json["video"].push_back({{"backend", row.backend},
                             {"pixels", row.pixels},
                             {"ms", row.ms.median},
                             {"ms_quartiles", {row.ms.low, row.ms.high}},
                             {"frames_per_second", row.frames_per_second()},
                             {"paper_frames_per_second", printed ? ordered_json(*printed) : nullptr},
                             {"error", row.error},
                             {"repeats", row.repeats}});
  }
}

std::vector<report::Section> figure_sections(const FaceReport& report) {
  std::vector<report::Section> sections;
  if (const std::vector<FaceShares> all = face_shares(report); !all.empty()) sections.push_back(shares_section(all));
  if (!report.templates.empty())
    sections.push_back({"Figure 5: templates of texture and shape", "", {pictures_of(report.templates, "a template")}});
  if (!report.video.empty()) sections.push_back(video_section(report));
  if (!report.sequence.empty())
    sections.push_back(
        {"",
         "",
         {pictures_of(report.sequence, "the face with its landmarks"),
          report::Text{"Frames of the clip with the landmarks that were found, each fit from the one before.", ""}}});
  return sections;
}

}  // namespace kinema::bench
