#include "kinema/face_observer.h"

#include "core/geometry.h"
#include "kinema/error.h"
#include "person/constants.h"
#include "person/face_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace kinema::person {
namespace {

const FaceObserverSettings& checked(const FaceObserverSettings& settings) {
  if (!settings.model) throw Error("a face observer needs a model of a face");
  const std::size_t landmarks = settings.model->shape.landmarks();
  if (landmarks != face::HeadPoseSolver::landmarks) {
    throw Error(fmt::format("the model has {} landmarks: the direction of a face needs {}", landmarks,
                            face::HeadPoseSolver::landmarks));
  }
  const Camera& camera = settings.camera;
  if (camera.width <= 0 || camera.height <= 0 || !(camera.fx > 0) || !(camera.fy > 0))
    throw Error("a face observer needs the camera of the depth images: its size and focal lengths");
  return settings;
}

face::HeadPoseSettings pose_settings(const FaceObserverSettings& settings) {
  face::HeadPoseSettings pose;
  pose.camera = settings.camera;
  return pose;
}

body::FaceObservation observation(const face::HeadPose& head, double probability) {
  constexpr double radians = std::numbers::pi / 180;
  body::FaceObservation face;
  face.distance = norm(head.position);
  face.ray = (1 / face.distance) * head.position;
  const Vec3& off = head.position_deviation;
  face.ray_deviation = std::hypot(off.x, off.y) / face.distance;
  face.distance_deviation = std::hypot(off.z, eye_distance_spread * face.distance);
  face.direction = rotate(head.rotation, Vec3{0, 0, 1});
  face.direction_deviation = radians * std::hypot(head.angle_deviation[0], head.angle_deviation[1]);
  face.probability = probability;
  return face;
}

}  // namespace

struct FaceObserver::State {
  State(const FaceObserverSettings& with, const Compute& compute)
      : settings(checked(with)), solver(pose_settings(with)), tracker(tracker_settings(), compute) {}

  face::TrackerSettings tracker_settings() {
    face::TrackerSettings own;
    own.model = settings.model;
    own.fit = settings.fit;
    own.lost = settings.lost;
    own.doubt = std::min(own.doubt, settings.lost);
    own.head = pose_settings(settings);
    own.boxes = 1;  // fits that fail take long, and there is time for another in the next frame
    own.detect = [this](const face::GreyView& image) { return boxes(image); };
    return own;
  }

  // Where a face may be: about the body's head, if one is known. Of a detector's false faces, few lie there.
  std::vector<face::Start::Box> boxes(const face::GreyView& image) {
    if (!head) return settings.detect ? settings.detect(image) : std::vector<face::Start::Box>();
    const std::optional<face::Start::Box> expected = expected_box(image);
    if (!expected) return {};
    if (settings.detect) {
      std::vector<face::Start::Box> found = detected_about(*expected, image);
      // detectors miss turned heads, but fits that fail take long
      if (!found.empty() || ++missed % box_interval != 0) return found;
    }
    return {*expected};
  }

  // Of the landmarks of a face that looks at the camera.
  std::optional<face::Start::Box> expected_box(const face::GreyView& image) const {
    const Camera camera = solver.camera(image.width, image.height);
    const double z = head->z - face_before;
    if (!(z > face_before)) return std::nullopt;
    const double width = camera.fx * face_width / z, height = camera.fy * face_height / z;
    const double x = camera.fx * head->x / z + camera.cx, y = camera.fy * (head->y + face_below) / z + camera.cy;
    if (width < least_face_width || x < 0 || y < 0 || x >= static_cast<double>(image.width) ||
        y >= static_cast<double>(image.height))
      return std::nullopt;
    return face::Start::Box{static_cast<float>(x - width / 2), static_cast<float>(y - height / 2),
                            static_cast<float>(width), static_cast<float>(height), false};
  }

  std::vector<face::Start::Box> detected_about(const face::Start::Box& box, const face::GreyView& image) const {
    const double reach = searched_about * static_cast<double>(std::max(box.width, box.height)) / 2;
    return detect_about(settings.detect, image, static_cast<double>(box.x + box.width / 2),
                        static_cast<double>(box.y + box.height / 2), reach, reach);
  }

  FaceObserverSettings settings;
  face::HeadPoseSolver solver;  // for its camera
  std::optional<Vec3> head;     // of the body in the last frame: the joint at the base of the skull
  int missed = 0;               // looks about the head at which the detector found nothing
  face::Tracker tracker;
};

FaceObserver::FaceObserver(const FaceObserverSettings& settings, const Compute& compute)
    : state_(std::make_unique<State>(settings, compute)) {}
FaceObserver::~FaceObserver() = default;
FaceObserver::FaceObserver(FaceObserver&&) noexcept = default;
FaceObserver& FaceObserver::operator=(FaceObserver&&) noexcept = default;

std::vector<body::FaceObservation> FaceObserver::observe(const ColourView& picture, double time) {
  const face::Estimate estimate = state_->tracker.track(picture, time);
  if (!estimate.found || !estimate.head) return {};
  return {observation(*estimate.head, estimate.confidence)};
}

void FaceObserver::expect(const body::Estimate& estimate) {
  state_->head.reset();
  if (!estimate.found || !estimate.skeleton) return;
  const int head = estimate.skeleton->find("head");
  if (head >= 0) state_->head = estimate.joints[static_cast<std::size_t>(head)];
}

}  // namespace kinema::person
