#include "bench/bars.h"

#include "bench/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kinema::bench {
namespace {

constexpr double width = 640, left = 118, right = width - 190, row = 20, top = 34;

}  // namespace

std::string bars_svg(const std::string& title, const std::vector<Bar>& all) {
  std::vector<Bar> bars;
  std::copy_if(all.begin(), all.end(), std::back_inserter(bars), [](const Bar& bar) { return bar.ms > 0; });
  const double bottom = top + row * static_cast<double>(bars.size()), height = bottom + 26;
  std::string svg = fmt::format(
      "<svg class='plot' viewBox='0 0 {} {}' role='img' aria-label='{}'><text class='title' x='{}' y='20'>{}</text>",
      width, height, escape(title), left, escape(title));
  if (bars.empty()) return svg + "<text x='118' y='40'>nothing was measured</text></svg>";

  const auto less = [](const Bar& a, const Bar& b) { return a.ms < b.ms; };
  // whole decades, so that even the shortest bar has a length
  const double low = std::floor(std::log10(std::min_element(bars.begin(), bars.end(), less)->ms) - 0.2);
  const double high = std::ceil(std::log10(std::max_element(bars.begin(), bars.end(), less)->ms));
  const auto at = [&](double decades) { return left + (right - left) * (decades - low) / std::max(1.0, high - low); };
  for (double decade = low; decade <= high; ++decade)
    svg += fmt::format(
        "<path class='grid' d='M{0:.1f} {1}V{2}'/><text x='{0:.1f}' y='{3}' text-anchor='middle'>{4}</text>",
        at(decade), top, bottom, bottom + 17, with_unit(std::pow(10, decade), Unit::milliseconds));
  double y = top;
  for (const Bar& bar : bars) {
    const double end = at(std::log10(bar.ms));
    svg += fmt::format(
        "<g class='colour{0}'><rect x='{1}' y='{2:.1f}' width='{3:.1f}' height='{4}' fill='currentColor'/></g>"
        "<text x='{5}' y='{6:.1f}' text-anchor='end'>{7}</text><text x='{8:.1f}' y='{6:.1f}'>{9}{10}{11}</text>",
        bar.colour, left, y + 3, end - left, row - 6, left - 7, y + 14, escape(bar.name), end + 6,
        with_unit(bar.ms, Unit::milliseconds), bar.note.empty() ? "" : " · ", escape(bar.note));
    y += row;
  }
  return svg + "</svg>";
}

}  // namespace kinema::bench
