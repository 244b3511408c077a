// The named numbers in a file of OpenCV's FileStorage: YAML, XML or JSON as written by calibration tools.
//
// OpenCV's own parser trusts its input, and damaged files crash it. This one reads what such files consist of: at the
// top level, numbers, lists of numbers, and maps whose "data" is a list. Anything else has a name and no numbers.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::io {

struct StoredValue {
  enum class Kind {
    number,
    list,   ///< also the "data" of a map
    other,  ///< text, or a map without data
  };
  Kind kind = Kind::other;
  std::vector<double> numbers;
  bool only_numbers = true;  ///< of a list: it holds nothing else
};

/// By name; if a name occurs twice, the first. Throws Error, without the file's name, if the text is none of the three
/// formats.
std::map<std::string, StoredValue> read_stored_values(std::string_view text);

}  // namespace kinema::io
