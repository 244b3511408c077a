#include "io/face_detector.h"

#include "io/input_file.h"
#include "io/opencv_quiet.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <opencv2/imgproc.hpp>
#include <opencv2/objdetect.hpp>

#include <algorithm>
#include <cmath>

namespace kinema::io {
namespace fs = std::filesystem;

namespace {

// Cascades learnt faces of 20 to 24 pixels; larger pictures than this are searched at a smaller size, since nobody needs
// a face of 30 pixels in a photograph of 12 million.
constexpr int smallest_side = 24, longest_side = 800;

}  // namespace

struct FaceDetector::State {
  // OpenCV's detectors keep scratch memory, and so are no const objects
  mutable cv::CascadeClassifier cascade;
  mutable cv::Ptr<cv::FaceDetectorYN> network;

  std::vector<cv::Rect2d> search(const cv::Mat& grey) const {
    std::vector<cv::Rect2d> found;
    if (network) {
      cv::Mat colour, faces;
      cv::cvtColor(grey, colour, cv::COLOR_GRAY2BGR);
      network->setInputSize(colour.size());
      network->detect(colour, faces);
      for (int i = 0; i < faces.rows; ++i) {
        found.emplace_back(faces.at<float>(i, 0), faces.at<float>(i, 1), faces.at<float>(i, 2), faces.at<float>(i, 3));
      }
      return found;
    }
    cv::Mat even;
    cv::equalizeHist(grey, even);
    const int smallest = std::max(smallest_side, std::min(grey.cols, grey.rows) / 12);
    std::vector<cv::Rect> boxes;
    cascade.detectMultiScale(even, boxes, 1.1, 3, 0, {smallest, smallest});
    for (const cv::Rect& box : boxes) found.emplace_back(box.x, box.y, box.width, box.height);
    return found;
  }
};

FaceDetector::~FaceDetector() = default;
FaceDetector::FaceDetector(FaceDetector&&) noexcept = default;
FaceDetector& FaceDetector::operator=(FaceDetector&&) noexcept = default;

fs::path find_face_cascade() {
  for (const char* folder :
       {"/usr/share/opencv4", "/usr/local/share/opencv4", "/usr/share/opencv", "/opt/homebrew/share/opencv4"}) {
    const fs::path path = fs::path(folder) / "haarcascades" / "haarcascade_frontalface_alt2.xml";
    std::error_code ignored;
    if (fs::exists(path, ignored)) return path;
  }
  return {};
}

FaceDetector::FaceDetector(const fs::path& data)
    : data_(data.empty() ? find_face_cascade() : data), state_(std::make_unique<State>()) {
  if (data_.empty()) {
    throw Error(
        "there is no face detector on this machine: install its data (Debian: opencv-data), give a cascade or network "
        "with --detector FILE, or a start with --init start.jsonl");
  }
  std::error_code ignored;
  if (!fs::exists(data_, ignored)) throw about(data_, Error("there is no such file"));
  const QuietOpenCV quiet;
  try {
    if (extension_of(data_) == ".onnx") {
      state_->network = cv::FaceDetectorYN::create(data_.string(), "", {320, 320}, 0.6f);
      return;
    }
    if (state_->cascade.load(data_.string())) return;
  } catch (const cv::Exception&) {
    // said below
  }
  throw about(data_, Error("is no cascade (.xml) or network (.onnx) of OpenCV's face detectors"));
}

std::vector<face::Start::Box> FaceDetector::detect(const face::GreyView& image) const {
  if (static_cast<int>(std::min(image.width, image.height)) < smallest_side) return {};
  const cv::Mat whole(static_cast<int>(image.height), static_cast<int>(image.width), CV_8UC1,
                      const_cast<std::uint8_t*>(image.data), image.stride);
  const double shrink = std::min(1.0, static_cast<double>(longest_side) / std::max(whole.cols, whole.rows));
  cv::Mat small = whole;
  const QuietOpenCV quiet;
  std::vector<cv::Rect2d> found;
  try {
    if (shrink < 1) cv::resize(whole, small, {}, shrink, shrink, cv::INTER_AREA);
    found = state_->search(small);
  } catch (const cv::Exception& error) {
    throw about(data_, Error(fmt::format("the face detector failed: {}", one_line(error.err)), Error::Cause::running));
  }
  std::sort(found.begin(), found.end(), [](const cv::Rect2d& a, const cv::Rect2d& b) { return a.area() > b.area(); });
  std::vector<face::Start::Box> boxes;
  for (const cv::Rect2d& box : found) {
    face::Start::Box made;
    made.x = static_cast<float>((box.x - 0.5) / shrink);
    made.y = static_cast<float>((box.y - 0.5) / shrink);
    made.width = static_cast<float>(box.width / shrink);
    made.height = static_cast<float>(box.height / shrink);
    made.detector = true;
    boxes.push_back(made);
  }
  return boxes;
}

std::vector<face::Start::Box> FaceDetector::detect(const GreyImage& image) const {
  return detect(face::GreyView{image.grey.data(), static_cast<std::size_t>(image.width),
                               static_cast<std::size_t>(image.height), static_cast<std::size_t>(image.width)});
}

}  // namespace kinema::io
