// Horizontal bars on a logarithmic axis of time, as SVG in the style of plot.h.
#pragma once

#include <string>
#include <vector>

namespace kinema::bench {

struct Bar {
  std::string name;
  double ms = 0;     ///< bars that are not positive are left out
  int colour = 0;    ///< as in Series
  std::string note;  ///< after the time
};

std::string bars_svg(const std::string& title, const std::vector<Bar>& bars);

}  // namespace kinema::bench
