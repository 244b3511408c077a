// The bytes of an input file, and what a reader needs to speak about them in a message.
#pragma once

#include "kinema/error.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace kinema::io {

/// All bytes of an ordinary file. An Error that does not name the file where it is missing, a folder, empty or cannot
/// be read: the caller knows what was sought, and names it once with `about`.
std::string read_bytes(const std::filesystem::path& path);

/// The same error with the file's name in front.
Error about(const std::filesystem::path& path, const Error& error);

/// What stands in a file may be anything; a message shows the printable beginning of it.
std::string printable(std::string_view text, std::size_t longest = 64);

/// The line, counted from 1, in which a byte of a text stands.
std::size_t line_of(std::string_view text, std::size_t byte);

/// A message of another library on one line, without control characters.
std::string one_line(std::string_view text);

/// The ending of a file's name in small letters, with its dot: ".ply".
std::string extension_of(const std::filesystem::path& path);

}  // namespace kinema::io
