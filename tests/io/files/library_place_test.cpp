// Data that are installed with the library are found from the file that it was loaded from.
#include "io/files/library_place.h"
#include "scratch_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace kinema::io {
namespace {

namespace fs = std::filesystem;

void make(const fs::path& file) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << "data";
}

TEST(LibraryPlace, IsThisProgramWhereTheLibraryIsStatic) {
  EXPECT_EQ(library_file(), fs::read_symlink("/proc/self/exe"));
}

TEST(LibraryPlace, DataLieAboveEveryFolderOfAnInstallation) {
  const ScratchFolder folder;
  const fs::path prefix = folder.path() / "prefix", data = prefix / "share/kinema/face.kface";
  make(data);
  for (const char* file : {"bin/kinema", "lib/libkinema.so.0", "lib/x86_64-linux-gnu/libkinema.so.0",
                           "lib/python3/dist-packages/kinema/_kinema.so", "kinema"})
    EXPECT_EQ(shared_file_above(prefix / file, "face.kface"), data) << file;
}

TEST(LibraryPlace, TheNearestDataWin) {
  const ScratchFolder folder;
  const fs::path package = folder.path() / "lib/python3/site-packages/kinema";
  make(folder.path() / "share/kinema/face.kface");
  make(package / "share/kinema/face.kface");
  EXPECT_EQ(shared_file_above(package / "lib/libkinema.so.0", "face.kface"), package / "share/kinema/face.kface");
}

TEST(LibraryPlace, NothingIsFoundFarAboveOrBesides) {
  const ScratchFolder folder;
  make(folder.path() / "share/kinema/face.kface");
  EXPECT_EQ(shared_file_above(folder.path() / "1/2/3/4/5/kinema", "face.kface"), fs::path());
  EXPECT_EQ(shared_file_above(folder.path() / "bin/kinema", "other.kface"), fs::path());
  EXPECT_EQ(shared_file_above({}, "face.kface"), fs::path());
}

}  // namespace
}  // namespace kinema::io
