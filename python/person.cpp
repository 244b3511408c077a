// kinema.person: the tracker of one person before one camera.
#include "kinema/person_tracker.h"

#include "arrays.h"
#include "detector.h"
#include "kinema/files.h"
#include "module.h"
#include "pickle.h"
#include "shared.h"
#include "texts.h"

#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <array>
#include <memory>
#include <optional>

namespace kinema::python {
namespace {

class Tracker : public SharedTracker<person::Tracker> {
public:
  Tracker(const person::TrackerSettings& settings, const Compute& compute, const std::string& order)
      : SharedTracker(settings, compute), red_first_(red_first(order)) {}

  person::Estimate track(const py::object& image, double time) {
    const Colour picture(image, red_first_);
    return tracked(time, [&](person::Tracker& tracker) { return tracker.track(picture.view, time); });
  }

  void start(const std::array<double, 4>& oval) {
    locked([&](person::Tracker& tracker) { tracker.start({oval[0], oval[1], oval[2], oval[3]}); });
  }

private:
  bool red_first_;
};

std::optional<std::array<double, 3>> place(const std::optional<Vec3>& position) {
  if (!position) return std::nullopt;
  return std::array{position->x, position->y, position->z};
}

void bind_settings(py::module_& module) {
  using Settings = person::TrackerSettings;
  auto settings =
      public_class<Settings>(module, "TrackerSettings", "The settings of a Tracker, by the names of its arguments.");
  settings.def_readonly("calibration", &Settings::calibration, "Of the person's colours; None: they are learnt.")
      .def_property_readonly(
          "field_of_view", [](const Settings& own) { return own.pose.field_of_view; },
          "Of the camera across the frame, radians.")
      .def_property_readonly(
          "eye_distance", [](const Settings& own) { return own.pose.eye_distance; },
          "Between the outer corners of the person's eyes, metres.")
      .def_readonly("lost", &Settings::lost, "A fit with a higher probability of failure is not used.")
      .def_readonly("smoothing", &Settings::smoothing, "Cutoff for a head at rest, hertz; 0: no smoothing.")
      .def("__repr__", &text_of_settings<Settings>);
}

}  // namespace

void bind_person(py::module_& module) {
  bind_settings(module);
  using person::Estimate;
  auto estimate = public_class<Estimate>(module, "Estimate", "A person in a frame.");
  estimate.def_readonly("found", &Estimate::found, "False: neither the face nor the colours of the head were seen.")
      .def_readonly("time", &Estimate::time, "As given to track(), seconds.")
      .def_readonly("why", &Estimate::why, "If not found: the reason.")
      .def_readonly("confidence", &Estimate::confidence, "0 to 1.")
      .def_readonly("face", &Estimate::face, "Whether the face was seen in this frame.")
      .def_readonly("colours", &Estimate::colours, "Whether the head's colours were seen in this frame.")
      .def_readonly("x", &Estimate::x, "The centre of the head's outline, pixels.")
      .def_readonly("y", &Estimate::y, "Likewise.")
      .def_property_readonly(
          "oval",
          [](const Estimate& own) {
            return std::array{own.oval.cx, own.oval.cy, own.oval.rx, own.oval.ry};
          },
          "The outline: (cx, cy, rx, ry), pixels.")
      .def_readonly("pose", &Estimate::pose, "A HeadPose; None until there was a face.")
      .def_property_readonly(
          "position", [](const Estimate& own) { return place(own.position); },
          "(x, y, z), metres: that of the pose or, until there was a face, that of a calibrated head; else None.")
      .def_property_readonly(
          "raw_position", [](const Estimate& own) { return place(own.raw_position); }, "The same before smoothing.")
      .def_property_readonly(
          "landmarks", [](const Estimate& own) { return pairs(own.landmarks); },
          "float32 (68, 2); empty where no face was seen.")
      .def_property_readonly(
          "times", [](const Estimate& own) { return milliseconds(own.times); }, "Milliseconds by stage.")
      .def("__repr__", [](const Estimate& own) {
        std::string text = "Estimate(time=" + number(own.time, 6) + ", " + outcome(own.found, own.why);
        if (own.found && own.pose) {
          text += ", yaw=" + number(own.pose->yaw, 2) + ", pitch=" + number(own.pose->pitch, 2) +
                  ", roll=" + number(own.pose->roll, 2);
        }
        if (own.found) text += ", confidence=" + number(own.confidence, 2);
        return text + ")";
      });
  pickles(estimate);

  const person::TrackerSettings defaults;
  auto tracker = public_class<Tracker>(module, "Tracker", R"(Follows one person before one camera: colours and face.

model          of a face with 68 landmarks
detect         called with a uint8 (H, W) image to find the person: a list of boxes (x, y, width, height)
calibration    of the person's colours, if they are known: from kinema.head.calibrate() or read_filter()
field_of_view  of the camera across the frame, radians
eye_distance   between the outer corners of the person's eyes, metres
lost           a fit with a higher probability of failure is not used
smoothing      cutoff for a head at rest, hertz; 0: no smoothing
backend        'auto', 'reference', 'cpu' or 'cuda'
order          of the channels of frames: 'rgb', or 'bgr' as in OpenCV
threads        0: one per core. Results do not depend on it
devices        GPUs: 'all', '0,2' or numbers; None: the first)");
  tracker
      .def(py::init([](const std::shared_ptr<face::Model>& model, const PythonDetect& detect,
                       const std::optional<head::Calibration>& calibration, double field_of_view, double eye_distance,
                       double lost, double smoothing, const std::string& backend, const std::string& order, int threads,
                       const py::object& devices) {
             // a detector in Python needs the GIL, which the calling thread has released
             person::TrackerSettings settings{.model = model, .detect = boxes_by(detect)};
             settings.calibration = calibration;
             settings.pose.field_of_view = field_of_view;
             settings.pose.eye_distance = eye_distance;
             settings.lost = lost;
             settings.smoothing = smoothing;
             return std::make_unique<Tracker>(settings, compute_of(backend, threads, devices), order);
           }),
           py::arg("model"), py::kw_only(), py::arg("detect") = nullptr, py::arg("calibration") = py::none(),
           py::arg("field_of_view") = defaults.pose.field_of_view, py::arg("eye_distance") = defaults.pose.eye_distance,
           py::arg("lost") = defaults.lost, py::arg("smoothing") = defaults.smoothing, py::arg("backend") = "auto",
           py::arg("order") = "rgb", py::arg("threads") = 0, py::arg("devices") = py::none(), "See the class.")
      .def("track", &Tracker::track, py::arg("image"), py::arg("time"),
           "The Estimate of an image: uint8 (H, W, 3) or (H, W, 4), seconds. Releases the GIL.")
      .def("start", &Tracker::start, py::arg("oval"), "Where the head is in the next frame: (cx, cy, rx, ry), pixels.");
  bind_members(tracker);
  tracker.def(
      "set_neutral", [](Tracker& own) { own.locked([](auto& inner) { inner.set_neutral(); }); },
      "The next second shows the neutral face, with open eyes, which expressions count from.");
}

}  // namespace kinema::python
