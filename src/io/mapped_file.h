// A file as memory: its pages are read when they are looked at, and shared by all who map it.
#pragma once

#include <filesystem>
#include <memory>
#include <span>

namespace kinema::io {

class MappedFile {
public:
  /// Throws Error without the file's name where it is missing, empty or no ordinary file.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

private:
  std::span<const std::byte> bytes_;
};

}  // namespace kinema::io
