// The backends on real frames; skipped where the data does not lie beside the project.
#include "frames.h"
#include "io/pictures/image_file.h"
#include "kinema/head_classifier.h"

#include <filesystem>

namespace kinema::head {
namespace {

namespace fs = std::filesystem;

class MomentsData : public OnMoments {};

TEST_P(MomentsData, RealFramesAgree) {
  const fs::path folder = fs::path(KINEMA_SHARED_DATA) / "head";
  std::vector<fs::path> files;
  for (const char* clip : {"otb_boy", "otb_david", "otb_girl", "otb_faceocc1"})
    for (const char* frame : {"0001.jpg", "0040.jpg"})
      if (const fs::path file = folder / clip / "img" / frame; fs::exists(file)) files.push_back(file);
  if (files.empty()) GTEST_SKIP() << "no frames in " << folder;

  const auto moments = make_moments(GetParam()), reference = make_moments("reference");
  const Classifier classifiers[] = {SkinPlane{0.021, -0.013, -0.007, -0.3}, SkinPlane{0.4, -0.31, -0.05, -9},
                                    make_classifier(CbCrGaussian{})};
  for (const Classifier& classifier : classifiers) {
    moments->set_classifier(classifier);
    reference->set_classifier(classifier);
    for (const fs::path& file : files) {
      const io::Picture picture = io::read_picture(file);
      const auto width = static_cast<std::size_t>(picture.width), height = static_cast<std::size_t>(picture.height);
      const std::vector<std::uint8_t> bgr(picture.bgr.begin(), picture.bgr.end());
      for (const PixelFormat format : {PixelFormat::bgr, PixelFormat::rgba, PixelFormat::nv12}) {
        const Frame frame = in_format(bgr, width, height, format);
        EXPECT_TRUE(agree(moments->measure(frame.view), reference->measure(frame.view), frame.view, GetParam()))
            << file;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, MomentsData, ::testing::ValuesIn(all_names), moments_name);

}  // namespace
}  // namespace kinema::head
