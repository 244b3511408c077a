// Runs the inputs in folders through the fuzz targets once, without a fuzzer: what once crashed a reader does so again in
// every build where it is not mended.
//
//   replay_fuzz_seeds SEEDS          all targets, each with the files of SEEDS/TARGET
//   replay_fuzz_seeds SEEDS TARGET   one of them
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#define KINEMA_TARGET(name) extern "C" int fuzz_##name(const std::uint8_t* data, std::size_t size);
#include "targets.inc"
#undef KINEMA_TARGET

namespace {

namespace fs = std::filesystem;

struct Target {
  const char* name;
  int (*run)(const std::uint8_t*, std::size_t);
};

#define KINEMA_TARGET(name) {#name, fuzz_##name},
const Target targets[] = {
// clang-format off: it would take this for the include above, a second time
#include "targets.inc"
    // clang-format on
};
#undef KINEMA_TARGET

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2 || count > 3) {
    std::fprintf(stderr, "usage: %s SEEDS [TARGET]\n", words[0]);
    return 2;
  }
  std::size_t done = 0;
  for (const Target& target : targets) {
    if (count == 3 && std::string(words[2]) != target.name) continue;
    const fs::path folder = fs::path(words[1]) / target.name;
    const std::vector<fs::path> files = fs::is_directory(folder) ? files_of(folder) : std::vector<fs::path>();
    if (files.empty()) {
      std::fprintf(stderr, "%s: has no seeds\n", folder.c_str());
      return 1;
    }
    for (const fs::path& file : files) {
      // printed first: a crash leaves no other word on which it was
      std::printf("%s/%s\n", target.name, file.filename().c_str());
      std::fflush(stdout);
      std::ifstream stream(file, std::ios::binary);
      const std::vector<char> bytes(std::istreambuf_iterator<char>(stream), {});
      // an allocation of its own, so that sanitizers see a read beyond the end
      try {
        target.run(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
      } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: threw what is no kinema::Error: %s\n", file.c_str(), error.what());
        return 1;
      }
      ++done;
    }
  }
  std::printf("%zu inputs\n", done);
  return done > 0 ? 0 : 1;
}
