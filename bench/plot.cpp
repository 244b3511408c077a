#include "bench/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kinema::bench {
namespace {

// All in pixels of the SVG; labels of the curves stand in the right margin.
constexpr double width = 640, height = 430;
constexpr double left = 78, right = width - 148, top = 76, bottom = height - 52;
constexpr double label_distance = 15;

bool drawn(const PlotPoint& point) { return point.x > 0 && point.y > 0; }

// A logarithmic axis: from a value to a pixel.
struct Axis {
  double low, high;    // the values at its ends
  double start, stop;  // their pixels

  double operator()(double value) const {
    return start + (stop - start) * std::log(value / low) / std::log(high / low);
  }
  double decades() const { return std::log10(high / low); }
};

Axis make_axis(double low, double high, double start, double stop) {
  if (!(low < high)) {  // one size only
    low /= 2;
    high *= 2;
  }
  const double margin = std::pow(high / low, 0.04);
  return {low / margin, high * margin, start, stop};
}

struct Tick {
  double value;
  bool labelled;
};

// 1, 2, 5 within a decade where there is room for their labels, else whole decades; unlabelled lines between.
std::vector<Tick> ticks(const Axis& axis) {
  const bool few = axis.decades() < 2.5;
  const int stride = axis.decades() > 7 ? 2 : 1;
  std::vector<Tick> found;
  for (int decade = static_cast<int>(std::floor(std::log10(axis.low))); std::pow(10, decade) <= axis.high; ++decade) {
    for (int digit = 1; digit < 10; ++digit) {
      const double value = digit * std::pow(10, decade);
      if (value < axis.low || value > axis.high) continue;
      const bool round = digit == 1 && decade % stride == 0;
      found.push_back({value, round || (few && (digit == 2 || digit == 5))});
    }
  }
  return found;
}

std::string grid(const Axis& x, const Axis& y, const Plot& plot) {
  std::string svg;
  for (const Tick& tick : ticks(x)) {
    svg += fmt::format("<path class='{}' d='M{:.1f} {}V{}'/>", tick.labelled ? "grid" : "grid fine", x(tick.value), top,
                       bottom);
    if (tick.labelled)
      svg += fmt::format("<text x='{:.1f}' y='{}' text-anchor='middle'>{}</text>", x(tick.value), bottom + 18,
                         with_unit(tick.value, plot.x_unit));
  }
  for (const Tick& tick : ticks(y)) {
    svg += fmt::format("<path class='{}' d='M{} {:.1f}H{}'/>", tick.labelled ? "grid" : "grid fine", left,
                       y(tick.value), right);
    if (tick.labelled)
      svg += fmt::format("<text x='{}' y='{:.1f}' text-anchor='end'>{}</text>", left - 7, y(tick.value) + 4,
                         with_unit(tick.value, plot.y_unit));
  }
  svg += fmt::format("<path class='axis' d='M{} {}V{}H{}'/>", left, top, bottom, right);
  svg += fmt::format("<text x='{}' y='{}' text-anchor='middle'>{}</text>", (left + right) / 2, height - 12,
                     escape(plot.x_label));
  svg += fmt::format("<text transform='translate(15 {}) rotate(-90)' text-anchor='middle'>{}</text>",
                     (top + bottom) / 2, escape(plot.y_label));
  return svg;
}

std::string curve(const Series& series, const Axis& x, const Axis& y, const Plot& plot) {
  std::string path, marks;
  for (const PlotPoint& point : series.points) {
    if (!drawn(point)) continue;
    const double px = x(point.x), py = y(point.y);
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", px, py);
    if (point.low > 0 && point.low < point.high)
      marks += fmt::format("<path class='spread' d='M{:.1f} {:.1f}V{:.1f}'/>", px, y(point.low), y(point.high));
    marks += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='3.2'><title>{}: {} at {}</title></circle>", px, py,
                         escape(series.name), with_unit(point.y, plot.y_unit), with_unit(point.x, plot.x_unit));
  }
  if (path.empty()) return "";
  return fmt::format("<g class='colour{}{}'><path class='line' d='{}'/>{}</g>", series.colour,
                     series.dashed ? " dashed" : "", path, marks);
}

// The name and last value beside the end of each curve, moved apart where they would overlap.
std::string end_labels(const Plot& plot, const Axis& y) {
  struct Label {
    const Series* series;
    double value, at;
  };
  std::vector<Label> labels;
  for (const Series& series : plot.series) {
    const auto last = std::find_if(series.points.rbegin(), series.points.rend(), drawn);
    if (last != series.points.rend()) labels.push_back({&series, last->y, y(last->y)});
  }
  std::sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.at < b.at; });
  for (std::size_t i = 1; i < labels.size(); ++i)
    labels[i].at = std::max(labels[i].at, labels[i - 1].at + label_distance);
  double lowest = bottom;
  for (auto label = labels.rbegin(); label != labels.rend(); ++label, lowest -= label_distance)
    label->at = std::min(label->at, lowest);

  std::string svg;
  for (const Label& label : labels)
    svg += fmt::format("<text class='colour{} end' x='{}' y='{:.1f}'>{} {}</text>", label.series->colour, right + 8,
                       label.at + 4, escape(label.series->name), with_unit(label.value, plot.y_unit));
  return svg;
}

std::string legend(const Plot& plot) {
  std::string svg;
  double x = left, y = 40;
  for (const Series& series : plot.series) {
    const double entry = 42 + 6.6 * static_cast<double>(series.name.size());  // about the width of its text
    if (x + entry > width) {
      x = left;
      y += 17;
    }
    svg +=
        fmt::format("<g class='colour{0}{1}'><path class='line' d='M{2} {3}h20'/></g><text x='{4}' y='{5}'>{6}</text>",
                    series.colour, series.dashed ? " dashed" : "", x, y, x + 25, y + 4, escape(series.name));
    x += entry;
  }
  return svg;
}

}  // namespace

std::string with_unit(double value, Unit unit) {
  if (unit == Unit::milliseconds) {
    if (value >= 1000) return fmt::format("{:.3g} s", value / 1000);
    return value >= 1 ? fmt::format("{:.3g} ms", value) : fmt::format("{:.3g} µs", value * 1000);
  }
  if (unit == Unit::factor) return value >= 100 ? fmt::format("{:.0f}×", value) : fmt::format("{:.3g}×", value);
  if (value >= 999.5e3) return fmt::format("{:.3g}M", value / 1e6);
  return value >= 999.5 ? fmt::format("{:.3g}k", value / 1e3) : fmt::format("{:.3g}", value);
}

std::string to_svg(const Plot& plot) {
  constexpr double none = std::numeric_limits<double>::infinity();
  double x_low = none, x_high = 0, y_low = none, y_high = 0;
  for (const Series& series : plot.series) {
    for (const PlotPoint& point : series.points) {
      if (!drawn(point)) continue;
      x_low = std::min(x_low, point.x);
      x_high = std::max(x_high, point.x);
      y_low = std::min({y_low, point.y, point.low > 0 ? point.low : none});
      y_high = std::max({y_high, point.y, point.high});
    }
  }
  std::string svg = fmt::format(
      "<svg class='plot' viewBox='0 0 {} {}' role='img' aria-label='{}'>"
      "<text class='title' x='{}' y='20'>{}</text>",
      width, height, escape(plot.title), left, escape(plot.title));
  if (x_high > 0) {
    const Axis x = make_axis(x_low, x_high, left, right), y = make_axis(y_low, y_high, bottom, top);
    svg += legend(plot) + grid(x, y, plot);
    for (const Series& series : plot.series) svg += curve(series, x, y, plot);
    svg += end_labels(plot, y);
  } else {
    svg += fmt::format("<text x='{}' y='{}'>nothing was measured</text>", left, (top + bottom) / 2);
  }
  return svg + "</svg>";
}

std::string plot_style() {
  // colours apart in hue and in lightness, and once more for a dark page
  constexpr const char* light[plot_colours] = {"#66696f", "#b35900", "#1766b0", "#157a35", "#9c2f86", "#8a6d00"};
  constexpr const char* dark[plot_colours] = {"#a9adb5", "#f2a04e", "#71b4f5", "#62d183", "#e78fd6", "#d9c04f"};
  std::string style = ":root{";
  for (int i = 0; i < plot_colours; ++i) style += fmt::format("--colour{}:{};", i, light[i]);
  style += "}@media(prefers-color-scheme:dark){:root{";
  for (int i = 0; i < plot_colours; ++i) style += fmt::format("--colour{}:{};", i, dark[i]);
  style += "}}";
  for (int i = 0; i < plot_colours; ++i) style += fmt::format(".colour{0}{{color:var(--colour{0})}}", i);
  style +=
      ".plot{width:100%;height:auto}"
      ".plot text{font:12px system-ui,sans-serif;fill:var(--ink)}"
      ".plot text.title{font-size:14px;font-weight:600}"
      ".plot text.end{fill:currentColor;font-weight:600}"
      ".plot path{fill:none}"
      ".plot .grid{stroke:var(--rule)}.plot .fine{opacity:.4}"
      ".plot .axis{stroke:var(--ink)}"
      ".plot .line,.plot .spread{stroke:currentColor;stroke-width:2;stroke-linejoin:round}"
      ".plot .dashed .line{stroke-dasharray:5 4}"
      ".plot circle{fill:currentColor}";
  return style;
}

std::string escape(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

}  // namespace kinema::bench
