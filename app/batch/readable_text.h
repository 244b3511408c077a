// Names of files as text that can be written into JSON, tables and pages: file systems allow bytes that are no UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kinema::app {

/// The bytes of the UTF-8 character at the start of a text that is not empty; 0 if there is none.
std::size_t character_length(std::string_view text);

/// The text with every byte that is no UTF-8 as "\xe4": different texts stay different, but for those that hold such words
/// already.
std::string readable(std::string_view text);

}  // namespace kinema::app
