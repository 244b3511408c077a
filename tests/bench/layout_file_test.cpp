// The file of measured layouts: what is kept is found again, and no state of the file does harm.
#include "bench/face/product/layout_file.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <utility>

namespace kinema {
namespace {

using Layout = MatrixVectorLayout;

const MatrixVectorDevice hopper{"H, 132 x sm_90", 132, true}, ampere{"A, 108 x sm_80", 108, false};
const Layout wide{Layout::Owner::warp, 4, 256, 8, Layout::Join::cluster};
const Layout plain{Layout::Owner::block, 1, 128, 1, Layout::Join::none};

class LayoutFileOf : public testing::Test {
protected:
  LayoutFileOf() { std::filesystem::create_directories(folder_); }
  ~LayoutFileOf() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path path() const { return folder_ / "below" / "layouts.txt"; }
  void write(const std::string& text) const {
    std::filesystem::create_directories(path().parent_path());
    std::ofstream(path(), std::ios::binary) << text;
  }

  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("kinema_layouts_" + std::to_string(::getpid()));
};

TEST_F(LayoutFileOf, AShapeAndADeviceFindsTheirOwnLayout) {
  const LayoutFile file(path());
  EXPECT_FALSE(file.find("H", 54, 4096));
  EXPECT_TRUE(file.keep({"H", 54, 4096, wide}));
  EXPECT_TRUE(file.keep({"A", 54, 4096, plain}));
  EXPECT_EQ(file.find("H", 54, 4096), wide);
  EXPECT_EQ(file.find("A", 54, 4096), plain);
  EXPECT_FALSE(file.find("H", 4096, 54));
  // a later measurement replaces an earlier one
  EXPECT_TRUE(file.keep({"H", 54, 4096, plain}));
  EXPECT_EQ(LayoutFile(path()).find("H", 54, 4096), plain);
  // and nothing is left beside the file
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path().parent_path()), {}), 1);
}

TEST_F(LayoutFileOf, DamageLosesTheDamagedLinesAlone) {
  const std::string good = layouts_text({{"H", 54, 4096, wide}, {"H", 35, 10336, plain}});
  EXPECT_EQ(parse_layouts(good).size(), 2u);
  // cut anywhere: no line that was not there
  for (std::size_t length = 0; length < good.size(); ++length)
    for (const MeasuredLayout& layout : parse_layouts(good.substr(0, length)))
      EXPECT_TRUE(layout.device == "H" && (layout.rows == 54 || layout.rows == 35)) << length;
  const LayoutFile file(path());
  for (const std::string& text : {std::string(), std::string("\n\n"), std::string(1000, '\0'), "no layouts" + good,
                                  std::string("\xff\xfe\t\t\t\t\t\t\t")}) {
    write(text);
    EXPECT_FALSE(file.find("H", 54, 4096));
    EXPECT_TRUE(file.keep({"H", 54, 4096, wide}));
    EXPECT_EQ(file.find("H", 54, 4096), wide);
  }
  write(good + "H\t1\t1\twarp\tmany\t32\t1\tnone\nH\t-1\t1\twarp\t1\t32\t1\tnone\nH\t9\t9\tgrid\t1\t32\t1\tnone\n");
  EXPECT_EQ(file.find("H", 54, 4096), wide);
  EXPECT_FALSE(file.find("H", 1, 1));
  EXPECT_FALSE(file.find("H", 9, 9));
}

TEST_F(LayoutFileOf, WhatCannotBeWrittenIsNotKeptAndNoError) {
  // a folder in the place of the file, a file in the place of a folder, and no place at all
  std::filesystem::create_directories(path());
  EXPECT_FALSE(LayoutFile(path()).keep({"H", 1, 1, plain}));
  std::ofstream(folder_ / "file") << "a file";
  EXPECT_FALSE(LayoutFile(folder_ / "file" / "layouts.txt").keep({"H", 1, 1, plain}));
  EXPECT_FALSE(LayoutFile({}).keep({"H", 1, 1, plain}));
  EXPECT_FALSE(LayoutFile({}).find("H", 1, 1));
}

TEST(CacheFolder, IsThatOfTheEnvironment) {
  const auto value = [](const char* name) {
    const char* now = std::getenv(name);
    return std::string(now != nullptr ? now : "");
  };
  const std::string cache = value("XDG_CACHE_HOME"), home = value("HOME");
  setenv("XDG_CACHE_HOME", "/elsewhere", 1);
  EXPECT_EQ(cache_folder(), "/elsewhere/kinema");
  setenv("XDG_CACHE_HOME", "", 1);
  setenv("HOME", "/home/someone", 1);
  EXPECT_EQ(cache_folder(), "/home/someone/.cache/kinema");
  unsetenv("HOME");
  EXPECT_TRUE(cache_folder().empty());
  if (!cache.empty())
    setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  else
    unsetenv("XDG_CACHE_HOME");
  if (!home.empty()) setenv("HOME", home.c_str(), 1);
}

TEST(MatrixVectorLayouts, CandidatesArePossibleAndDistinct) {
  for (const MatrixVectorDevice& device : {hopper, ampere})
    for (const auto& [rows, columns] : {std::pair{1, 1},
                                        {1, 1 << 22},
                                        {1 << 22, 1},
                                        {54, 4096},
                                        {54, 65536},
                                        {35, 10336},
                                        {16384, 16384},
                                        {7, 1001}}) {
      const std::vector<Layout> candidates = candidate_layouts(device, rows, columns);
      ASSERT_FALSE(candidates.empty()) << rows << " x " << columns;
      EXPECT_LT(candidates.size(), 400u);  // each is measured
      for (const Layout& layout : candidates) {
        EXPECT_TRUE(possible(layout, device, rows, columns)) << describe(layout);
        EXPECT_EQ(std::count(candidates.begin(), candidates.end(), layout), 1) << describe(layout);
      }
    }
}

TEST(MatrixVectorLayouts, WideMatricesOfFewRowsAreSplit) {
  const std::vector<Layout> candidates = candidate_layouts(hopper, 54, 65536);
  const auto has = [&](Layout::Join join) {
    return std::any_of(candidates.begin(), candidates.end(), [&](const Layout& l) { return l.join == join; });
  };
  EXPECT_TRUE(has(Layout::Join::none) && has(Layout::Join::last) && has(Layout::Join::cluster));
  for (const Layout& layout : candidate_layouts(ampere, 54, 65536)) EXPECT_NE(layout.join, Layout::Join::cluster);
}

TEST(MatrixVectorLayouts, NonsenseIsImpossible) {
  EXPECT_TRUE(possible(wide, hopper, 54, 4096));
  EXPECT_FALSE(possible(wide, ampere, 54, 4096));
  EXPECT_FALSE(possible(wide, hopper, 0, 4096));
  EXPECT_FALSE(possible(wide, hopper, 54, 4));
  const auto with = [](auto change) {
    Layout layout = wide;
    change(layout);
    return layout;
  };
  EXPECT_FALSE(possible(with([](Layout& l) { l.threads = 100; }), hopper, 54, 4096));
  EXPECT_FALSE(possible(with([](Layout& l) { l.threads = 2048; }), hopper, 54, 4096));
  EXPECT_FALSE(possible(with([](Layout& l) { l.rows_at_once = 3; }), hopper, 54, 4096));
  EXPECT_FALSE(possible(with([](Layout& l) { l.parts = 17; }), hopper, 54, 4096));
  EXPECT_FALSE(possible(with([](Layout& l) { l.join = Layout::Join::none; }), hopper, 54, 4096));
}

}  // namespace
}  // namespace kinema
