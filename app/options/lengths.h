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

/// The same of something that a camera sees: 0.01 to 100 metres.
double parse_length(const std::string& flag, const std::string& word);

/// What a length may be, in metres.
struct LengthRange {
  double low, high;
};

/// The same within a range.
double parse_metres(const std::string& flag, const std::string& word, LengthRange range);

}  // namespace kinema::app
