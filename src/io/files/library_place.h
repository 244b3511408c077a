// Where the running library lies, and the data that were installed with it.
#pragma once

#include <filesystem>
#include <string_view>

namespace kinema::io {

/// The file that this code was loaded from: libkinema, the Python module, or the program that the library is linked into.
/// Empty if that is unknown.
std::filesystem::path library_file();

/// The nearest share/kinema/NAME above a file; empty if there is none. An installation has it beside lib and bin, a wheel
/// in its package, and a build tree at its top, so that what was moved as a whole still finds it.
std::filesystem::path shared_file_above(const std::filesystem::path& file, std::string_view name);

/// A file that is installed with the library: above library_file(), else in the prefix of the installation.
std::filesystem::path shared_file(std::string_view name);

}  // namespace kinema::io
