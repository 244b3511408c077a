// kinema.head: a head's colours, and the tracker that follows them.
#include "arrays.h"
#include "kinema/files.h"
#include "kinema/head_tracker.h"
#include "module.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <array>
#include <deque>
#include <memory>
#include <mutex>
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
  for (const Colour& picture : pictures) views.push_back(picture.view);
  head::CalibrationSettings settings;
  settings.classifier = classifier;
  settings.distance = distance;
  settings.field_of_view = field_of_view;
  const py::gil_scoped_release release;
  return head::calibrate(views, places, settings);
}

head::Following parse_following(const std::string& word) {
  if (word == "auto") return head::Following::automatic;
  if (word == "plain") return head::Following::plain;
  if (word == "window") return head::Following::window;
  throw Error("following must be 'auto', 'plain' or 'window', not '" + word + "'");
}

// A tracker that Python threads may share: with the GIL released, two could be inside it at once.
class Tracker {
public:
  Tracker(const Calibration& calibration, const head::TrackerSettings& settings, const std::string& order)
      : tracker_(calibration, settings), red_first_(red_first(order)) {}

  head::HeadEstimate track(const py::object& image, double time) {
    const Colour picture(image, red_first_);
    const py::gil_scoped_release release;
    const std::scoped_lock lock(mutex_);
    return tracker_.track(picture.view, time);
  }

  void set_background(const py::object& image) {
    const Colour picture(image, red_first_);
    const py::gil_scoped_release release;
    const std::scoped_lock lock(mutex_);
    tracker_.set_background(picture.view);
  }

  void start(const OvalNumbers& oval) {
    const std::scoped_lock lock(mutex_);
    tracker_.start(oval_of(oval));
  }

private:
  head::Tracker tracker_;
  bool red_first_;
  std::mutex mutex_;
};

void bind_filter(py::module_& module) {
  py::class_<Calibration> filter(module, "Filter", "The colours of a head in one light: what a filter.json holds.");
  filter.attr("__module__") = "kinema.head";
  filter
      .def_property_readonly(
          "score", [](const Calibration& own) { return own.filter.score; },
          "How well skin and background separate, 0 to 1; below 0.5 tracking will be bad.")
      .def_property_readonly("classifier", [](const Calibration& own) { return std::string(name(own.filter.model)); })
      .def(
          "degree",
          [](const Calibration& own, double r, double g, double b) { return degree(own.filter.model, r, g, b); },
          py::arg("r"), py::arg("g"), py::arg("b"), "How much of a skin colour this is, 0 to 1; channels 0 to 255.")
      .def(
          "save", [](const Calibration& own, const std::filesystem::path& path) { write_filter(path, own); },
          py::arg("path"), "Writes a filter.json.");
  module.def("read_filter", &read_filter, py::arg("path"), "The colours of a filter.json.");
  module.def("calibrate", &calibrate, py::arg("frames"), py::arg("ovals"), py::kw_only(), py::arg("order") = "rgb",
             py::arg("classifier") = "plane", py::arg("distance") = py::none(), py::arg("field_of_view") = py::none(),
             R"(A Filter from a frame with an oval (cx, cy, rx, ry) about the face, or from lists of both.

frames         uint8 (H, W, 3) or (H, W, 4)
order          of the channels: 'rgb', or 'bgr' as OpenCV has it
classifier     'plane', 'rg', 'cbcr', 'hsv', 'tsl' or 'histogram'
distance       of the face from the camera, metres
field_of_view  of the camera across the frame, radians)");
}

void bind_estimate(py::module_& module) {
  using head::HeadEstimate;
  py::class_<HeadEstimate> estimate(module, "Estimate", "Where the head is in a frame.");
  estimate.attr("__module__") = "kinema.head";
  estimate.def_readonly("found", &HeadEstimate::found)
      .def_readonly("why", &HeadEstimate::why, "Where not found: what is missing.")
      .def_readonly("x", &HeadEstimate::x, "Pixels from 0.")
      .def_readonly("y", &HeadEstimate::y)
      .def_readonly("area", &HeadEstimate::area, "The share of the frame that the head covers.")
      .def_readonly("score", &HeadEstimate::score, "How sure it is, 0 to 1.")
      .def_readonly("distance", &HeadEstimate::distance, "Metres; None where no reference distance is known.")
      .def_property_readonly(
          "position",
          [](const HeadEstimate& own) -> py::object {
            if (!own.position) return py::none();
            return py::make_tuple(own.position->x, own.position->y, own.position->z);
          },
          "Metres, x right, y down, z forward; None where the field of view is not known.")
      .def_property_readonly(
          "oval",
          [](const HeadEstimate& own) -> py::object {
            if (!own.oval) return py::none();
            return py::make_tuple(own.oval->cx, own.oval->cy, own.oval->rx, own.oval->ry);
          },
          "The head's outline; None in plain mode.");
}

}  // namespace

void bind_head(py::module_& module) {
  bind_filter(module);
  bind_estimate(module);

  const head::TrackerSettings defaults;
  py::class_<Tracker> tracker(module, "Tracker", R"(Follows a head through the frames of one camera.

filter              a Filter
order               of the frames' channels: 'rgb', or 'bgr' as OpenCV has it
following           'plain': the paper's centroid of the whole frame; 'window': a soft window that follows the head
recalibrate         learn the head's colours on the way
pattern             know the head by its edges too
background          learn what stands still, and let it count for nothing
neck_cut            rows below the chin count for nothing
smooth              One-Euro smoothing
reference_distance  instead of the filter's, metres
field_of_view       instead of the filter's, radians
backend             'auto', 'reference', 'cpu', 'cuda', 'joint'
threads             0: one a core. Results do not depend on it)");
  tracker.attr("__module__") = "kinema.head";
  tracker
      .def(py::init([](const Calibration& filter, const std::string& order, const std::string& following,
                       bool recalibrate, bool pattern, bool background, bool neck_cut, bool smooth,
                       std::optional<double> reference_distance, std::optional<double> field_of_view,
                       const std::string& backend, int threads) {
             head::TrackerSettings settings;
             settings.following = parse_following(following);
             settings.recalibrate = recalibrate;
             settings.pattern = pattern;
             settings.background = background;
             settings.neck_cut = neck_cut;
             if (smooth) settings.smoothing = head::OneEuroSettings{};
             settings.reference_distance = reference_distance;
             settings.field_of_view = field_of_view;
             settings.backend = backend;
             settings.moments.threads = threads;
             return std::make_unique<Tracker>(filter, settings, order);
           }),
           py::arg("filter"), py::kw_only(), py::arg("order") = "rgb", py::arg("following") = "auto",
           py::arg("recalibrate") = defaults.recalibrate, py::arg("pattern") = defaults.pattern,
           py::arg("background") = defaults.background, py::arg("neck_cut") = defaults.neck_cut,
           py::arg("smooth") = false, py::arg("reference_distance") = py::none(), py::arg("field_of_view") = py::none(),
           py::arg("backend") = "auto", py::arg("threads") = defaults.moments.threads)
      .def("track", &Tracker::track, py::arg("image"), py::arg("time"),
           "The Estimate of the next frame: uint8 (H, W, 3) or (H, W, 4), seconds. The GIL is released while it runs.")
      .def("set_background", &Tracker::set_background, py::arg("image"), "A frame without the person.")
      .def("start", &Tracker::start, py::arg("oval"), "Where the head is in the next frame: (cx, cy, rx, ry).");
}

}  // namespace kinema::python
