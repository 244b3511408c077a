// Replaces png_plain.cpp in builds without OpenCV and libpng.
#include "io/pictures/image_file.h"
#include "kinema/error.h"

#include <fmt/format.h>

namespace kinema::io {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(
      fmt::format("{}: this build has no OpenCV, which pictures, video, cameras, stereo pairs and the "
                  "face detector need: install it (Debian: libopencv-dev) and build again, or use point clouds",
                  what));
}

}  // namespace

DepthImage read_depth_image(const std::filesystem::path& path) { refuse(path.string()); }
Picture read_picture(const std::filesystem::path& path) { refuse(path.string()); }
void write_depth_png(const std::filesystem::path& path, const DepthImage&) { refuse(path.string()); }
void write_picture_png(const std::filesystem::path& path, const Picture&) { refuse(path.string()); }
std::string encoded_png(const DepthImage&) { refuse("a recording"); }
std::string encoded_png(const Picture&) { refuse("a recording"); }
Picture decoded_picture(const std::string&) { refuse("a picture"); }
DepthImage decoded_depth(const std::string&) { refuse("a depth image"); }

}  // namespace kinema::io
