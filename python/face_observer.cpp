// Faces for the body tracker: kinema.body.FaceObservation and kinema.person.FaceObserver.
#include "kinema/face_observer.h"

#include "arrays.h"
#include "detector.h"
#include "module.h"
#include "pickle.h"
#include "shared.h"
#include "texts.h"

#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <memory>

namespace kinema::python {
namespace {

using Numbers = std::tuple<double, double, double>;

Numbers numbers_of(const Vec3& v) { return {v.x, v.y, v.z}; }

std::string text_of(const Vec3& v) { return "(" + number(v.x) + ", " + number(v.y) + ", " + number(v.z) + ")"; }

Vec3 vector_of(const Numbers& numbers) {
  const auto& [x, y, z] = numbers;
  return {x, y, z};
}

class FaceObserver : public SharedTracker<person::FaceObserver> {
public:
  FaceObserver(const person::FaceObserverSettings& settings, Backend backend, const std::string& order)
      : SharedTracker(settings, backend), red_first_(red_first(order)) {}

  std::vector<body::FaceObservation> observe(const py::object& image, double time) {
    const Colour picture(image, red_first_);
    return tracked(time, [&](person::FaceObserver& observer) { return observer.observe(picture.view, time); });
  }

  void expect(const body::Estimate& estimate) {
    locked([&](person::FaceObserver& observer) { observer.expect(estimate); });
  }

private:
  bool red_first_;
};

}  // namespace

void bind_face_observation(py::module_& module) {
  using body::FaceObservation;
  const FaceObservation defaults;
  auto face = public_class<FaceObservation>(module, "FaceObservation",
                                            R"(A face in a colour picture, in the camera frame of the points.

ray          unit vector from the camera to the middle between the eyes
direction    unit vector out of the face
probability  that it is a face
distance     to that point, metres; 0: not known
Deviations are standard deviations, in radians and metres.)");
  face.def(py::init([](const Numbers& ray, const Numbers& direction, double probability, double distance,
                       double ray_deviation, double direction_deviation, double distance_deviation) {
             return FaceObservation{vector_of(ray),       ray_deviation,       distance,   distance_deviation,
                                    vector_of(direction), direction_deviation, probability};
           }),
           py::arg("ray"), py::arg("direction"), py::kw_only(), py::arg("probability") = defaults.probability,
           py::arg("distance") = defaults.distance, py::arg("ray_deviation") = defaults.ray_deviation,
           py::arg("direction_deviation") = defaults.direction_deviation,
           py::arg("distance_deviation") = defaults.distance_deviation, "See the class.")
      .def_property_readonly(
          "ray", [](const FaceObservation& own) { return numbers_of(own.ray); },
          "Unit vector from the camera to the middle between the eyes.")
      .def_property_readonly(
          "direction", [](const FaceObservation& own) { return numbers_of(own.direction); },
          "Unit vector out of the face.")
      .def_readonly("probability", &FaceObservation::probability, "That it is a face.")
      .def_readonly("distance", &FaceObservation::distance, "To the middle between the eyes, metres; 0: not known.")
      .def_readonly("ray_deviation", &FaceObservation::ray_deviation, "Of the ray, radians.")
      .def_readonly("direction_deviation", &FaceObservation::direction_deviation, "Of the direction, radians.")
      .def_readonly("distance_deviation", &FaceObservation::distance_deviation, "Of the distance, metres.")
      .def("__repr__", [](const FaceObservation& own) {
        return "FaceObservation(ray=" + text_of(own.ray) + ", direction=" + text_of(own.direction) +
               ", probability=" + number(own.probability, 2) + ")";
      });
  pickles(face);
}

void bind_face_observer(py::module_& module) {
  const person::FaceObserverSettings defaults;
  auto observer = public_class<FaceObserver>(module, "FaceObserver",
                                             R"(Faces in the colour pictures of a depth camera, for kinema.body.Tracker.

model    of a face with 68 landmarks
camera   a kinema.body.Camera: that of the depth images, to which the pictures are registered
detect   called with a uint8 (H, W) image while no body is known: a list of boxes (x, y, width, height)
lost     a fit with a higher probability of failure is no observation
backend  'auto', 'reference', 'cpu' or 'cuda'
order    of the channels of pictures: 'rgb', or 'bgr' as in OpenCV

    tracker.set_faces(observer.observe(picture, time))
    estimate = tracker.track(depth, time)
    observer.expect(estimate))");
  observer
      .def(py::init([](const std::shared_ptr<face::Model>& model, const Camera& camera, const PythonDetect& detect,
                       double lost, const std::string& backend, const std::string& order) {
             person::FaceObserverSettings settings;
             settings.model = model;
             settings.camera = camera;
             settings.detect = boxes_by(detect);
             settings.lost = lost;
             return std::make_unique<FaceObserver>(settings, parse_backend(backend), order);
           }),
           py::arg("model"), py::arg("camera"), py::kw_only(), py::arg("detect") = nullptr,
           py::arg("lost") = defaults.lost, py::arg("backend") = "auto", py::arg("order") = "rgb", "See the class.")
      .def("observe", &FaceObserver::observe, py::arg("image"), py::arg("time"),
           "The faces in the next picture, none or one: uint8 (H, W, 3) or (H, W, 4), seconds. Releases the GIL.")
      .def("expect", &FaceObserver::expect, py::arg("estimate"),
           "Where the body was in that frame: the face is next looked for there.")
      .def("__repr__", [](const FaceObserver&) { return "FaceObserver()"; });
}

}  // namespace kinema::python
