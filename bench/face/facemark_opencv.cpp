#include "bench/face/facemark.h"
#include "kinema/error.h"

#include <opencv2/core.hpp>
#include <opencv2/face/facemarkAAM.hpp>

namespace kinema::bench {
namespace {

cv::Mat grey(const DrawnFace& face) {
  return cv::Mat(static_cast<int>(face.height), static_cast<int>(face.width), CV_8UC1,
                 const_cast<std::uint8_t*>(face.pixels.data()));
}

std::vector<cv::Point2f> points(const DrawnFace& face) {
  std::vector<cv::Point2f> out;
  for (std::size_t i = 0; i < face.landmarks.size(); i += 2) out.emplace_back(face.landmarks[i], face.landmarks[i + 1]);
  return out;
}

class OpenCvFacemark final : public Facemark {
public:
  OpenCvFacemark(const std::vector<DrawnFace>& faces, int modes, int iterations) {
    cv::face::FacemarkAAM::Params params;
    params.scales = {1.0f};
    params.n_iter = iterations;
    params.save_model = params.verbose = false;
    params.m = params.max_m = params.texture_max_m = modes;
    aam_ = cv::face::FacemarkAAM::create(params);
    for (const DrawnFace& face : faces) aam_->addTrainingSample(grey(face), points(face));
    aam_->training();
    cv::face::FacemarkAAM::Data data;
    aam_->getData(&data);
    for (const cv::Point2f& point : data.s0) centre_ += point * (1.0f / static_cast<float>(data.s0.size()));
  }

  std::vector<float> fit(const DrawnFace& face) override {
    cv::Point2f at(0, 0);
    const std::vector<cv::Point2f> truth = points(face);
    for (const cv::Point2f& point : truth) at += point * (1.0f / static_cast<float>(truth.size()));
    std::vector<std::vector<cv::Point2f>> landmarks;
    const std::vector<cv::Rect> box = {cv::Rect(0, 0, static_cast<int>(face.width), static_cast<int>(face.height))};
    const std::vector<cv::face::FacemarkAAM::Config> start = {
        cv::face::FacemarkAAM::Config(cv::Mat::eye(2, 2, CV_32F), at - centre_, 1.0f, 0)};
    if (!aam_->fitConfig(grey(face), box, landmarks, start) || landmarks.empty()) return {};
    std::vector<float> out;
    for (const cv::Point2f& point : landmarks[0]) out.push_back(point.x), out.push_back(point.y);
    return out;
  }

private:
  cv::Ptr<cv::face::FacemarkAAM> aam_;
  cv::Point2f centre_{0, 0};
};

}  // namespace

std::string facemark_version() { return CV_VERSION; }

std::unique_ptr<Facemark> train_facemark(const std::vector<DrawnFace>& faces, int modes, int iterations) {
  try {
    return std::make_unique<OpenCvFacemark>(faces, modes, iterations);
  } catch (const cv::Exception& error) {
    throw Error(std::string("OpenCV's FacemarkAAM could not be trained: ") + error.what(), Error::Cause::running);
  }
}

}  // namespace kinema::bench
