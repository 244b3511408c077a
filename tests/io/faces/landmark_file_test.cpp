// Landmarks of five formats come out as pixels that count from 0, and what is broken is refused with its place.
#include "io/faces/landmark_file.h"

#include "mutation.h"
#include "refusal.h"
#include "scratch_folder.h"

#include <cmath>

namespace kinema::io {
namespace {

const char* const with_header = "version: 1\nn_points: 3\n{\n1 1\n10.5 20.25\n3 4\n}\n";
const std::vector<float> from_zero{0, 0, 9.5f, 19.25f, 2, 3};

std::vector<float> landmarks_in(const std::filesystem::path& path, const LandmarkSettings& settings = {}) {
  return read_landmarks(path, settings).at(0).landmarks;
}

TEST(LandmarkFile, PtsCountsFromOneUnlessToldOtherwise) {
  const ScratchFolder folder;
  const auto path = folder.write("a.pts", with_header);
  EXPECT_EQ(landmarks_in(path), from_zero);
  EXPECT_EQ(landmarks_in(path, {0.0}), (std::vector<float>{1, 1, 10.5f, 20.25f, 3, 4}));
}

TEST(LandmarkFile, PtsNeedsNoHeader) {
  const ScratchFolder folder;
  EXPECT_EQ(landmarks_in(folder.write("a.pts", "1 1\n10.5 20.25\n3 4\n")), from_zero);
  EXPECT_EQ(landmarks_in(folder.write("b.pts", "\r\n 1,1\r\n10.5,\t20.25 \r\n3 4")), from_zero);
  EXPECT_EQ(landmarks_in(folder.write("c.pts", "version:1\nn_points:3\n{\n1 1\n10.5 20.25\n3 4\n}")), from_zero);
}

TEST(LandmarkFile, PtsComesBackAsItWasWritten) {
  const ScratchFolder folder;
  write_pts(folder / "a.pts", from_zero);
  EXPECT_EQ(bytes_of(folder / "a.pts").substr(0, 36), "version: 1\nn_points: 3\n{\n1.0000 1.00");
  EXPECT_EQ(landmarks_in(folder / "a.pts"), from_zero);
}

TEST(LandmarkFile, AsfIsRelativeAndNamesItsPicture) {
  const ScratchFolder folder;
  const auto path = folder.write("a.asf",
                                 "# a comment\n\n2\n\n# points\n0 0 0.25 0.5 0 1 1 0 0 0\n0 \t0 \t0.5 \t0.75 1 0 0\n"
                                 "# host image\n01 01.jpg\n");
  const LandmarkedFace face = read_landmarks(path).at(0);
  EXPECT_TRUE(face.relative);
  EXPECT_EQ(face.landmarks, (std::vector<float>{0.25f, 0.5f, 0.5f, 0.75f}));
  EXPECT_EQ(face.image, "01 01.jpg");
}

TEST(LandmarkFile, XmlOfDlibIsSortedByPart) {
  const ScratchFolder folder;
  const auto path =
      folder.write("a.xml",
                   "<?xml version='1.0'?><dataset><name>x</name><images>"
                   "<image file='a &amp; b.jpg'><box top='2' left='1' width='30' height='40'>"
                   "<part name='10' x='7' y='8'/><part name='2' x='3' y='4'/></box>"
                   "<box top='0' left='0' width='3' height='4' ignore='1'><part name='0' x='1' y='1'/></box>"
                   "</image><image file='c.jpg'/></images></dataset>");
  std::vector<LandmarkedFace> faces;
  try {
    faces = read_landmarks(path);
  } catch (const Error& error) {
    if (std::string(error.what()).find("without pugixml") != std::string::npos) GTEST_SKIP() << error.what();
    throw;
  }
  ASSERT_EQ(faces.size(), 1u);
  EXPECT_EQ(faces[0].image, "a & b.jpg");
  EXPECT_EQ(faces[0].landmarks, (std::vector<float>{3, 4, 7, 8}));
  EXPECT_EQ((*faces[0].box)[0], 1);
  EXPECT_EQ((*faces[0].box)[3], 40);
}

TEST(LandmarkFile, CocoTakesAnnotationsWhosePointsAreAllSet) {
  const ScratchFolder folder;
  const auto path =
      folder.write("a.json", R"({"images":[{"id":7,"file_name":"a.jpg"},{"id":"q","file_name":"b.jpg"}],)"
                             R"("annotations":[{"image_id":7,"keypoints":[1,2,2,3,4,1],"bbox":[0,1,2,3]},)"
                             R"({"image_id":"q","keypoints":[1,2,0,3,4,1]},{"image_id":"q"}]})");
  const auto faces = read_landmarks(path);
  ASSERT_EQ(faces.size(), 1u);
  EXPECT_EQ(faces[0].image, "a.jpg");
  EXPECT_EQ(faces[0].landmarks, (std::vector<float>{1, 2, 3, 4}));
}

TEST(LandmarkFile, CsvNamesItsColumns) {
  const ScratchFolder folder;
  const auto path = folder.write("a.csv", "file,quality,y0,x0,x1,y1\n\"a,b.jpg\",0.5,2,1,3,4\n\nc.jpg,1,6,5,7,8\n");
  const auto faces = read_landmarks(path);
  ASSERT_EQ(faces.size(), 2u);
  EXPECT_EQ(faces[0].image, "a,b.jpg");
  EXPECT_EQ(faces[0].landmarks, (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(faces[1].landmarks, (std::vector<float>{5, 6, 7, 8}));
  const auto from_one = read_landmarks(folder.write("b.csv", "image,x1,y1,x2,y2\na.jpg,1,2,3,4\n"));
  EXPECT_EQ(from_one.at(0).landmarks, (std::vector<float>{1, 2, 3, 4}));
}

struct Refusal {
  const char* name;
  const char* file;
  std::string bytes, says;
};

class LandmarksAreRefused : public testing::TestWithParam<Refusal> {};

TEST_P(LandmarksAreRefused, WithOneLine) {
  const ScratchFolder folder;
  const auto path = folder.write(GetParam().file, GetParam().bytes);
  expect_refusal(path, GetParam().says, [&] { read_landmarks(path); });
}

const Refusal refusals[] = {
    {"Empty", "a.pts", "", "is empty"},
    {"NoPoints", "a.pts", "version: 1\nn_points: 0\n{\n}\n", "holds no landmarks"},
    {"WrongCount", "a.pts", "n_points: 4\n{\n1 2\n3 4\n}\n", "says n_points: 4 and holds 2"},
    {"CutShort", "a.pts", "n_points: 2\n{\n1 2\n", "ends within its braces"},
    {"Word", "a.pts", "1 2\n3 four\n", "line 2: 'four'"},
    {"OneNumber", "a.pts", "1 2\n3\n", "line 2: ''"},
    {"ThreeNumbers", "a.pts", "1 2 3\n", "line 1: '3' after x and y"},
    {"NotFinite", "a.pts", "1 nan\n", "line 1: y is nan"},
    {"Huge", "a.pts", "1e30 1\n", "is not a place in or near a picture"},
    {"AfterBrace", "a.pts", "{\n1 2\n}\n5 6\n", "after the closing brace"},
    {"AsfNoCount", "a.asf", "# nothing\n", "no number of points"},
    {"AsfCutShort", "a.asf", "3\n0 0 0.1 0.2\n", "says 3 points and holds 1"},
    {"AsfPixels", "a.asf", "1\n0 0 120 200\n", "a fraction of the picture's size"},
    {"AsfHuge", "a.asf", "100000000\n", "where the number of points is needed"},
    {"JsonNoImages", "a.json", R"({"annotations":[]})", "has no \"images\""},
    {"JsonNoId", "a.json", R"({"images":[],"annotations":[{"image_id":1,"keypoints":[1,2,2]}]})",
     "is the id of no image"},
    {"JsonNotThrees", "a.json",
     R"({"images":[{"id":1,"file_name":"a"}],"annotations":[{"image_id":1,"keypoints":[1,2]}]})",
     "they come in threes"},
    {"JsonBroken", "a.json", "{\"images\":[", "is not JSON"},
    {"CsvNoFile", "a.csv", "x0,y0\n1,2\n", "has no column 'file'"},
    {"CsvNoPoints", "a.csv", "file,width\na.jpg,3\n", "has no columns x0 and y0"},
    {"CsvHalfAPoint", "a.csv", "file,x0,y0,x1\na,1,2,3\n", "of x1 and y1 there is only one"},
    {"CsvShortLine", "a.csv", "file,x0,y0\na,1\n", "line 2: has 2 columns where the first line names 3"},
    {"CsvWord", "a.csv", "file,x0,y0\na,1,b\n", "line 2: y0 is 'b'"},
    {"CsvQuote", "a.csv", "file,x0,y0\n\"a,1,2\n", "a quote has no end"},
    {"OtherEnding", "a.txt", "1 2\n", "is not a file of landmarks by its name"},
};

INSTANTIATE_TEST_SUITE_P(LandmarkFile, LandmarksAreRefused, testing::ValuesIn(refusals),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(LandmarkFile, XmlThatIsNoneIsRefused) {
  const ScratchFolder folder;
  for (const char* text : {"<dataset><images>", "<a/>", "<dataset><images><image file='a'/></images></dataset>",
                           "<dataset><images><image file='a'><box top='0' left='0' width='1' height='1'><part name='0' "
                           "x='q' y='1'/></box></image></images></dataset>"}) {
    const auto path = folder.write("a.xml", text);
    expect_refusal(path, "", [&] { read_landmarks(path); });
  }
}

// Whatever stands in a file: finite landmarks, or an Error of one line.
TEST(LandmarkFile, MutatedFilesAreReadConsistentlyOrRefused) {
  const ScratchFolder folder;
  Mutation mutation(5);
  const std::pair<const char*, std::string> files[] = {
      {"m.pts", with_header},
      {"m.asf", "2\n0 0 0.25 0.5 0 1 1\n0 0 0.5 0.75 1 0 0\na.jpg\n"},
      {"m.json",
       R"({"images":[{"id":7,"file_name":"a.jpg"}],"annotations":[{"image_id":7,"keypoints":[1,2,2,3,4,1]}]})"},
      {"m.csv", "file,x0,y0,x1,y1\na.jpg,1,2,3,4\n"},
      {"m.xml",
       "<dataset><images><image file='a.jpg'><box top='2' left='1' width='30' height='40'><part name='00' x='7' "
       "y='8'/></box></image></images></dataset>"}};
  const std::string pieces[] = {"0", "7", "-", ".", "{", "}", "[", "]", ",", ":", "<", ">", "'", "\"", " ", "ne", "\n"};
  std::size_t read = 0, refused = 0;
  for (int round = 0; round < 3000; ++round) {
    const auto& [name, right] = files[static_cast<std::size_t>(round) % std::size(files)];
    const auto path = folder.write(name, mutation.of(right, pieces));
    try {
      for (const LandmarkedFace& face : read_landmarks(path)) {
        ASSERT_EQ(face.landmarks.size() % 2, 0u);
        for (float value : face.landmarks) ASSERT_TRUE(std::isfinite(value));
      }
      ++read;
    } catch (const Error& error) {
      expect_line_about(path, error.what());
      ++refused;
    }
  }
  // both ends of it were reached
  EXPECT_GT(read, 100u);
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace kinema::io
