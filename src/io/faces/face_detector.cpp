#include "io/faces/face_detector.h"

#include "io/files/input_file.h"
#include "io/pictures/opencv_quiet.h"
#include "kinema/error.h"
#include "kinema/files.h"

#include <fmt/format.h>
#include <opencv2/imgproc.hpp>
#include <opencv2/objdetect.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kinema::io {
namespace fs = std::filesystem;

namespace {

// Cascades were trained on faces of 20 to 24 pixels; larger images than this are searched at a reduced size, since
// nobody needs a face of 30 pixels in a photograph of 12 megapixels.
constexpr int smallest_side = 24, longest_side = 800;
constexpr double smallest_start =
    1.0 / 12;  // of the image's shorter side: smaller detections are seldom faces to be fitted

}  // namespace

struct FaceDetector::State {
  /// A cascade, the thoroughness of its search, and the transform of its boxes to those of the first: all boxes are
  /// made alike, so that a model needs to know one kind only.
  struct Rung {
    std::unique_ptr<cv::CascadeClassifier> cascade;
    double factor = 1.1;  // ratio of successive sizes of the search
    int neighbours = 3;   // detections that must agree
    bool mirrored = false;
    double shift = 0, scale = 1;
  };

  // OpenCV's detectors hold scratch memory, so they are not const
  std::vector<Rung> ladder;
  mutable cv::Ptr<cv::FaceDetectorYN> network;

  bool add(const fs::path& file, double factor, int neighbours, bool mirrored = false, double shift = 0,
           double scale = 1) {
    auto cascade = std::make_unique<cv::CascadeClassifier>();
    if (!cascade->load(file.string())) return false;
    ladder.push_back({std::move(cascade), factor, neighbours, mirrored, shift, scale});
    return true;
  }

  struct Found {
    cv::Rect2d box;
    int votes;
  };

  std::vector<Found> climb(const Rung& rung, const cv::Mat& even, int smallest) const {
    cv::Mat searched = even;
    if (rung.mirrored) cv::flip(even, searched, 1);
    std::vector<cv::Rect> boxes;
    std::vector<int> votes;
    rung.cascade->detectMultiScale(searched, boxes, votes, rung.factor, rung.neighbours, 0, {smallest, smallest});
    std::vector<Found> found;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const cv::Rect& box = boxes[i];
      double x = box.x + 0.5 * box.width + rung.shift * box.width;
      if (rung.mirrored) x = even.cols - x;
      const double width = rung.scale * box.width, height = rung.scale * box.height;
      found.push_back({{x - 0.5 * width, box.y + 0.5 * (box.height - height), width, height}, votes[i]});
    }
    return found;
  }

  std::vector<Found> search(const cv::Mat& grey, double smallest_share) const {
    std::vector<Found> found;
    const int smallest = std::max(smallest_side, static_cast<int>(smallest_share * std::min(grey.cols, grey.rows)));
    if (network) {
      cv::Mat colour, faces;
      cv::cvtColor(grey, colour, cv::COLOR_GRAY2BGR);
      network->setInputSize(colour.size());
      network->detect(colour, faces);
      for (int i = 0; i < faces.rows; ++i) {
        const float* box = faces.ptr<float>(i);
        found.push_back({{box[0], box[1], box[2], box[3]}, 1});
      }
      return found;
    }
    cv::Mat even;
    cv::equalizeHist(grey, even);
    // the next is used only if the previous ones found nothing
    for (const Rung& rung : ladder) {
      found = climb(rung, even, smallest);
      if (!found.empty()) break;
    }
    return found;
  }
};

fs::path find_face_cascade() {
  for (const char* folder :
       {"/usr/share/opencv4", "/usr/local/share/opencv4", "/usr/share/opencv", "/opt/homebrew/share/opencv4"}) {
    const fs::path path = fs::path(folder) / "haarcascades" / "haarcascade_frontalface_alt2.xml";
    if (is_there(path)) return path;
  }
  return {};
}

FaceDetector::FaceDetector(const fs::path& data) : data_(data.empty() ? find_face_cascade() : data), state_(new State) {
  if (data_.empty()) {
    throw Error(
        "there is no face detector on this machine: install its data (Debian: opencv-data), give a cascade or network "
        "with --detector FILE, or a start with --init start.jsonl");
  }
  if (!is_there(data_)) throw about(data_, Error("there is no such file"));
  const QuietOpenCV quiet;
  try {
    if (extension_of(data_) == ".onnx") {
      state_->network = cv::FaceDetectorYN::create(data_.string(), "", {320, 320}, 0.6f);
      return;
    }
    if (state_->add(data_, 1.1, 3)) {
      if (data.empty()) {
        // OpenCV's other cascades for faces that the first misses: more thorough, trained differently, profile. Of 160
        // faces of HELEN the first finds 145, all of them 158; the offsets of their boxes were measured there too
        const fs::path folder = data_.parent_path();
        state_->add(data_, 1.05, 2);
        state_->add(folder / "haarcascade_frontalface_default.xml", 1.1, 4, false, 0, 0.94);
        state_->add(folder / "haarcascade_profileface.xml", 1.1, 3, false, -0.18, 1);
        state_->add(folder / "haarcascade_profileface.xml", 1.1, 3, true, -0.18, 1);
      }
      return;
    }
  } catch (const cv::Exception&) {
    // reported below
  }
  throw about(data_, Error("is not a cascade (.xml) or network (.onnx) of OpenCV's face detectors"));
}

std::vector<FaceDetector::Find> FaceDetector::find(const face::GreyView& image, double smallest_share) const {
  if (static_cast<int>(std::min(image.width, image.height)) < smallest_side) return {};
  const cv::Mat whole(static_cast<int>(image.height), static_cast<int>(image.width), CV_8UC1,
                      const_cast<std::uint8_t*>(image.data), image.stride);
  const double shrink = std::min(1.0, static_cast<double>(longest_side) / std::max(whole.cols, whole.rows));
  cv::Mat small = whole;
  const QuietOpenCV quiet;
  std::vector<State::Found> found;
  try {
    if (shrink < 1) cv::resize(whole, small, {}, shrink, shrink, cv::INTER_AREA);
    found = state_->search(small, smallest_share);
  } catch (const cv::Exception& error) {
    throw about(data_, Error(fmt::format("the face detector failed: {}", one_line(error.err)), Error::Cause::running));
  }
  std::vector<Find> finds;
  for (const auto& [box, votes] : found) {
    face::Start::Box made;
    made.x = static_cast<float>((box.x - 0.5) / shrink);
    made.y = static_cast<float>((box.y - 0.5) / shrink);
    made.width = static_cast<float>(box.width / shrink);
    made.height = static_cast<float>(box.height / shrink);
    made.detector = true;
    finds.push_back({made, votes});
  }
  return finds;
}

std::vector<face::Start::Box> FaceDetector::detect(const face::GreyView& image) const {
  std::vector<face::Start::Box> boxes;
  for (const Find& found : find(image, smallest_start)) boxes.push_back(found.box);
  std::sort(boxes.begin(), boxes.end(), [](const face::Start::Box& a, const face::Start::Box& b) {
    return a.width * a.height > b.width * b.height;
  });
  return boxes;
}

}  // namespace kinema::io

namespace kinema {

face::Detect read_face_detector(const std::filesystem::path& data) {
  return [detector = std::make_shared<const io::FaceDetector>(data)](const face::GreyView& image) {
    return detector->detect(image);
  };
}

}  // namespace kinema
