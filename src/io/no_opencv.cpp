// Replaces all that needs OpenCV in builds without it: every call is refused with the same message. PNG files are left to
// pictures/png_plain.cpp where there is libpng.
#include "io/cameras/rectify.h"
#include "io/cameras/stereo_calibration.h"
#include "io/faces/face_detector.h"
#include "io/faces/head_baselines.h"
#include "io/overlays/face_overlay.h"
#include "io/overlays/head_overlay.h"
#include "io/overlays/overlay.h"
#include "io/overlays/picture_words.h"
#include "io/pictures/image_file.h"
#include "io/pictures/picture_sink.h"
#include "io/pictures/video_capture.h"
#include "kinema/error.h"
#include "kinema/files.h"

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

Picture resized(const Picture&, int, int) { refuse("a picture"); }
std::string encoded_jpeg(const Picture&) { refuse("a recording"); }

PixelMap::PixelMap(const Lens&, const std::array<double, 9>&, const Camera&) { refuse("a lens with distortion"); }
Picture PixelMap::picture(const Picture&) const { refuse("a picture"); }
DepthImage PixelMap::depth(const DepthImage&) const { refuse("a depth image"); }
std::vector<std::uint8_t> PixelMap::seen(int) const { refuse("a picture"); }
RectifiedPair rectified_pair(const Calibration&, int, int, double) { refuse("a stereo calibration"); }
StereoRectification rectify(const Calibration&, int, int, double) { refuse("a stereo calibration"); }

void check_board(const CalibrationBoard&) { refuse("a chessboard"); }
std::optional<BoardView> find_board(const Picture&, const Picture&, const CalibrationBoard&) { refuse("a chessboard"); }
std::optional<double> moved_down(const BoardView&, const BoardView&) { refuse("a chessboard"); }
bool is_another_view(const BoardView&, std::span<const BoardView>, int) { refuse("a chessboard"); }
double BoardCoverage::share() const { refuse("a chessboard"); }
BoardCoverage coverage_of(std::span<const BoardView>, int, int) { refuse("a chessboard"); }
std::string lacking(std::span<const BoardView>, int, int) { refuse("a chessboard"); }
PairCalibration calibrate_pair(std::span<const BoardView>, const CalibrationBoard&, int, int) {
  refuse("a chessboard");
}
void write_calibration(const std::filesystem::path& path, const PairCalibration&) { refuse(path.string()); }

VideoFile::VideoFile(const std::filesystem::path& path, Content) { refuse(path.string()); }
double VideoFile::fps() const { refuse("a video"); }
std::optional<std::size_t> VideoFile::size() const { refuse("a video"); }
int VideoFile::width() const { refuse("a video"); }
int VideoFile::height() const { refuse("a video"); }
bool VideoFile::next(Picture&) { refuse("a video"); }
bool VideoFile::next(DepthImage&) { refuse("a video"); }

Picture read_face_picture(const std::filesystem::path& path) { refuse(path.string()); }

FaceDetector::FaceDetector(const std::filesystem::path&) { refuse("the face detector"); }
std::vector<FaceDetector::Find> FaceDetector::find(const face::GreyView&, double) const { refuse("the face detector"); }
std::vector<face::Start::Box> FaceDetector::detect(const face::GreyView&) const { refuse("the face detector"); }
std::filesystem::path find_face_cascade() { return {}; }

void draw_landmarks(Picture&, std::span<const float>, const face::Layout&,
                    std::span<const std::array<std::uint16_t, 3>>, const FaceDrawing&) {
  refuse("an overlay");
}
void draw_head_axes(Picture&, const face::HeadPose&, const Camera&, int, double) { refuse("an overlay"); }
Picture person_overlay(const Picture&, std::int64_t, double, const person::Estimate&, const face::Layout&,
                       const Camera&) {
  refuse("an overlay");
}
int overlay_enlargement(int, int) { return 1; }
Picture enlarged_for_overlay(const Picture& picture, int) { return picture; }

PictureSink::PictureSink(const std::filesystem::path&, double) { refuse("an overlay"); }
void PictureSink::add(const Picture&, std::int64_t, const std::string&) { refuse("an overlay"); }
void PictureSink::commit() { refuse("an overlay"); }

void draw_words(Picture&, std::string_view, std::string_view) { refuse("an overlay"); }

OverlayPainter::OverlayPainter(const Camera& camera) : camera_(camera) { refuse("an overlay"); }
Picture OverlayPainter::draw(const OverlayFrame&, const body::Skeleton&, const body::Estimate&, std::string_view) {
  refuse("an overlay");
}
Picture OverlayPainter::draw(const OverlayFrame&, std::span<const body::Estimate>, std::string_view) {
  refuse("an overlay");
}

CameraCapture::CameraCapture(int, double) { refuse("a camera"); }
std::string CameraCapture::name() const { refuse("a camera"); }
double CameraCapture::fps() const { refuse("a camera"); }
int CameraCapture::width() const { refuse("a camera"); }
int CameraCapture::height() const { refuse("a camera"); }
CameraCapture::CameraCapture(const std::string& address) { refuse(address); }
void CameraCapture::request_size(int, int) { refuse("a camera"); }
bool CameraCapture::grab() { refuse("a camera"); }
bool CameraCapture::retrieve(Picture&) { refuse("a camera"); }
std::optional<double> CameraCapture::stream_time() const { refuse("a camera"); }
double CameraCapture::age() const { refuse("a camera"); }

CamShiftTracker::CamShiftTracker(const Picture&, const head::Oval&) { refuse("a picture"); }
HeadCentre CamShiftTracker::track(const Picture&) { refuse("a picture"); }

Picture HeadPainter::draw(const Picture&, std::int64_t, double, const head::Estimate&, const Degree&) {
  refuse("a picture");
}

bool head_baselines_built_in() { return false; }
SkinCentre hsv_centre(const ColourView&) { refuse("skin by its hue"); }
SkinCentre camshift_centre(const ColourView&) { refuse("CamShift"); }

#ifndef KINEMA_HAVE_PNG

DepthImage read_depth_image(const std::filesystem::path& path) { refuse(path.string()); }
Picture read_picture(const std::filesystem::path& path) { refuse(path.string()); }
void write_depth_png(const std::filesystem::path& path, const DepthImage&) { refuse(path.string()); }
void write_picture_png(const std::filesystem::path& path, const Picture&) { refuse(path.string()); }
std::string encoded_png(const DepthImage&) { refuse("a recording"); }
std::string encoded_png(const Picture&) { refuse("a recording"); }
Picture decoded_picture(const std::string&) { refuse("a picture"); }
DepthImage decoded_depth(const std::string&) { refuse("a depth image"); }

#endif

}  // namespace kinema::io

namespace kinema {

face::Detect read_face_detector(const std::filesystem::path&) { io::refuse("the face detector"); }

}  // namespace kinema
