// camera.json is read whole or refused by the field that is wrong.
#include "io/cameras/camera_file.h"

#include "refusal.h"
#include "scratch_folder.h"

namespace kinema::io {
namespace {

const std::string right =
    R"({"width":640,"height":480,"fx":525,"fy":524.5,"cx":319.5,"cy":239.5,"fps":30,"depth_scale":0.001,"baseline":0.12})";

// `right` with one piece of it replaced
std::string with(const std::string& piece, const std::string& other) {
  std::string text = right;
  const std::size_t at = text.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  return text.replace(at, piece.size(), other);
}

TEST(CameraFile, ReadsEveryField) {
  const ScratchFolder folder;
  const auto path = folder.write("camera.json", with("}", R"(,"distortion":[0.1,-0.2,0,0,0.01],"maker":"x"})"));
  const CameraFile file = read_camera_json(path, CameraUse::depth);
  EXPECT_EQ(file.camera.width, 640);
  EXPECT_EQ(file.camera.height, 480);
  EXPECT_EQ(file.camera.fx, 525);
  EXPECT_EQ(file.camera.fy, 524.5);
  EXPECT_EQ(file.camera.cx, 319.5);
  EXPECT_EQ(file.camera.cy, 239.5);
  EXPECT_EQ(file.fps, 30);
  EXPECT_EQ(file.depth_scale, 0.001);
  EXPECT_EQ(file.baseline, 0.12);
  EXPECT_EQ(file.distortion, (std::vector<double>{0.1, -0.2, 0, 0, 0.01}));
}

TEST(CameraFile, IsWrittenAsItIsRead) {
  const ScratchFolder folder;
  const CameraFile file{{640, 480, 525.123456789, 524, 319.5, 239.5}, 29.97, 0.00025, 0.1, {0.1, 0, 0, 1e-7}};
  write_camera_json(folder / "camera.json", file);
  const CameraFile read = read_camera_json(folder / "camera.json", CameraUse::stereo);
  EXPECT_EQ(read.camera.fx, file.camera.fx);
  EXPECT_EQ(read.fps, file.fps);
  EXPECT_EQ(read.depth_scale, file.depth_scale);
  EXPECT_EQ(read.baseline, file.baseline);
  EXPECT_EQ(read.distortion, file.distortion);
}

TEST(CameraFile, NeedsOnlyWhatItsUseNeeds) {
  const ScratchFolder folder;
  const auto stereo = folder.write("stereo.json", with(R"("depth_scale":0.001,)", ""));
  EXPECT_EQ(read_camera_json(stereo, CameraUse::stereo).depth_scale, 0);
  const auto depth = folder.write("depth.json", with(R"(,"baseline":0.12)", ""));
  EXPECT_EQ(read_camera_json(depth, CameraUse::depth).baseline, 0);
  const auto clouds = folder.write("clouds.json", R"({"fps":10})");
  EXPECT_EQ(read_camera_json(clouds, CameraUse::clouds).camera.width, 0);
  expect_refusal(stereo, "has no \"depth_scale\"", [&] { read_camera_json(stereo, CameraUse::depth); });
  expect_refusal(depth, "has no \"baseline\"", [&] { read_camera_json(depth, CameraUse::stereo); });
  CameraFile said;
  said.baseline = 0.2;
  EXPECT_EQ(read_camera_json(depth, CameraUse::stereo, said).baseline, 0.2);
}

TEST(CameraFile, RefusesWhatNoCameraHas) {
  const ScratchFolder folder;
  const struct {
    std::string text, says;
  } wrong[] = {
      {"", "is empty"},
      {"{\"width\":640,\n\"height\" 480}", "is not JSON (line 2"},
      {"[1,2]", "is not a JSON object"},
      {with(R"("width":640,)", ""), "has no \"width\""},
      {with(R"("fx":525,)", ""), "has no \"fx\""},
      {with(R"("cy":239.5,)", ""), "has no \"cy\""},
      {with(R"("fps":30,)", ""), "has no \"fps\""},
      {with("640", "0"), "\"width\" is 0"},
      {with("640", "-640"), "\"width\" is -640"},
      {with("640", "640.5"), "\"width\" is 640.5"},
      {with("480", "99999999999"), "\"height\" is 99999999999"},
      {with("640", "\"640\""), "\"width\" is \"640\": it must be a number"},
      {with("640", "null"), "\"width\" is null"},
      {with("525", "0"), "\"fx\" is 0"},
      {with("524.5", "-1"), "\"fy\" is -1"},
      {with("319.5", "1e9"), "\"cx\" is 1000000000"},
      {with(":30", ":0"), "\"fps\" is 0"},
      {with("0.001", "-0.001"), "\"depth_scale\" is -0.001"},
      {with("0.001", "1000"), "\"depth_scale\" is 1000"},
      {with("525", "1e999"), "too large"},
      {with("}", R"(,"distortion":0.1})"), "\"distortion\" is not a list"},
      {with("}", R"(,"distortion":[1,2,3]})"), "\"distortion\" has 3 numbers"},
      {with("}", R"(,"distortion":[1,2,3,"x"]})"), "\"distortion\" holds something"},
  };
  for (const auto& [text, says] : wrong) {
    const auto path = folder.write("camera.json", text);
    expect_refusal(path, says, [&] { read_camera_json(path, CameraUse::depth); });
  }
  expect_refusal(folder / "none.json", "there is no such file",
                 [&] { read_camera_json(folder / "none.json", CameraUse::depth); });
}

}  // namespace
}  // namespace kinema::io
