#include "io/files/library_place.h"

#include "io/files/input_file.h"

#include <dlfcn.h>
#include <link.h>

#include <system_error>

// Defined by a source that find_package(kinema) adds to programs which link the static library: they may lie anywhere.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" const char* kinema_installed_data() __attribute__((weak));

namespace kinema::io {
namespace {

namespace fs = std::filesystem;

// lib/python3/dist-packages/kinema is the deepest folder from which the prefix is looked for
constexpr int most_levels = 5;

}  // namespace

fs::path library_file() {
  std::error_code error;
  Dl_info info{};
  link_map* loaded = nullptr;
  if (::dladdr1(reinterpret_cast<const void*>(&library_file), &info, reinterpret_cast<void**>(&loaded),
                RTLD_DL_LINKMAP) == 0)
    return {};
  // the program itself has no name there, and what it was called by need not be a path
  const bool program = loaded == nullptr || loaded->l_name == nullptr || *loaded->l_name == '\0';
  const fs::path file = program ? fs::read_symlink("/proc/self/exe", error) : fs::canonical(loaded->l_name, error);
  return error ? fs::path() : file;
}

fs::path shared_file_above(const fs::path& file, std::string_view name) {
  fs::path folder = file.parent_path();
  for (int level = 0; level < most_levels && !folder.empty(); ++level, folder = folder.parent_path()) {
    if (const fs::path found = folder / "share/kinema" / name; is_there(found)) return found;
    if (folder == folder.root_path()) break;
  }
  return {};
}

fs::path shared_file(std::string_view name) {
  if (const fs::path found = shared_file_above(library_file(), name); !found.empty()) return found;
  if (kinema_installed_data != nullptr) {
    const fs::path found = fs::path(kinema_installed_data()).lexically_normal() / name;
    if (is_there(found)) return found;
  }
  const fs::path found = fs::path(KINEMA_INSTALLED_DATA) / name;
  return is_there(found) ? found : fs::path();
}

}  // namespace kinema::io
