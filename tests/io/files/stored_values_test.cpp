// Numbers come out of YAML, XML and JSON as OpenCV's FileStorage and others write them.
#include "io/files/stored_values.h"

#include "kinema/error.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kinema::io {
namespace {

using Kind = StoredValue::Kind;
using Numbers = std::vector<double>;

TEST(StoredValues, OfYaml) {
  const auto values = read_stored_values(
      "%YAML:1.0\n---\n# a comment\nwidth: 640\nname: \"a: b\"\n\"quoted\": 1.\n"
      "K: !!opencv-matrix\n   rows: 1\n   dt: d\n   data: [ 5.e-01, -1,\n       .Nan ]\n"
      "ros:\n  rows: 1\n  data: [1, 2]\nsize: [ 320, 200 ]\nblock:\n- 1\n- 2\nindented:\n   - 3\n"
      "words: [ a, 1 ]\nmap: {rows: 1, data: [7]}\nempty:\n");
  EXPECT_EQ(values.at("width").kind, Kind::number);
  EXPECT_EQ(values.at("width").numbers, Numbers{640});
  EXPECT_EQ(values.at("name").kind, Kind::other);
  EXPECT_EQ(values.at("quoted").numbers, Numbers{1});
  EXPECT_EQ(values.at("K").kind, Kind::list);
  ASSERT_EQ(values.at("K").numbers.size(), 3u);
  EXPECT_EQ(values.at("K").numbers[0], 0.5);
  EXPECT_TRUE(std::isnan(values.at("K").numbers[2]));
  EXPECT_EQ(values.at("ros").numbers, (Numbers{1, 2}));
  EXPECT_EQ(values.at("size").numbers, (Numbers{320, 200}));
  EXPECT_EQ(values.at("block").numbers, (Numbers{1, 2}));
  EXPECT_EQ(values.at("indented").numbers, Numbers{3});
  EXPECT_FALSE(values.at("words").only_numbers);
  EXPECT_EQ(values.at("map").numbers, Numbers{7});
  EXPECT_EQ(values.at("empty").kind, Kind::other);
}

TEST(StoredValues, OfXml) {
  const auto values = read_stored_values(
      "<?xml version=\"1.0\"?>\n<!-- <a> -->\n<opencv_storage>\n<width>640</width>\n<size>\n  320 200</size>\n"
      "<list><_>1</_><_>2</_></list>\n<K type_id=\"opencv-matrix\"><rows>1</rows><data>\n 1. -2.e+00</data></K>\n"
      "<name>\"left\"</name><map><a>1</a></map><none/>\n</opencv_storage>\n");
  EXPECT_EQ(values.at("width").kind, Kind::number);
  EXPECT_EQ(values.at("size").numbers, (Numbers{320, 200}));
  EXPECT_EQ(values.at("list").numbers, (Numbers{1, 2}));
  EXPECT_EQ(values.at("K").numbers, (Numbers{1, -2}));
  EXPECT_EQ(values.at("name").kind, Kind::other);
  EXPECT_EQ(values.at("map").kind, Kind::other);
  EXPECT_EQ(values.at("none").kind, Kind::other);
}

TEST(StoredValues, OfJson) {
  const auto values = read_stored_values(R"({"width":640,"size":[320,200],"K":{"rows":1,"data":[1,2.5]},"n":"x"})");
  EXPECT_EQ(values.at("width").numbers, Numbers{640});
  EXPECT_EQ(values.at("size").numbers, (Numbers{320, 200}));
  EXPECT_EQ(values.at("K").numbers, (Numbers{1, 2.5}));
  EXPECT_EQ(values.at("n").kind, Kind::other);
}

TEST(StoredValues, RefusesWhatIsCutShort) {
  for (const char* text :
       {"hello", "%YAML:1.0\nK: [ 1, 2", "%YAML:1.0\n  - 1\n", "%YAML:1.0\nhello\n", "<?xml?>", "<?xml?><a>",
        "<?xml?><a><b>1</a>", "<?xml?><a><b>1</b", "{\"a\":", "<?xml?><a><>1</></a>"}) {
    EXPECT_THROW(read_stored_values(text), Error) << text;
  }
}

}  // namespace
}  // namespace kinema::io
