// What the fuzz targets share. A target hands bytes that nobody vouches for to a reader of the library: a result and an
// Error of one line are both right answers; anything else (a crash, another exception, a hang, memory by the gigabyte) is
// a bug in the reader.
#pragma once

#include "kinema/error.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace kinema::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Ends the program, which the fuzzer reports as a crash.
inline void require(bool condition) {
  if (!condition) std::abort();
}

/// Calls a reader. Errors are for people: one line that says something.
template <class Read>
void expect_result_or_error(Read&& read) {
  try {
    read();
  } catch (const Error& error) {
    const std::string_view message = error.what();
    require(!message.empty() && message.find_first_of("\n\r") == std::string_view::npos);
  }
}

/// Bytes as a file without a disk, for readers that take a path.
class MemoryFile {
public:
  explicit MemoryFile(std::string_view bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::filesystem::path path() const;

private:
  int descriptor_ = -1;
};

}  // namespace kinema::fuzz
