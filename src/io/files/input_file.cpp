#include "io/files/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace kinema::io {
namespace fs = std::filesystem;

InputFile::InputFile(const fs::path& path)
    // a pipe without a writer must not block
    : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (!descriptor_.open()) {
    if (errno == ENOENT || errno == ENOTDIR) throw Error("there is no such file");
    throw Error(fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  struct ::stat status {};
  const bool known = ::fstat(descriptor(), &status) == 0;
  if (known && S_ISREG(status.st_mode)) {
    left_ = static_cast<std::size_t>(std::max<off_t>(0, status.st_size));
    return;
  }
  if (known && S_ISDIR(status.st_mode)) throw Error("is a folder, not a file");
  throw Error("is not an ordinary file: it is read from disk, not from a pipe or device");
}

void InputFile::read(void* to, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t count = ::read(descriptor(), static_cast<char*>(to) + done, bytes - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw Error("could not be read to its end", Error::Cause::running);
    done += static_cast<std::size_t>(count);
  }
  left_ -= bytes;
}

std::string InputFile::rest(std::size_t most) {
  if (left_ > most) {
    throw Error(fmt::format("has {} bytes, where at most {} are read: is it the right file?", left_, most));
  }
  std::string bytes(left_, '\0');
  read(bytes.data(), bytes.size());
  return bytes;
}

MappedFile::MappedFile(const fs::path& path) {
  const InputFile file(path);
  if (file.left() == 0) throw Error("is empty");
  void* memory = ::mmap(nullptr, file.left(), PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (memory == MAP_FAILED)
    throw Error(fmt::format("cannot be mapped: {}", std::strerror(errno)), Error::Cause::running);
  bytes_ = {static_cast<const std::byte*>(memory), file.left()};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

std::string read_bytes(const fs::path& path, std::size_t most) {
  InputFile file(path);
  if (file.left() == 0) throw Error("is empty");
  return file.rest(most);
}

std::string read_beginning(const fs::path& path, std::size_t most) {
  try {
    InputFile file(path);
    std::string bytes(std::min(file.left(), most), '\0');
    file.read(bytes.data(), bytes.size());
    return bytes;
  } catch (const Error&) {
    return {};
  }
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
