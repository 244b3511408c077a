// What needs OpenCV, in a build without it: everything here is refused in the same words.
#include "io/calibration_file.h"
#include "io/image_file.h"
#include "io/rectify.h"
#include "io/video_file.h"
#include "kinema/error.h"
#include "kinema/stereo.h"

#include <fmt/format.h>

namespace kinema::io {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(
      fmt::format("{}: this build has no OpenCV, which pictures, video, stereo pairs and calibration files need: "
                  "install it (Debian: libopencv-dev) and build again, or use point clouds",
                  what));
}

}  // namespace

Calibration read_calibration(const std::vector<std::filesystem::path>& files) {
  refuse(files.empty() ? "a calibration" : files.front().string());
}

DepthImage read_depth_image(const std::filesystem::path& path) { refuse(path.string()); }
Picture read_picture(const std::filesystem::path& path) { refuse(path.string()); }
GreyImage grey_of(const Picture&) { refuse("a picture"); }
Picture resized(const Picture&, int, int) { refuse("a picture"); }
void write_depth_png(const std::filesystem::path& path, const DepthImage&) { refuse(path.string()); }
void write_picture_png(const std::filesystem::path& path, const Picture&) { refuse(path.string()); }

PixelMap::PixelMap(const Lens&, const std::array<double, 9>&, const Camera&) { refuse("a lens with distortion"); }
Picture PixelMap::picture(const Picture&) const { refuse("a picture"); }
DepthImage PixelMap::depth(const DepthImage&) const { refuse("a depth image"); }
StereoRectification rectify(const Calibration&, int, int, double) { refuse("a stereo calibration"); }

struct StereoMatcher::State {};
StereoMatcher::StereoMatcher(const CameraFile&, const StereoSettings&) { refuse("a stereo pair"); }
StereoMatcher::~StereoMatcher() = default;
StereoMatcher::StereoMatcher(StereoMatcher&&) noexcept = default;
StereoMatcher& StereoMatcher::operator=(StereoMatcher&&) noexcept = default;
std::vector<float> StereoMatcher::depth(ImageView<const std::uint8_t>, ImageView<const std::uint8_t>) const {
  refuse("a stereo pair");
}
int StereoMatcher::disparities() const { refuse("a stereo pair"); }

struct VideoFile::State {};
VideoFile::VideoFile(const std::filesystem::path& path, Content) { refuse(path.string()); }
VideoFile::~VideoFile() = default;
VideoFile::VideoFile(VideoFile&&) noexcept = default;
VideoFile& VideoFile::operator=(VideoFile&&) noexcept = default;
double VideoFile::fps() const { refuse("a video"); }
std::optional<std::size_t> VideoFile::size() const { refuse("a video"); }
int VideoFile::width() const { refuse("a video"); }
int VideoFile::height() const { refuse("a video"); }
bool VideoFile::next(Picture&) { refuse("a video"); }
bool VideoFile::next(DepthImage&) { refuse("a video"); }

}  // namespace kinema::io
