// Faces by OpenCV; head_no_opencv.cpp stands in where it is not built in.
#include "io/face_detector.h"
#include "io/input_file.h"
#include "io/opencv_quiet.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <opencv2/imgproc.hpp>
#include <opencv2/objdetect.hpp>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace kinema::io {
namespace fs = std::filesystem;
namespace {

constexpr const char* usual_name = "haarcascade_frontalface_default.xml";

fs::path find_cascade() {
  std::vector<fs::path> folders;
  if (const char* own = std::getenv("OPENCV_DATA")) folders = {own, fs::path(own) / "haarcascades"};
  for (const char* prefix : {"/usr/share/opencv4", "/usr/local/share/opencv4", "/usr/share/opencv"}) {
    folders.push_back(fs::path(prefix) / "haarcascades");
  }
  std::error_code ignored;
  for (const fs::path& folder : folders) {
    if (fs::is_regular_file(folder / usual_name, ignored)) return folder / usual_name;
  }
  throw Error(fmt::format("the face detector's file {} is not on this machine: install opencv-data (apt install "
                          "opencv-data), name its folder in OPENCV_DATA, or give the oval by hand with --oval",
                          usual_name));
}

}  // namespace

struct FaceDetector::State {
  cv::CascadeClassifier cascade;
};

FaceDetector::~FaceDetector() = default;
FaceDetector::FaceDetector(FaceDetector&&) noexcept = default;
FaceDetector& FaceDetector::operator=(FaceDetector&&) noexcept = default;

FaceDetector::FaceDetector(const fs::path& cascade) : state_(new State) {
  const fs::path path = cascade.empty() ? find_cascade() : cascade;
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) throw about(path, Error("there is no such file"));
  const QuietOpenCV quiet;
  bool loaded = false;
  try {
    loaded = state_->cascade.load(path.string());
  } catch (const cv::Exception&) {
    // not loaded: said below
  }
  if (!loaded) throw about(path, Error("is no cascade that this OpenCV can read"));
}

std::optional<head::Oval> FaceDetector::largest(const Picture& picture) {
  const cv::Mat image(picture.height, picture.width, CV_8UC3, const_cast<std::uint8_t*>(picture.bgr.data()));
  cv::Mat grey;
  std::vector<cv::Rect> faces;
  try {
    cv::cvtColor(image, grey, cv::COLOR_BGR2GRAY);
    cv::equalizeHist(grey, grey);
    state_->cascade.detectMultiScale(grey, faces, 1.1, 4, 0, {20, 20});
  } catch (const cv::Exception& error) {
    throw Error(fmt::format("the face detector failed: {}", one_line(error.err)), Error::Cause::running);
  }
  if (faces.empty()) return std::nullopt;
  const cv::Rect face = *std::max_element(faces.begin(), faces.end(),
                                          [](const cv::Rect& a, const cv::Rect& b) { return a.area() < b.area(); });
  // the box is square and wider than the face, which it cuts at the brow
  const double cx = face.x + (face.width - 1) / 2.0, cy = face.y + (face.height - 1) / 2.0;
  return head::Oval{cx, cy + 0.02 * face.height, 0.38 * face.width, 0.5 * face.height};
}

}  // namespace kinema::io
