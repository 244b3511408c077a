// Line plots with two logarithmic axes, as SVG that stands inside a page: no scripts, colours by the page's light or
// dark scheme (plot_style()).
#pragma once

#include <string>
#include <vector>

namespace kinema::bench {

enum class Unit { count, milliseconds, factor };

/// "43k", "1.2 ms" or "310×".
std::string with_unit(double value, Unit unit);

struct PlotPoint {
  double x = 0, y = 0;
  double low = 0, high = 0;  ///< a bar for the spread where 0 < low < high
};

struct Series {
  std::string name;
  int colour = 0;  ///< 0 to plot_colours - 1
  bool dashed = false;
  std::vector<PlotPoint> points;  ///< ascending in x; points that are not positive are left out
};

inline constexpr int plot_colours = 6;

struct Plot {
  std::string title, x_label, y_label;
  Unit x_unit = Unit::count, y_unit = Unit::milliseconds;
  std::vector<Series> series;
};

std::string to_svg(const Plot& plot);

/// The style sheet that the plots need, once a page.
std::string plot_style();

/// Text as it may stand in HTML and SVG.
std::string escape(const std::string& text);

}  // namespace kinema::bench
