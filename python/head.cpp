// kinema.head: the colours of a head, and the tracker that uses them.
#include "arrays.h"
#include "kinema/files.h"
#include "kinema/head_tracker.h"
#include "module.h"
#include "pickle.h"
#include "shared.h"
#include "texts.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <array>
#include <deque>
#include <memory>
#include <optional>

namespace kinema::python {
namespace {

using head::Calibration;
using OvalNumbers = std::array<double, 4>;

head::Oval oval_of(const OvalNumbers& numbers) { return {numbers[0], numbers[1], numbers[2], numbers[3]}; }

Calibration calibrate(const py::object& frames, const py::object& ovals, const std::string& order,
                      const std::string& classifier, std::optional<double> distance,
                      std::optional<double> field_of_view) {
  std::deque<Colour> pictures;
  std::vector<head::Oval> places;
  if (py::isinstance<py::array>(frames)) {
    pictures.emplace_back(frames, red_first(order));
    places.push_back(oval_of(ovals.cast<OvalNumbers>()));
  } else {
    for (const py::handle frame : frames)
      pictures.emplace_back(py::reinterpret_borrow<py::object>(frame), red_first(order));
    for (const py::handle oval : ovals) places.push_back(oval_of(oval.cast<OvalNumbers>()));
  }
  std::vector<ColourView> views;
  views.reserve(pictures.size());
  for (const Colour& picture : pictures) views.push_back(picture.view);
  head::CalibrationSettings settings;
  settings.classifier = classifier;
  settings.distance = distance;
  settings.field_of_view = field_of_view;
  const py::gil_scoped_release release;
  return head::calibrate(views, places, settings);
}

class Tracker : public SharedTracker<head::Tracker> {
public:
  Tracker(const head::TrackerSettings& settings, const Compute& compute, const std::string& order)
      : SharedTracker(settings, compute), red_first_(red_first(order)) {}

  head::Estimate track(const py::object& image, double time) {
    const Colour picture(image, red_first_, Memory::host_or_gpu);
    return tracked(time, [&](head::Tracker& tracker) { return tracker.track(picture.view, time); });
  }

  void set_background(const py::object& image) {
    const Colour picture(image, red_first_);
    locked([&](head::Tracker& tracker) { tracker.set_background(picture.view); });
  }

  void start(const OvalNumbers& oval) {
    locked([&](head::Tracker& tracker) { tracker.start(oval_of(oval)); });
  }

private:
  bool red_first_;
};

void bind_settings(py::module_& module) {
  using Settings = head::TrackerSettings;
  auto settings =
      public_class<Settings>(module, "TrackerSettings", "The settings of a Tracker, by the names of its arguments.");
  settings.def_readonly("calibration", &Settings::calibration, "The colours of the head.")
      .def_property_readonly(
          "mode", [](const Settings& own) { return std::string(name(own.mode)); }, "'plain', 'paper' or 'window'.")
      .def_readonly("recalibrate", &Settings::recalibrate, "Learn the head's colours during tracking.")
      .def_readonly("pattern", &Settings::pattern, "Match the head's edges as well as its colours.")
      .def_readonly("background", &Settings::background, "Learn a static background and ignore it.")
      .def_readonly("neck_cut", &Settings::neck_cut, "Ignore rows below the chin.")
      .def_property_readonly(
          "smooth", [](const Settings& own) { return own.smoothing.has_value(); }, "One-Euro smoothing.")
      .def_readonly("reference_distance", &Settings::reference_distance, "Metres; None if it is not known.")
      .def_readonly("field_of_view", &Settings::field_of_view, "Radians; None if it is not known.")
      .def("__repr__", &text_of_settings<Settings>);
}

void bind_calibration(py::module_& module) {
  auto calibration = public_class<Calibration>(module, "Calibration",
                                               "The colours of a head in one light: the contents of a filter.json.");
  calibration
      .def_property_readonly(
          "score", [](const Calibration& own) { return own.filter.score; },
          "How well skin and background separate, 0 to 1; below 0.5 tracking will be bad.")
      .def_property_readonly(
          "classifier", [](const Calibration& own) { return std::string(name(own.filter.model)); },
          "How it tells skin: 'plane', 'rg', 'xyz', 'cbcr', 'hsv', 'tsl' or 'histogram'.")
      .def(
          "degree",
          [](const Calibration& own, double r, double g, double b) { return degree(own.filter.model, r, g, b); },
          py::arg("r"), py::arg("g"), py::arg("b"), "The degree to which a colour is skin, 0 to 1; channels 0 to 255.")
      .def(
          "save", [](const Calibration& own, const std::filesystem::path& path) { write_filter(path, own); },
          py::arg("path"), "Writes a filter.json.")
      .def("__repr__", [](const Calibration& own) {
        return "Calibration('" + std::string(name(own.filter.model)) + "', score=" + number(own.filter.score) + ")";
      });
  pickles(calibration);
  module.def("read_filter", &read_filter, py::arg("path"), "The Calibration in a filter.json.");
  module.def("calibrate", &calibrate, py::arg("frames"), py::arg("ovals"), py::kw_only(), py::arg("order") = "rgb",
             py::arg("classifier") = "plane", py::arg("distance") = py::none(), py::arg("field_of_view") = py::none(),
             R"(A Calibration from a frame with an oval (cx, cy, rx, ry) around the face, or from lists of both.

frames         uint8 (H, W, 3) or (H, W, 4)
order          of the channels: 'rgb', or 'bgr' as in OpenCV
classifier     'plane', 'rg', 'xyz', 'cbcr', 'hsv', 'tsl' or 'histogram'
distance       of the face from the camera, metres
field_of_view  of the camera, horizontal, radians)");
}

std::string text_of(const head::Estimate& estimate) {
  std::string text = "Estimate(time=" + number(estimate.time, 6) + ", " + outcome(estimate.found, estimate.why);
  if (estimate.found) {
    text += ", x=" + number(estimate.x, 4) + ", y=" + number(estimate.y, 4);
    if (estimate.distance) text += ", " + number(*estimate.distance) + " m";
    text += ", confidence=" + number(estimate.confidence, 2);
  }
  return text + ")";
}

void bind_estimate(py::module_& module) {
  using head::Estimate;
  auto estimate = public_class<Estimate>(module, "Estimate", "The head in a frame.");
  estimate.def_readonly("found", &Estimate::found, "False: of the rest only why and times then say anything.")
      .def_readonly("time", &Estimate::time, "As given to track(), seconds.")
      .def_readonly("why", &Estimate::why, "If not found: the reason.")
      .def_readonly("confidence", &Estimate::confidence, "0 to 1.")
      .def_property_readonly(
          "times", [](const Estimate& own) { return milliseconds(own.times); }, "Milliseconds by stage.")
      .def_readonly("x", &Estimate::x, "Pixels from 0.")
      .def_readonly("y", &Estimate::y, "Pixels from 0.")
      .def_readonly("area", &Estimate::area, "The share of the frame that the head covers.")
      .def_readonly("distance", &Estimate::distance, "Metres; None if no reference distance is known.")
      .def_property_readonly(
          "position",
          [](const Estimate& own) -> py::object {
            if (!own.position) return py::none();
            return py::make_tuple(own.position->x, own.position->y, own.position->z);
          },
          "Metres, x right, y down, z forward; None if the field of view is not known.")
      .def_property_readonly(
          "oval",
          [](const Estimate& own) -> py::object {
            if (!own.oval) return py::none();
            return py::make_tuple(own.oval->cx, own.oval->cy, own.oval->rx, own.oval->ry);
          },
          "The head's outline: (cx, cy, rx, ry), pixels; None in plain mode.")
      .def("__repr__", &text_of);
  pickles(estimate);
}

}  // namespace

void bind_head(py::module_& module) {
  bind_calibration(module);
  bind_settings(module);
  bind_estimate(module);

  const head::TrackerSettings defaults;
  auto tracker = public_class<Tracker>(module, "Tracker", R"(Follows a head through the frames of one camera.

calibration         from calibrate() or read_filter()
backend             'auto', 'reference', 'cpu' or 'cuda'
order               of the frames' channels: 'rgb', or 'bgr' as in OpenCV
mode                'plain': the centroid of the whole frame, where there is enough skin in one place; 'paper': the
                    same of every frame; 'window': a soft window that follows the head
recalibrate         learn the head's colours during tracking
pattern             match the head's edges as well as its colours
background          learn a static background and ignore it
neck_cut            ignore rows below the chin
smooth              One-Euro smoothing
reference_distance  in place of the calibration's, metres
field_of_view       in place of the calibration's, radians
threads             0: one per core. Results do not depend on it
devices             GPUs: 'all', '0,2' or numbers; None: the first)");
  tracker
      .def(py::init([](const Calibration& calibration, const std::string& backend, const std::string& order,
                       const std::string& mode, bool recalibrate, bool pattern, bool background, bool neck_cut,
                       bool smooth, std::optional<double> reference_distance, std::optional<double> field_of_view,
                       int threads, const py::object& devices) {
             head::TrackerSettings settings{.calibration = calibration};
             settings.mode = static_cast<head::Mode>(number_of(mode, "mode", {"auto", "plain", "paper", "window"}));
             settings.recalibrate = recalibrate;
             settings.pattern = pattern;
             settings.background = background;
             settings.neck_cut = neck_cut;
             if (smooth) settings.smoothing = head::OneEuroSettings{};
             settings.reference_distance = reference_distance;
             settings.field_of_view = field_of_view;
             return std::make_unique<Tracker>(settings, compute_of(backend, threads, devices), order);
           }),
           py::arg("calibration"), py::kw_only(), py::arg("backend") = "auto", py::arg("order") = "rgb",
           py::arg("mode") = "auto", py::arg("recalibrate") = defaults.recalibrate,
           py::arg("pattern") = defaults.pattern, py::arg("background") = defaults.background,
           py::arg("neck_cut") = defaults.neck_cut, py::arg("smooth") = false,
           py::arg("reference_distance") = py::none(), py::arg("field_of_view") = py::none(), py::arg("threads") = 0,
           py::arg("devices") = py::none(), "See the class.")
      .def("track", &Tracker::track, py::arg("image"), py::arg("time"),
           R"(The Estimate of an image: uint8 (H, W, 3) or (H, W, 4), seconds. Releases the GIL.

With the mode 'plain' and the backend 'cuda', also an array in GPU memory, such as a tensor of PyTorch.)")
      .def("start", &Tracker::start, py::arg("oval"), "Where the head is in the next frame: (cx, cy, rx, ry).")
      .def("set_background", &Tracker::set_background, py::arg("image"), "A frame without the person.");
  bind_members(tracker);
}

}  // namespace kinema::python
