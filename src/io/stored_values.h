// The named numbers in a file of OpenCV's FileStorage: YAML, XML or JSON as calibration tools write them.
//
// OpenCV's own parser trusts its input, and damaged files crash it. What is read here is what such files are made of: at the
// top level, numbers, lists of numbers, and maps of which "data" is a list. Anything else has a name and no numbers.
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
  bool only_numbers = true;  ///< of a list: nothing else stands in it
};

/// By name; of a name that comes twice the first. Throws Error, without the file's name, where the text is none of the
/// three formats.
std::map<std::string, StoredValue> read_stored_values(std::string_view text);

}  // namespace kinema::io
