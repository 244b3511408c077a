#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

namespace kinema::fuzz {

MemoryFile::MemoryFile(std::string_view bytes) : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
  require(descriptor_ >= 0);
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::write(descriptor_, bytes.data() + done, bytes.size() - done);
    require(count > 0);
    done += static_cast<std::size_t>(count);
  }
}

MemoryFile::~MemoryFile() { ::close(descriptor_); }

std::filesystem::path MemoryFile::path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

}  // namespace kinema::fuzz
