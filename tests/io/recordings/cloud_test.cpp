// The same points come out of every format of point cloud that holds them.
#include "io/recordings/cloud.h"

#include "npy_bytes.h"
#include "scratch_folder.h"

#include <algorithm>
#include <cstring>

namespace kinema::io {
namespace {

const std::vector<float> three = {0.5f, -1.25f, 2, 0.25f, 0, 3.5f, -4, 1, 1.5f};

template <class T>
std::string bytes(T value, bool big = false) {
  std::string text(sizeof(T), '\0');
  std::memcpy(text.data(), &value, sizeof(T));
  if (big) std::reverse(text.begin(), text.end());
  return text;
}

Cloud read(const std::string& name, const std::string& content) {
  const ScratchFolder folder;
  return read_cloud(folder.write(name, content));
}

TEST(Cloud, OfAsciiPlyWithOtherPropertiesAndElements) {
  const Cloud cloud =
      read("c.ply",
           "ply\r\nformat ascii 1.0\r\ncomment made by hand\r\nelement camera 2\r\nproperty list uchar int "
           "what\r\nelement vertex 3\r\nproperty uchar red\r\nproperty float x\r\nproperty float y\r\n"
           "property double z\r\nproperty list uchar float extra\r\nelement face 1\r\nproperty list uchar "
           "int vertex_index\r\nend_header\r\n2 7 8\r\n0\r\n255 0.5 -1.25 2 0\r\n1 0.25 0 3.5 2 1 1\r\n"
           "\r\n9 -4 1 1.5e0 1 3\r\n3 0 1 2\r\n");
  EXPECT_EQ(cloud.points, three);
  EXPECT_EQ(cloud.dropped, 0u);
}

TEST(Cloud, OfBinaryPlyInEitherOrder) {
  for (const bool big : {false, true}) {
    std::string file = std::string("ply\nformat binary_") + (big ? "big" : "little") +
                       "_endian 1.0\nelement face 1\nproperty list uint8 int32 vertex_indices\nelement vertex 3\n"
                       "property double x\nproperty ushort n\nproperty float32 y\nproperty list int8 int16 l\n"
                       "property float z\nend_header\n";
    file += bytes<std::uint8_t>(2) + bytes<std::int32_t>(1, big) + bytes<std::int32_t>(2, big);
    for (int i = 0; i < 3; ++i) {
      file += bytes<double>(three[3 * i], big) + bytes<std::uint16_t>(77, big) + bytes<float>(three[3 * i + 1], big);
      file += bytes<std::int8_t>(static_cast<std::int8_t>(i));
      for (int k = 0; k < i; ++k) file += bytes<std::int16_t>(5, big);
      file += bytes<float>(three[3 * i + 2], big);
    }
    EXPECT_EQ(read("c.PLY", file).points, three) << big;
  }
}

const std::string pcd =
    "# .PCD v0.7\nVERSION 0.7\nFIELDS rgb x y n z\nSIZE 4 4 4 1 8\nTYPE U F F I F\nCOUNT 1 1 1 3 1\n"
    "WIDTH 3\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 3\nDATA ";

TEST(Cloud, OfPcdAsTextAndAsBytes) {
  EXPECT_EQ(read("c.pcd", pcd + "ascii\n1 0.5 -1.25 0 0 0 2\n2 0.25 0 0 0 0 3.5\n3 -4 1 0 0 0 1.5\n").points, three);
  std::string binary;
  for (int i = 0; i < 3; ++i) {
    binary += bytes<std::uint32_t>(9) + bytes(three[3 * i]) + bytes(three[3 * i + 1]) + "abc";
    binary += bytes<double>(three[3 * i + 2]);
  }
  EXPECT_EQ(read("c.pcd", pcd + "binary\n" + binary).points, three);
}

TEST(Cloud, OfCompressedPcd) {
  // field by field; LZF written by hand: literals, and a reference that overlaps what it writes
  std::string packed;
  packed += std::string("\x00r", 2);         // one literal 'r',
  packed += std::string("\xe0\x02\x00", 3);  // 11 more of it: the three rgb
  const auto literal = [&](const std::string& text) { packed += static_cast<char>(text.size() - 1) + text; };
  literal(bytes(three[0]) + bytes(three[3]) + bytes(three[6]));                          // x
  literal(bytes(three[1]) + bytes(three[4]) + bytes(three[7]));                          // y
  literal("abcabcabc");                                                                  // n
  literal(bytes<double>(three[2]) + bytes<double>(three[5]) + bytes<double>(three[8]));  // z
  const std::string sizes = bytes(static_cast<std::uint32_t>(packed.size())) + bytes<std::uint32_t>(3 * 23);
  EXPECT_EQ(read("c.pcd", pcd + "binary_compressed\n" + sizes + packed).points, three);
}

TEST(Cloud, OfNpyWithThreeColumnsOrMore) {
  std::string data, wide;
  for (int i = 0; i < 9; ++i) {
    data += bytes(three[i]);
    wide += bytes(three[i]);
    if (i % 3 == 2) wide += bytes(0.7f);
  }
  EXPECT_EQ(read("c.npy", npy_bytes(dict_of("<f4", "(3, 3)"), data)).points, three);
  EXPECT_EQ(read("c.npy", npy_bytes(dict_of("<f4", "(3, 4)"), wide)).points, three);
}

TEST(Cloud, OfTextWithCommentsAndNames) {
  EXPECT_EQ(read("c.xyz", "x,y,z,intensity\n0.5,-1.25,2,9\n# a comment\n\n0.25; 0; 3.5 // end\r\n-4\t+1 1.5").points,
            three);
}

TEST(Cloud, DropsAndCountsPointsThatAreNone) {
  const Cloud cloud =
      read("c.xyz", "nan 0 1\n0.5 -1.25 2\n0 0 0\n1 inf 1\n0.25 0 3.5\n1 1 1e300\n1 -1e999 1\n-4 1 1.5\n0 NaN 0\n");
  EXPECT_EQ(cloud.points, three);
  EXPECT_EQ(cloud.dropped, 6u);
}

TEST(Cloud, MayBeEmpty) {
  EXPECT_TRUE(read("c.ply",
                   "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\nproperty float "
                   "z\nend_header\n")
                  .points.empty());
  EXPECT_TRUE(read("c.npy", npy_bytes(dict_of("<f4", "(0, 3)"), "")).points.empty());
  EXPECT_TRUE(read("c.xyz", "# nothing\n").points.empty());
}

}  // namespace
}  // namespace kinema::io
