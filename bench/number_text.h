// Numbers in terminal tables.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

namespace kinema::bench {

/// Three significant digits: "0.712", "19.2", "126000".
inline std::string short_number(double value) {
  if (value == 0 || !std::isfinite(value)) return fmt::format("{:g}", value);
  const int decimals = std::clamp(2 - static_cast<int>(std::floor(std::log10(std::fabs(value)))), 0, 6);
  return fmt::format("{:.{}f}", value, decimals);
}

inline std::string or_dash(const std::optional<double>& value) { return value ? short_number(*value) : "-"; }

}  // namespace kinema::bench
