#include "report/report.h"

#include "report/base64.h"
#include "report/page_template.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <string_view>

namespace kinema::report {
namespace {

using nlohmann::ordered_json;

const char* name(Unit unit) {
  constexpr const char* names[] = {"number", "count", "milliseconds", "factor", "percent"};
  return names[static_cast<std::size_t>(unit)];
}

const char* name(Style style) {
  constexpr const char* names[] = {"line", "dashed", "thin", "dots"};
  return names[static_cast<std::size_t>(style)];
}

// Tenths of a pixel are as fine as a screen shows.
double rounded(double pixels) { return std::round(10 * pixels) / 10; }

ordered_json json(const Axis& axis) {
  ordered_json made = {{"label", axis.label}, {"unit", name(axis.unit)}, {"logarithmic", axis.logarithmic}};
  if (axis.from) made["from"] = *axis.from;
  if (axis.to) made["to"] = *axis.to;
  if (axis.hidden) made["hidden"] = true;
  return made;
}

ordered_json json(const Text& text) {
  ordered_json made = {{"kind", "text"}, {"text", text.text}};
  if (!text.link.empty()) made["link"] = text.link;
  return made;
}

ordered_json json(const Figures& figures) {
  ordered_json made = {{"kind", "figures"}, {"figures", ordered_json::array()}};
  for (const auto& figure : figures.figures)
    made["figures"].push_back({{"value", figure.value}, {"label", figure.label}});
  return made;
}

ordered_json json(const List& list) {
  ordered_json made = {{"kind", "list"}, {"entries", ordered_json::array()}};
  for (const auto& entry : list.entries) made["entries"].push_back({{"term", entry.term}, {"text", entry.text}});
  return made;
}

ordered_json json(const Table& table) {
  ordered_json made = {{"kind", "table"},
                       {"title", table.title},
                       {"columns", table.columns},
                       {"textColumns", table.text_columns},
                       {"rows", ordered_json::array()}};
  for (const auto& row : table.rows) {
    ordered_json entry = {{"cells", row.cells}};
    if (row.group) entry["group"] = true;
    if (row.total) entry["total"] = true;
    if (!row.link.empty()) entry["link"] = row.link;
    made["rows"].push_back(std::move(entry));
  }
  return made;
}

ordered_json json(const Series& series) {
  ordered_json made = {{"name", series.name}, {"colour", series.colour}, {"style", name(series.style)}};
  ordered_json x = ordered_json::array(), y = ordered_json::array(), spreads = ordered_json::array();
  for (const Point& point : series.points) {
    x.push_back(point.x);
    y.push_back(point.y ? ordered_json(*point.y) : nullptr);
    if (point.low < point.high) spreads.push_back({point.x, point.low, point.high});
  }
  made["x"] = std::move(x);
  made["y"] = std::move(y);
  if (!spreads.empty()) made["spreads"] = std::move(spreads);
  return made;
}

ordered_json json(const Plot& plot) {
  ordered_json made = {{"kind", "plot"},
                       {"title", plot.title},
                       {"x", json(plot.x)},
                       {"y", json(plot.y)},
                       {"series", ordered_json::array()},
                       {"limits", ordered_json::array()},
                       {"gaps", ordered_json::array()}};
  for (const Series& series : plot.series) made["series"].push_back(json(series));
  for (const auto& limit : plot.limits)
    made["limits"].push_back({{"vertical", limit.vertical}, {"at", limit.at}, {"label", limit.label}});
  for (const auto& gap : plot.gaps) made["gaps"].push_back({gap.from, gap.to});
  return made;
}

ordered_json json(const Bars& bars) {
  ordered_json made = {
      {"kind", "bars"}, {"title", bars.title}, {"axis", json(bars.axis)}, {"bars", ordered_json::array()}};
  for (const auto& bar : bars.bars) {
    ordered_json entry = {{"name", bar.name}, {"value", bar.value}, {"colour", bar.colour}, {"note", bar.note}};
    if (bar.whisker > 0) entry["whisker"] = bar.whisker;
    made["bars"].push_back(std::move(entry));
  }
  return made;
}

ordered_json json(const Pictures& pictures) {
  ordered_json made = {{"kind", "pictures"}, {"pictures", ordered_json::array()}};
  for (const auto& picture : pictures.pictures) {
    made["pictures"].push_back({{"source", "data:image/png;base64," + base64(picture.png)},
                                {"width", picture.width},
                                {"height", picture.height},
                                {"alternative", picture.alternative},
                                {"caption", picture.caption}});
  }
  return made;
}

ordered_json json(const Scenes& scenes) {
  ordered_json made = {{"kind", "scenes"}, {"scenes", ordered_json::array()}};
  for (const auto& scene : scenes.scenes) {
    ordered_json points = ordered_json::array(), outlines = ordered_json::array();
    for (const auto& level : scene.points) {
      ordered_json& flat = points.emplace_back(ordered_json::array());
      for (const auto& [x, y] : level) {
        flat.push_back(rounded(x));
        flat.push_back(rounded(y));
      }
    }
    for (const auto& outline : scene.outlines) {
      ordered_json& circles = outlines.emplace_back(ordered_json::array());
      for (const double value : outline) circles.push_back(rounded(value));
    }
    made["scenes"].push_back(
        {{"title", scene.title},
         {"text", scene.text},
         {"alternative", scene.alternative},
         {"box", {rounded(scene.left), rounded(scene.top), rounded(scene.width), rounded(scene.height)}},
         {"ramp", scene.ramp},
         {"low", scene.low},
         {"high", scene.high},
         {"points", std::move(points)},
         {"outlines", std::move(outlines)},
         {"dashed", scene.dashed}});
  }
  return made;
}

ordered_json json(const Film& film) { return {{"kind", "film"}, {"file", film.file}, {"text", film.text}}; }

ordered_json json(const Commands& commands) { return {{"kind", "commands"}, {"lines", commands.lines}}; }

}  // namespace

std::string with_unit(double value, Unit unit) {
  switch (unit) {
    case Unit::milliseconds:
      if (value >= 1000) return fmt::format("{:.3g} s", value / 1000);
      return value >= 1 ? fmt::format("{:.3g} ms", value) : fmt::format("{:.3g} µs", value * 1000);
    case Unit::factor:
      return value >= 100 ? fmt::format("{:.0f}×", value) : fmt::format("{:.3g}×", value);
    case Unit::count:
      if (value >= 999.5e3) return fmt::format("{:.3g}M", value / 1e6);
      return value >= 999.5 ? fmt::format("{:.3g}k", value / 1e3) : fmt::format("{:.3g}", value);
    case Unit::percent:
      return fmt::format("{:.3g} %", 100 * value);
    case Unit::number:
      break;
  }
  return fmt::format("{:.4g}", value);
}

std::string to_json(const Report& report) {
  ordered_json made = {
      {"title", report.title}, {"text", report.text}, {"sections", ordered_json::array()}, {"footer", report.footer}};
  for (const Section& section : report.sections) {
    ordered_json blocks = ordered_json::array();
    for (const Block& block : section.blocks)
      blocks.push_back(std::visit([](const auto& kind) { return json(kind); }, block));
    made["sections"].push_back({{"title", section.title}, {"text", section.text}, {"blocks", std::move(blocks)}});
  }
  return made.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string to_html(const Report& report) {
  const std::string_view page = page_template();
  const std::size_t at = page.find(data_marker);
  std::string html(page.substr(0, at));
  // no text of the data may end the script that holds it
  for (const char c : to_json(report)) {
    if (c == '<')
      html += "\\u003c";
    else
      html += c;
  }
  return html.append(page.substr(at + data_marker.size()));
}

}  // namespace kinema::report
