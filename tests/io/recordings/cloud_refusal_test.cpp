// What is not a point cloud is refused with one line, and takes no memory for what its header claims.
#include "io/recordings/cloud.h"

#include "mutation.h"
#include "refusal.h"
#include "scratch_folder.h"

namespace kinema::io {
namespace {

std::string ply(const std::string& format, const std::string& rest) {
  return "ply\nformat " + format + " 1.0\n" + rest;
}

std::string vertices(const std::string& count) {
  return "element vertex " + count + "\nproperty float x\nproperty float y\nproperty float z\nend_header\n";
}

std::string pcd(const std::string& points, const std::string& data, const std::string& fields = "x y z") {
  return "VERSION 0.7\nFIELDS " + fields + "\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH " + points +
         "\nHEIGHT 1\nPOINTS " + points + "\nDATA " + data + "\n";
}

const std::string le = "binary_little_endian";

TEST(CloudRefusal, IsOneLineThatNamesFileAndPlace) {
  const ScratchFolder folder;
  const struct {
    std::string name, content, says;
  } wrong[] = {
      {"c.ply", "", "is empty"},
      {"c.ply", "solid cube", "does not start with 'ply'"},
      {"c.ply", "ply\nelement vertex 1\n", "line 2 of its header: 'element' does not belong here"},
      {"c.ply", "ply\nformat ascii 1.0\n", "ends within its header"},
      {"c.ply", ply("binary_middle_endian", vertices("1")), "line 2 of its header: the format"},
      {"c.ply", ply("ascii", vertices("-1")), "'-1' is not a count"},
      {"c.ply", ply("ascii", vertices("99999999999999999999999")), "is not a count"},
      {"c.ply", ply("ascii", "element face 0\nend_header\n"), "no 'element vertex'"},
      {"c.ply", ply("ascii", "element vertex 1\nproperty float x\nproperty float y\nend_header\n1 1\n"),
       "no property 'z'"},
      {"c.ply", ply("ascii", "element vertex 1\nproperty quad x\n"), "the type 'quad' is not known"},
      {"c.ply", ply("ascii", vertices("2") + "1 2 3\n"), "is cut short"},
      {"c.ply", ply("ascii", vertices("2") + "1 2 3\n1 2 three\n"), "line 9: 'three' is not a number"},
      {"c.ply", ply("ascii", vertices("2") + "1 2 3\n1.000000 2\n"), "line 9: '' is not a number"},
      {"c.ply", ply(le, vertices("1000000000000") + std::string(24, 'x')), "is cut short"},
      {"c.ply", ply(le, vertices("18446744073709551615") + std::string(24, 'x')), "is cut short"},
      {"c.ply", ply(le, vertices("2") + std::string(23, 'x')), "is cut short"},
      {"c.ply",
       ply(le, "element f 1\nproperty list uint float l\n" + vertices("1") + "\xff\xff\xff\xff" + std::string(20, 'x')),
       "is cut short"},
      {"c.ply", ply(le, "element f 1\nproperty list char float l\n" + vertices("1") + "\xff" + std::string(20, 'x')),
       "is cut short"},
      {"c.pcd", "hello\nworld\n", "is not a PCD file"},
      {"c.pcd", "VERSION 0.7\n", "ends within its header"},
      {"c.pcd", pcd("2", "ascii") + "1 2 3\n", "is cut short"},
      {"c.pcd", pcd("1", "ascii") + "1 two 3\n", "line 10: 'two' is not a number"},
      {"c.pcd", pcd("1", "zip"), "the data are 'zip'"},
      {"c.pcd", pcd("-1", "ascii"), "'-1' is not a whole number"},
      {"c.pcd", pcd("1", "ascii", "x y w") + "1 2 3\n", "has no field 'z'"},
      {"c.pcd", pcd("9000000000000000000", "binary") + "abc", "is cut short"},
      {"c.pcd", pcd("2", "binary") + std::string(23, 'x'), "is cut short"},
      {"c.pcd", pcd("2", "binary_compressed") + "abc", "is cut short"},
      {"c.pcd", pcd("2", "binary_compressed") + std::string("\xff\xff\xff\xff\x18\0\0\0", 8), "is cut short"},
      {"c.pcd", pcd("300000000", "binary_compressed") + std::string("\x02\0\0\0\x00\xa4\x93\xd6zz", 10), "is damaged"},
      {"c.pcd", pcd("2", "binary_compressed") + std::string("\x03\0\0\0\x18\0\0\0\xe0\xff\xff", 11), "is damaged"},
      {"c.pcd", "FIELDS x y z\nSIZE 3 4 4\nTYPE F F F\nWIDTH 1\nDATA binary\n" + std::string(12, 'x'), "of 3 bytes"},
      {"c.pcd", "FIELDS x y z\nSIZE 4 4 4\nTYPE F F Q\nDATA binary\n", "the type 'Q'"},
      {"c.pcd", "FIELDS x y z\nWIDTH 5\nHEIGHT 2\nPOINTS 3\nDATA ascii\n", "claims 3 POINTS"},
      {"c.xyz", "1 2 3\n1 2\n", "line 2: '1 2' is not a point"},
      {"c.xyz", "1 2\n", "line 1: '1 2' is not a point"},
      {"c.xyz", "x y z\nu v w\n", "line 2"},
      {"c.las", "x", "is not a point cloud by its name"},
  };
  for (const auto& [name, content, says] : wrong) {
    const auto path = folder.write(name, content);
    expect_refusal(path, says, [&] { read_cloud(path); });
  }
  expect_refusal(folder / "none.ply", "there is no such file", [&] { read_cloud(folder / "none.ply"); });
}

// Whatever stands in a file: points that it could hold, or an Error of one line.
TEST(CloudRefusal, OfMutatedFilesOrPointsTheyCouldHold) {
  const ScratchFolder folder;
  Mutation mutation(4321);
  const std::string packed(
      "\x10\0\0\0\x18\0\0\0\x01\0\0\xe0\x04\x01\x05"
      "123456"
      "\x02"
      "abc",
      25);
  const std::pair<std::string, std::string> files[] = {
      {"m.ply", ply("ascii", vertices("2") + "1 2 3\n4 5 6\n")},
      {"m.ply",
       ply(le, "element f 1\nproperty list uchar short l\n" + vertices("2") + "\x01zz" + std::string(24, '\x3f'))},
      {"m.pcd", pcd("2", "ascii") + "1 2 3\n4 5 6\n"},
      {"m.pcd", pcd("2", "binary") + std::string(24, '\x3f')},
      {"m.pcd", pcd("2", "binary_compressed") + packed},
      {"m.xyz", "x y z\n1 2 3\n4 5 6\n"}};
  const std::string pieces[] = {
      "\n", " ", "-", "9", "nan", "18446744073709551615", "list", "property", "\xff", "COUNT 0 1 1\n"};
  std::size_t read = 0, refused = 0;
  for (int round = 0; round < 6000; ++round) {
    const auto& [name, right] = files[static_cast<std::size_t>(round) % std::size(files)];
    const std::string bytes = mutation.of(right, pieces);
    const auto path = folder.write(name, bytes);
    try {
      const Cloud cloud = read_cloud(path);
      ASSERT_EQ(cloud.points.size() % 3, 0u);
      ASSERT_LE(cloud.points.size() / 3 + cloud.dropped, 64 + bytes.size());
      ++read;
    } catch (const Error& error) {
      expect_line_about(path, error.what());
      ++refused;
    }
  }
  // both ends of it were reached
  EXPECT_GT(read, 300u);
  EXPECT_GT(refused, 500u);
}

}  // namespace
}  // namespace kinema::io
