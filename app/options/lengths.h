// Lengths on the command line: metres, or with their unit.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kinema::app {

/// Parses and removes a finite number at the start of a text.
std::optional<double> take_number(std::string_view& text);

/// Metres, or with their unit: 1.8, 1.8m, 180cm, 1800mm. Throws Error for anything else.
double parse_metres(const std::string& flag, const std::string& word);

/// What a length may be, in metres.
struct LengthRange {
  double low, high;
};

/// Of something that a camera sees.
inline constexpr LengthRange seen_lengths{0.01, 100};

/// The same within a range.
double parse_metres(const std::string& flag, const std::string& word, LengthRange range);

}  // namespace kinema::app
