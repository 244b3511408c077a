// Input files, the one place where they are opened, and what readers need to speak about them in a message.
#pragma once

#include "kinema/error.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace kinema::io {

/// An ordinary file that is open for reading. Errors do not name the file: the caller does so once, with `about`.
class InputFile {
public:
  /// Throws Error where the file is missing, a folder, a pipe or device, or cannot be read.
  explicit InputFile(const std::filesystem::path& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  std::size_t left() const { return left_; }  ///< bytes that were not read yet
  int descriptor() const { return descriptor_; }

  /// The next bytes, of which at least as many are left. Throws Error where the disk fails or the file became shorter.
  void read(void* to, std::size_t bytes);

  /// All that is left. Throws Error where that is more than `most` bytes, before any memory is taken.
  std::string rest(std::size_t most);

private:
  int descriptor_ = -1;
  std::size_t left_ = 0;
};

/// A file as memory: its pages are read when they are looked at, and shared by all who map it.
class MappedFile {
public:
  /// Throws Error as InputFile does, and where the file is empty.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

private:
  std::span<const std::byte> bytes_;
};

/// All bytes of an ordinary file, of which there are some and at most `most`. Throws Error as InputFile does.
std::string read_bytes(const std::filesystem::path& path, std::size_t most = std::size_t{1} << 40);

/// The first bytes of a file, at most `most`; none where it cannot be read.
std::string read_beginning(const std::filesystem::path& path, std::size_t most);

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
