// Messages of the library in the words of Python.
#pragma once

#include <string>
#include <string_view>

namespace kinema::python {

/// The library's readers name options of the command as the remedy; here they become arguments: "--fps" is fps=.
std::string in_python(std::string_view message);

}  // namespace kinema::python
