#include "report/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace kinema::report {
namespace {

// Columns of a terminal: bytes that continue a character take none.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string text_of(const Text& text) { return text.text + "\n"; }
std::string text_of(const Commands& commands) { return fmt::format("{}\n", fmt::join(commands.lines, "\n")); }

std::string text_of(const Figures& figures) {
  std::string text;
  for (const auto& figure : figures.figures) text += fmt::format("{} {}\n", figure.value, figure.label);
  return text;
}

std::string text_of(const List& list) {
  std::string text;
  for (const auto& entry : list.entries) text += fmt::format("{}: {}\n", entry.term, entry.text);
  return text;
}

std::string text_of(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    widths.push_back(width_of(table.columns[column]));
    for (const Table::Row& row : table.rows)
      if (column < row.cells.size()) widths[column] = std::max(widths[column], width_of(row.cells[column]));
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t column = 0; column < cells.size(); ++column) {
      const std::string gap(widths[column] - width_of(cells[column]), ' ');
      const bool words = column < table.text_columns;
      text += fmt::format("{}{}{}", column > 0 ? "  " : "", words ? cells[column] : gap, words ? gap : cells[column]);
    }
    return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  };
  std::string text = fmt::format("{}{}", table.title, table.title.empty() ? "" : "\n") + line(table.columns);
  for (const Table::Row& row : table.rows) text += (row.group ? "\n" : "") + line(row.cells);
  return text;
}

// Plots and pictures have no words.
template <class Other>
std::string text_of(const Other&) {
  return "";
}

}  // namespace

std::string to_text(const Report& report) {
  std::string text = fmt::format("{}\n{}", report.title, report.text.empty() ? "" : report.text + "\n");
  for (const Section& section : report.sections) {
    for (const std::string& words : {section.title, section.text})
      if (!words.empty()) text += fmt::format("\n{}\n", words);
    for (const Block& block : section.blocks)
      if (const std::string words = std::visit([](const auto& kind) { return text_of(kind); }, block); !words.empty())
        text += "\n" + words;
  }
  return text;
}

}  // namespace kinema::report
