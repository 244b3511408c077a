// Input files: the one place where they are opened, and what readers need to name them in messages.
#pragma once

#include "io/files/descriptor.h"
#include "kinema/error.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace kinema::io {

/// Whether there is something of that name; false where that cannot be known.
inline bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

inline bool is_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

/// A regular file open for reading. Errors do not name the file: the caller does so once, with `naming`.
class InputFile {
public:
  /// Throws Error if the file is missing, a folder, a pipe or a device, or cannot be read.
  explicit InputFile(const std::filesystem::path& path);

  std::size_t left() const { return left_; }  ///< bytes not yet read
  int descriptor() const { return descriptor_.number(); }

  /// The next bytes, of which at least as many must be left. Throws Error if the disk fails or the file has been
  /// truncated.
  void read(void* to, std::size_t bytes);

  /// All remaining bytes. Throws Error if they exceed `most`, before any memory is allocated.
  std::string rest(std::size_t most);

private:
  Descriptor descriptor_;
  std::size_t left_ = 0;
};

/// A memory-mapped file: pages are read on first access, and shared by all who map it.
class MappedFile {
public:
  /// Throws Error as InputFile does, and if the file is empty.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

private:
  std::span<const std::byte> bytes_;
};

/// All bytes of a regular file, at least one and at most `most`. Throws Error as InputFile does.
std::string read_bytes(const std::filesystem::path& path, std::size_t most = std::size_t{1} << 40);

/// The first bytes of a file, at most `most`; none if it cannot be read.
std::string read_beginning(const std::filesystem::path& path, std::size_t most);

/// The same error, prefixed with the file's name.
Error about(const std::filesystem::path& path, const Error& error);

/// What `read` gives; its errors name the file.
template <class Read>
auto naming(const std::filesystem::path& path, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    throw about(path, error);
  }
}

/// The printable beginning of untrusted file contents, for messages.
std::string printable(std::string_view text, std::size_t longest = 64);

/// The line, counted from 1, that contains a byte of a text.
std::size_t line_of(std::string_view text, std::size_t byte);

/// A message of another library on one line, without control characters.
std::string one_line(std::string_view text);

/// The extension of a file's name in lower case, with its dot: ".ply".
std::string extension_of(const std::filesystem::path& path);

}  // namespace kinema::io
