#include "io/input_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace kinema::io {
namespace fs = std::filesystem;

std::string read_bytes(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) throw Error("there is no such file");
  if (fs::is_directory(status)) throw Error("is a folder, not a file");
  if (!error && !fs::is_regular_file(status)) {
    throw Error("is no ordinary file: it is read from disk, not from a pipe or device");
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (error || !stream) {
    throw Error(fmt::format("cannot be read: {}", error ? error.message() : std::strerror(errno)));
  }
  stream.seekg(0, std::ios::end);
  const std::streamoff size = stream.tellg();
  stream.seekg(0);
  if (size == 0) throw Error("is empty");
  if (size < 0) throw Error("could not be read to its end", Error::Cause::running);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  stream.read(bytes.data(), size);
  if (!stream) throw Error("could not be read to its end", Error::Cause::running);
  return bytes;
}

Error about(const fs::path& path, const Error& error) {
  return Error(fmt::format("{}: {}", path.string(), error.what()), error.cause());
}

std::string printable(std::string_view text, std::size_t longest) {
  std::string shown;
  for (char c : text.substr(0, longest)) shown += (c >= ' ' && c <= '~') ? c : '?';
  if (text.size() > longest) shown += "...";
  return shown;
}

std::size_t line_of(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
}

std::string one_line(std::string_view text) {
  std::string line;
  for (char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (space && (line.empty() || line.back() == ' ')) continue;
    line += space ? ' ' : (c >= ' ' && c <= '~') ? c : '?';
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

std::string extension_of(const fs::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return extension;
}

}  // namespace kinema::io
