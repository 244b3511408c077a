// kinema.io: recordings, for the body tracker.
#include "recording.h"

#include "arrays.h"
#include "kinema/error.h"
#include "module.h"
#include "pickle.h"
#include "texts.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <utility>

namespace kinema::python {

Recording::Recording(std::vector<std::string> input, const io::RecordingSettings& settings, const Part& part)
    : SharedSource(std::move(input), [&](const auto& from) { return io::open_recording(from, settings); }),
      settings_(settings),
      part_(part) {}

Frame Recording::next() {
  Frame frame;
  frame.width = source().camera().camera.width;
  const auto locked = lock();
  for (;;) {
    if (read_ >= part_.last) throw py::stop_iteration();
    io::Frame& own = frame;
    own = io::Frame();
    if (!read(own)) throw py::stop_iteration();
    const std::size_t place = read_++;
    if (place >= part_.first && (place - part_.first) % part_.step == 0) return frame;
  }
}

std::optional<std::size_t> Recording::size() const {
  const std::optional<std::size_t> all = source().size();
  if (!all) return std::nullopt;
  const std::size_t last = std::min(*all, part_.last);
  return last <= part_.first ? 0 : (last - part_.first + part_.step - 1) / part_.step;
}

void Recording::require_files() const {
  if (source().live()) throw Error("frames of a live source come once: iterate over it, and keep those that you need");
}

std::unique_ptr<Recording> Recording::slice(const py::slice& slice) const {
  require_files();
  const std::optional<std::size_t> known = size();
  if (!known) throw py::type_error("the number of frames is not known before they have been read: iterate instead");
  py::ssize_t start = 0, stop = 0, step = 0, count = 0;
  if (!slice.compute(static_cast<py::ssize_t>(*known), &start, &stop, &step, &count)) throw py::error_already_set();
  if (step < 0) throw Error("frames are read in their order: a step below 0 needs list(recording)[::-1]");
  Part part;
  part.step = part_.step * static_cast<std::size_t>(step);
  part.first = part_.first + part_.step * static_cast<std::size_t>(start);
  part.last = count == 0 ? part.first : part.first + part.step * static_cast<std::size_t>(count - 1) + 1;
  return std::make_unique<Recording>(input(), settings_, part);
}

Frame Recording::at(py::ssize_t place) const {
  require_files();
  const std::optional<std::size_t> known = size();
  if (place < 0 && !known) throw py::type_error("the number of frames is not known before they have been read");
  if (place < 0) place += static_cast<py::ssize_t>(*known);
  if (place < 0 || (known && place >= static_cast<py::ssize_t>(*known))) {
    throw py::index_error("the recording has " + (known ? counted(*known, "frame") : "fewer frames"));
  }
  Part one;
  one.first = part_.first + part_.step * static_cast<std::size_t>(place);
  one.last = one.first + 1;
  try {
    return Recording(input(), settings_, one).next();
  } catch (const py::stop_iteration&) {
    throw py::index_error("the recording has fewer frames");
  }
}

std::string Recording::text() const {
  std::string text = text_of("Recording", size());
  const Camera& camera = source().camera().camera;
  if (camera.width > 0) text += ", " + std::to_string(camera.width) + " x " + std::to_string(camera.height);
  const char* kind = source().holds_points() ? "points" : source().from_pairs() ? "pairs" : "depth";
  return text + ", " + kind + ", " + number(source().fps()) + " fps)";
}

namespace {

std::unique_ptr<Recording> open_recording(const py::object& input,
                                          const std::vector<std::filesystem::path>& camera_files, double fps,
                                          double depth_scale, double baseline, double calibration_unit, bool colour,
                                          const std::string& colour_pattern, double reconnect) {
  io::RecordingSettings settings;
  settings.camera_files = camera_files;
  settings.fps = fps;
  settings.depth_scale = depth_scale;
  settings.baseline = baseline;
  settings.calibration_unit = calibration_unit;
  settings.colour = colour;
  settings.colour_pattern = colour_pattern;
  settings.reconnect = reconnect;
  settings.wait = interruptible();
  return std::make_unique<Recording>(inputs_of(input), settings);
}

py::object background_of(const Recording& own) {
  const std::vector<float>& depth = own.source().background();
  const py::ssize_t width = own.source().camera().camera.width;
  if (depth.empty() || width == 0) return py::none();
  return array_of(depth, {static_cast<py::ssize_t>(depth.size()) / width, width});
}

py::object path_or_none(const std::filesystem::path& path) { return path.empty() ? py::none() : py::cast(path); }

void bind_open_recording(py::module_& module) {
  const io::RecordingSettings defaults;
  module.def("open_recording", &open_recording, py::arg("input"), py::kw_only(),
             py::arg("camera_files") = std::vector<std::filesystem::path>(), py::arg("fps") = defaults.fps,
             py::arg("depth_scale") = defaults.depth_scale, py::arg("baseline") = defaults.baseline,
             py::arg("calibration_unit") = defaults.calibration_unit, py::arg("colour") = defaults.colour,
             py::arg("colour_pattern") = "", py::arg("reconnect") = defaults.reconnect,
             R"(A Recording: its folder, a pattern such as depth/%06d.png, a list of files, or a live source.

camera_files      in place of the camera.json beside the frames: another one, or calibrations of OpenCV
fps               above 0: in place of that of the camera's file
depth_scale       metres per unit of depth images, likewise; 0.001 where they hold millimetres
baseline          metres between the cameras of pairs, likewise
calibration_unit  metres per unit of an OpenCV calibration
colour            read the colour pictures too, where there are any
colour_pattern    their files, where they do not lie beside the frames
reconnect         seconds to wait for a live source that disappears to come back; 0: it ends there)");
}

}  // namespace

void bind_recording(py::module_& module) {
  auto recording = public_class<Recording>(module, "Recording", R"(Frames of depth or points, in order: iterate over it.

It is read once, from where it stands; recording[10:20] and recording[3] open it again.)");
  bind_source(recording);
  recording.def("__getitem__", &Recording::slice, py::arg("frames"), "A part of it, as a Recording of its own.")
      .def("__getitem__", &Recording::at, py::arg("frames"), "One Frame of it. Reads those before it.")
      .def_property_readonly(
          "camera", [](const Recording& own) { return own.source().camera().camera; }, "The body.Camera of its frames.")
      .def_property_readonly(
          "baseline", [](const Recording& own) { return own.source().camera().baseline; },
          "Metres between the cameras of its pairs; 0 where it has none.")
      .def_property_readonly("background", &background_of,
                             "Depth of the scene without the person, float32 (H, W), metres; None where there is none.")
      .def_property_readonly(
          "skeleton", [](const Recording& own) { return path_or_none(own.source().skeleton()); },
          "The path of its skeleton.json; None where there is none.")
      .def_property_readonly(
          "truth", [](const Recording& own) { return path_or_none(own.source().truth()); },
          "The path of its truth.jsonl; None where there is none.");
  bind_open_recording(module);
}

}  // namespace kinema::python
