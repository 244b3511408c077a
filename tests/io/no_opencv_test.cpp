// In a build without OpenCV clouds are read as ever, and pictures are refused with a line that says why.
#include "io/files/output_file.h"
#include "io/pictures/image_file.h"
#include "kinema/recording.h"
#include "refusal.h"
#include "scratch_folder.h"

namespace kinema::io {
namespace {

TEST(WithoutOpenCV, DepthImagesAndPairsAreRefused) {
  const ScratchFolder folder;
  folder.write("camera.json",
               R"({"width":4,"height":3,"fx":5,"fy":5,"cx":1.5,"cy":1,"fps":10,"depth_scale":0.001,"baseline":1})");
  make_folder(folder / "depth");
  folder.write("depth/000000.png", "x");
  expect_refusal(folder / "depth/000000.png", "this build has no OpenCV",
                 [&] { open_recording({folder.path().string()}); });
  std::filesystem::remove_all(folder / "depth");
  for (const char* name : {"left", "right"}) make_folder(folder / name);
  for (const char* name : {"left/0.png", "right/0.png"}) folder.write(name, "x");
  EXPECT_NE(refusal_of([&] { open_recording({folder.path().string()}); }).find("this build has no OpenCV"),
            std::string::npos);
  expect_refusal(folder / "p.png", "this build has no OpenCV", [&] { write_picture_png(folder / "p.png", {}); });
}

}  // namespace
}  // namespace kinema::io
