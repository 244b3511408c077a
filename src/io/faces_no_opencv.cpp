// What faces need of OpenCV, in a build without it: everything here is refused in the same words.
#include "io/face_detector.h"
#include "io/face_overlay.h"
#include "io/face_picture.h"
#include "kinema/error.h"

#include <fmt/format.h>

namespace kinema::io {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(
      fmt::format("{}: this build has no OpenCV, which reads and draws pictures and finds faces: install it (Debian: "
                  "libopencv-dev) "
                  "and build again",
                  what));
}

}  // namespace

Picture read_face_picture(const std::filesystem::path& path) { refuse(path.string()); }

struct FaceDetector::State {};
FaceDetector::FaceDetector(const std::filesystem::path&) { refuse("the face detector"); }
FaceDetector::~FaceDetector() = default;
FaceDetector::FaceDetector(FaceDetector&&) noexcept = default;
FaceDetector& FaceDetector::operator=(FaceDetector&&) noexcept = default;
std::vector<FaceDetector::Find> FaceDetector::find(const GreyImage&, double) const { refuse("the face detector"); }
std::vector<FaceDetector::Find> FaceDetector::find(const face::GreyView&, double) const { refuse("the face detector"); }
std::vector<face::Start::Box> FaceDetector::detect(const GreyImage&) const { refuse("the face detector"); }
std::vector<face::Start::Box> FaceDetector::detect(const face::GreyView&) const { refuse("the face detector"); }
std::filesystem::path find_face_cascade() { return {}; }

void draw_landmarks(Picture&, std::span<const float>, const face::Layout&,
                    std::span<const std::array<std::uint16_t, 3>>, const FaceDrawing&) {
  refuse("an overlay");
}
int overlay_enlargement(int, int) { return 1; }
Picture enlarged_for_overlay(const Picture& picture, int) { return picture; }

}  // namespace kinema::io
