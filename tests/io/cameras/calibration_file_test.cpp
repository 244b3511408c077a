// Calibrations are read under the names that OpenCV's users give them, and refused by the matrix that is wrong.
#include "io/cameras/calibration_file.h"

#include "refusal.h"
#include "scratch_folder.h"

namespace kinema::io {
namespace {

std::string matrix(const std::string& name, int rows, int columns, const std::string& data) {
  return name + ": !!opencv-matrix\n   rows: " + std::to_string(rows) + "\n   cols: " + std::to_string(columns) +
         "\n   dt: d\n   data: [ " + data + " ]\n";
}

const std::string yaml = "%YAML:1.0\n---\n";
const std::string intrinsics =
    matrix("M1", 3, 3, "500, 0, 320, 0, 501, 240, 0, 0, 1") + matrix("D1", 1, 5, "-0.3, 0.1, 0, 0, 0") +
    matrix("M2", 3, 3, "502, 0, 321, 0, 503, 241, 0, 0, 1") + matrix("D2", 1, 5, "-0.2, 0.1, 0, 0, 0");
const std::string extrinsics = matrix("R", 3, 3, "1, 0, 0, 0, 1, 0, 0, 0, 1") + matrix("T", 3, 1, "-83.0, 1, 0.5");
const std::string rotations =
    matrix("R1", 3, 3, "1, 0, 0, 0, 1, 0, 0, 0, 1") + matrix("R2", 3, 3, "0.6, 0, -0.8, 0, 1, 0, 0.8, 0, 0.6");
const std::string left_projection = matrix("P1", 3, 4, "480, 0, 330, 0, 0, 480, 250, 0, 0, 0, 1, 0");
const std::string projections = left_projection + matrix("P2", 3, 4, "480, 0, 340, -39840, 0, 480, 250, 0, 0, 0, 1, 0");

TEST(CalibrationFile, OfAPairInOneFileOrTwo) {
  const ScratchFolder folder;
  const auto one = folder.write("stereo.yml", yaml + "image_width: 640\nimage_height: 480\n" + intrinsics + extrinsics);
  const auto first = folder.write("intrinsics.yml", yaml + intrinsics);
  const auto second = folder.write("extrinsics.yml", yaml + extrinsics);
  for (const auto& files : {std::vector{one}, std::vector{first, second}}) {
    const Calibration calibration = read_calibration(files);
    EXPECT_EQ(calibration.width, files.size() == 1 ? 640 : 0);
    EXPECT_EQ(calibration.left.fy, 501);
    ASSERT_TRUE(calibration.right);
    EXPECT_EQ(calibration.right->cx, 321);
    EXPECT_EQ(calibration.right->distortion, (std::vector<double>{-0.2, 0.1, 0, 0, 0}));
    EXPECT_EQ(calibration.translation, (std::array<double, 3>{-83, 1, 0.5}));
  }
}

TEST(CalibrationFile, HoldsARectificationOrNone) {
  const ScratchFolder folder;
  const auto read = [&](const std::string& more) {
    return read_calibration({folder.write("stereo.yml", yaml + intrinsics + extrinsics + more)});
  };
  const Calibration calibration = read(rotations + projections);
  ASSERT_TRUE(calibration.rectified);
  const auto& [left, right] = *calibration.rectified;
  EXPECT_EQ(left.rotation, (std::array<double, 9>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(right.rotation[2], -0.8);
  EXPECT_EQ(left.fx, 480);
  EXPECT_EQ(left.cx, 330);
  EXPECT_EQ(right.cx, 340);
  EXPECT_EQ(right.cy, 250);
  EXPECT_EQ(right.shift, -39840);
  // a part of one is none
  EXPECT_FALSE(read("").rectified);
  EXPECT_FALSE(read(rotations).rectified);
  EXPECT_FALSE(read(projections).rectified);
  EXPECT_FALSE(read(rotations + left_projection).rectified);
}

TEST(CalibrationFile, OfOneCameraInXmlAndYaml) {
  const ScratchFolder folder;
  const std::string xml =
      "<?xml version=\"1.0\"?>\n<opencv_storage>\n<intrinsic type_id=\"opencv-matrix\">\n<rows>3</rows><cols>3</cols>"
      "<dt>f</dt>\n<data>525. 0. 320. 0. 525. 240. 0. 0. 1.</data></intrinsic>\n</opencv_storage>\n";
  const Calibration from_xml = read_calibration({folder.write("camera.xml", xml)});
  EXPECT_EQ(from_xml.left.fx, 525);
  EXPECT_FALSE(from_xml.right);
  EXPECT_TRUE(from_xml.left.distortion.empty());
  const Calibration from_yaml =
      read_calibration({folder.write("c.yml", yaml + "image_size: [ 320, 200 ]\n" +
                                                  matrix("camera_matrix", 3, 3, "500, 0, 160, 0, 500, 100, 0, 0, 1") +
                                                  matrix("distortion_coefficients", 5, 1, "1, 2, 3, 4, 5"))});
  EXPECT_EQ(from_yaml.width, 320);
  EXPECT_EQ(from_yaml.height, 200);
  EXPECT_EQ(from_yaml.left.distortion.size(), 5u);
}

TEST(CalibrationFile, IsRefusedByWhatIsWrong) {
  const ScratchFolder folder;
  const struct {
    std::string content, says;
  } wrong[] = {
      {"", "is empty"},
      {"hello: 1\n", "is not a calibration file"},
      {"%YAML:1.0\n---\nM1: !!opencv-matrix\n  rows: [", "M1 is not a matrix"},
      {yaml + "a: 1\n", "holds no camera matrix"},
      {yaml + intrinsics, "holds no R"},
      {yaml + intrinsics + matrix("R", 3, 3, "1, 0, 0, 0, 1, 0, 0, 0, 1"), "holds no T"},
      {yaml + intrinsics + matrix("R", 3, 3, "2, 0, 0, 0, 1, 0, 0, 0, 1") + matrix("T", 3, 1, "-1, 0, 0"),
       "R is not a rotation"},
      {yaml + intrinsics + matrix("R", 3, 3, "-1, 0, 0, 0, 1, 0, 0, 0, 1") + matrix("T", 3, 1, "-1, 0, 0"),
       "or it mirrors"},
      {yaml + intrinsics + extrinsics + projections + matrix("R1", 3, 3, "1, 0, 0, 0, 1, 0, 0, 0, 1") +
           matrix("R2", 3, 3, "1, 0, 0, 0, 1, 0, 0, 0.1, 1"),
       "R2 is not a rotation"},
      {yaml + intrinsics + extrinsics + rotations + left_projection + matrix("P2", 3, 3, "1, 0, 0, 0, 1, 0, 0, 0, 1"),
       "P2 has 9 numbers where 12 are needed"},
      {yaml + intrinsics + extrinsics + rotations + left_projection +
           matrix("P2", 3, 4, "480, 0, 340, 0, 0, 480, 250, -39840, 0, 0, 1, 0"),
       "one above the other"},
      {yaml + intrinsics + extrinsics + rotations + left_projection +
           matrix("P2", 3, 4, "480, 3, 340, -39840, 0, 480, 250, 0, 0, 0, 1, 0"),
       "P2 is not the matrix of a rectified camera"},
      {yaml + matrix("K", 3, 3, "0, 0, 320, 0, 500, 240, 0, 0, 1"), "focal lengths 0 and 500"},
      {yaml + matrix("K", 3, 3, "500, 0, 320, 0, -500, 240, 0, 0, 1"), "focal lengths 500 and -500"},
      {yaml + matrix("K", 3, 3, "500, 0, 320, 0, 500, 240, 0, 0, 2"), "is not a camera matrix"},
      {yaml + matrix("K", 2, 3, "500, 0, 320, 0, 500, 240"), "has 6 numbers where 9 are needed"},
      {yaml + matrix("K", 3, 3, "500, 0, .Nan, 0, 500, 240, 0, 0, 1"), "not finite"},
      {yaml + "K: 5\n", "is not a matrix"},
      {yaml + matrix("M1", 3, 3, "500, 0, 320, 0, 501, 240, 0, 0, 1"), "not the right one's"},
      {yaml + matrix("K", 3, 3, "500, 0, 320, 0, 500, 240, 0, 0, 1") + "image_width: 999999\n", "999999"},
  };
  for (const auto& [content, says] : wrong) {
    const auto path = folder.write("c.yml", content);
    expect_refusal(path, says, [&] { read_calibration({path}); });
  }
}

}  // namespace
}  // namespace kinema::io
