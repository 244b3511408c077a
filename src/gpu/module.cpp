#include "gpu/module.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string_view>
#include <system_error>

namespace kinema::gpu {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view stem = "libkinema-cuda.so.", remedy = "or use --backend cpu";

Module of_another_version(std::string_view found, const std::string& version) {
  return {nullptr,
          fmt::format("the cuda backend is of version {} and the library of {}: install both of one version, {}", found,
                      version, remedy)};
}

}  // namespace

Module open_module(const fs::path& folder, const std::string& version) {
  const fs::path file = folder / (std::string(stem) + version);
  std::error_code error;
  if (!fs::exists(file, error)) {
    for (const fs::directory_entry& other : fs::directory_iterator(folder, error))
      if (const std::string name = other.path().filename(); name.starts_with(stem))
        return of_another_version(std::string_view(name).substr(stem.size()), version);
    return {nullptr, fmt::format("the cuda backend is not installed, there is no {}: install kinema-cuda, {}",
                                 file.string(), remedy)};
  }
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const symbol = library == nullptr ? nullptr : ::dlsym(library, entry);
  if (symbol == nullptr)
    return {nullptr, fmt::format("the cuda backend cannot be loaded ({}): install it again, {}", ::dlerror(), remedy)};
  const Functions* const functions = reinterpret_cast<const Functions* (*)()>(symbol)();
  if (functions->version != version) return of_another_version(functions->version, version);
  return {functions};
}

}  // namespace kinema::gpu
