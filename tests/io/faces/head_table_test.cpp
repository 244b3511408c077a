// head.csv, its JSON lines, and boxes of a truth.
#include "io/faces/head_table.h"

#include "kinema/error.h"
#include "scratch_folder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>

namespace kinema::io {
namespace {

head::Estimate seen() {
  head::Estimate estimate;
  estimate.found = true;
  estimate.x = 12.25;
  estimate.y = 7.5;
  estimate.area = 0.03125;
  estimate.confidence = 0.5;
  return estimate;
}

TEST(HeadTable, StartsWithTheColumnsOfTheDesignAndLeavesLostFramesEmpty) {
  const ScratchFolder folder;
  const std::filesystem::path path = folder.path() / "head.csv";
  HeadWriter writer(path);
  writer.add(0, 0, seen());
  head::Estimate placed = seen();
  placed.distance = 0.6;
  placed.position = Vec3{0.01, -0.02, 0.6};
  writer.add(1, 1.0 / 30, placed);
  writer.add(2, 0.1, {});
  EXPECT_FALSE(std::filesystem::exists(path));
  writer.commit();
  EXPECT_EQ(bytes_of(path),
            "frame,time,x,y,area,distance,X,Y,Z,score,found\n"
            "0,0.0,12.2500,7.5000,0.03125,,,,,0.5000,1\n"
            "1,0.03333333333333333,12.2500,7.5000,0.03125,0.600000,0.010000,-0.020000,0.600000,0.5000,1\n"
            "2,0.1,,,,,,,,0.0000,0\n");
}

TEST(HeadTable, LinesAreJsonAndSayWhyThereIsNoHead) {
  const ScratchFolder folder;
  const std::filesystem::path path = folder.path() / "head.jsonl";
  HeadWriter writer(path);
  head::Estimate estimate = seen();
  estimate.oval = head::Oval{1, 2, 3, 4};
  estimate.times = {{"find", 0.5}};
  writer.add(4, 0.5, estimate);
  head::Estimate lost;
  lost.why = "nothing has \"its\" colours";
  writer.add(5, 0.6, lost);
  writer.commit();
  std::stringstream lines(bytes_of(path));
  std::string line;
  std::getline(lines, line);
  const auto first = nlohmann::json::parse(line);
  EXPECT_EQ(first["frame"], 4);
  EXPECT_EQ(first["x"], 12.25);
  EXPECT_EQ(first["oval"][3], 4);
  EXPECT_EQ(first["ms"]["find"], 0.5);
  std::getline(lines, line);
  const auto second = nlohmann::json::parse(line);
  EXPECT_TRUE(second["x"].is_null());
  EXPECT_EQ(second["why"], lost.why);
}

TEST(HeadTable, ARunThatEndsEarlyLeavesItsRows) {
  const ScratchFolder folder;
  {
    HeadWriter writer(folder.path() / "head.csv");
    writer.add(0, 0, seen());
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "head.csv"));
  EXPECT_NE(bytes_of(folder.path() / "head.csv.partial").find("0,0.0,12.25"), std::string::npos);
}

TEST(HeadBoxes, AreReadWithAnySeparatorAndCountFromZero) {
  const ScratchFolder folder;
  const auto boxes = read_boxes(folder.write("boxes.txt", "1,1,3,5\n10\t20\t4\t6\r\n\n7 8 9.5 10\n"));
  ASSERT_EQ(boxes.size(), 3u);
  EXPECT_EQ(boxes[0].x, 0);
  EXPECT_EQ(boxes[0].cx(), 1);
  EXPECT_EQ(boxes[0].cy(), 2);
  EXPECT_EQ(boxes[1].y, 19);
  EXPECT_EQ(boxes[2].width, 9.5);
}

TEST(HeadBoxes, NonsenseIsRefusedWithItsLine) {
  const ScratchFolder folder;
  for (const auto& [text, says] : {std::pair{"", "is empty"},
                                   {"\n\n", "holds no box"},
                                   {"1,2,3,4\n1,2,3\n", "line 2: has 3 numbers"},
                                   {"1,2,3,x\n", "line 1: 'x' is not a number"},
                                   {"1,2,0,4\n", "line 1: has a box without extent"},
                                   {"1,2,nan,4\n", "line 1"}}) {
    try {
      read_boxes(folder.write("boxes.txt", text));
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace kinema::io
