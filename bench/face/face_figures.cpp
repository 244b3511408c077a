#include "bench/face/face_figures.h"

#include "bench/machine_page.h"
#include "report/base64.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
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

report::Section shares_section(const std::vector<FaceShares>& all) {
  report::Section section{"Figure 2: where the time goes", "", {}};
  report::Table table{"Shares of a frame's time", {"fit", "part", "time", "share"}, 2, {}};
  for (const FaceShares& shares : all)
    for (std::size_t i = 0; i < shares.parts.size(); ++i)
      table.rows.push_back({{i == 0 ? name_of(shares) : "", shares.parts[i].stage,
                             report::with_unit(shares.parts[i].ms, Unit::milliseconds),
                             report::with_unit(share(shares, shares.parts[i]), Unit::percent)},
                            i == 0});
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

void add_figures(const FaceReport& report, ordered_json& json) {
  for (const FaceTemplate& one : report.small_templates) {
    const std::string_view bytes(reinterpret_cast<const char*>(one.texture.data()), one.texture.size());
    json["templates"].push_back(
        {{"pixels", one.pixels}, {"width", one.width}, {"height", one.height}, {"grey", report::base64(bytes)}});
  }
  // those of the others are the same, larger or smaller
  if (!report.small_templates.empty())
    for (const auto& corners : report.small_templates.back().triangles) {
      ordered_json numbers = ordered_json::array();
      for (const float number : corners) numbers.push_back(std::lround(number));
      json["triangles"].push_back(std::move(numbers));
    }
  if (const std::vector<FaceShares> all = face_shares(report); !all.empty()) {
    json["shares"] = ordered_json::array();
    for (const FaceShares& shares : all) {
      ordered_json parts = ordered_json::object();
      for (const StageTime& part : shares.parts) parts[part.stage] = {{"ms", part.ms}, {"share", share(shares, part)}};
      json["shares"].push_back(
          {{"fit", shares.fit}, {"backend", shares.backend}, {"pixels", shares.pixels}, {"parts", parts}});
    }
  }
}

std::vector<report::Section> figure_sections(const FaceReport& report) {
  std::vector<report::Section> sections;
  if (const std::vector<FaceShares> all = face_shares(report); !all.empty()) sections.push_back(shares_section(all));
  if (!report.templates.empty())
    sections.push_back({"Figure 5: templates of texture and shape", "", {pictures_of(report.templates, "a template")}});
  if (!report.sequence.empty())
    sections.push_back(
        {"",
         "",
         {pictures_of(report.sequence, "the face with its landmarks"),
          report::Text{"Frames of a film with the landmarks that were found, each fit from the one before.", ""}}});
  return sections;
}

}  // namespace kinema::bench
