#include "io/mapped_file.h"

#include "kinema/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace kinema::io {

MappedFile::MappedFile(const std::filesystem::path& path) {
  // a pipe without a writer must not hold us up
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    if (errno == ENOENT || errno == ENOTDIR) throw Error("there is no such file");
    throw Error(fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  struct ::stat status {};
  const int found = ::fstat(file, &status);
  const bool ordinary = found == 0 && S_ISREG(status.st_mode);
  const bool folder = found == 0 && S_ISDIR(status.st_mode);
  void* memory = MAP_FAILED;
  const auto size = static_cast<std::size_t>(std::max<off_t>(0, status.st_size));
  if (ordinary && size > 0) memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  const int error = errno;
  ::close(file);
  if (folder) throw Error("is a folder, not a file");
  if (!ordinary) throw Error("is no ordinary file: it is read from disk, not from a pipe or device");
  if (size == 0) throw Error("is empty");
  if (memory == MAP_FAILED)
    throw Error(fmt::format("cannot be mapped: {}", std::strerror(error)), Error::Cause::running);
  bytes_ = {static_cast<const std::byte*>(memory), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace kinema::io
