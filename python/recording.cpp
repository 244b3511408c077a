// kinema.io: recordings, for the body tracker.
#include "recording.h"

#include "arrays.h"
#include "module.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

namespace kinema::python {
namespace {

// A frame with the width of its depth image, which the frame itself does not store.
struct Frame : io::Frame {
  py::ssize_t width = 0;
};

py::object array_or_none(const std::vector<float>& values, py::ssize_t columns) {
  if (values.empty() || columns == 0) return py::none();
  return array_of(values, {static_cast<py::ssize_t>(values.size()) / columns, columns});
}

py::object colour_of(const Frame& frame) {
  if (frame.colour.empty()) return py::none();
  return array_of(frame.colour.bgr, {frame.colour.height, frame.colour.width, 3});
}

py::object grey_or_none(const io::GreyPair& pair, const std::vector<std::uint8_t>& side) {
  if (pair.empty()) return py::none();
  return array_of(side, {pair.height, pair.width});
}

Frame next(Recording& recording) {
  Frame frame;
  frame.width = recording.frames->camera().camera.width;
  bool more = false;
  {
    const py::gil_scoped_release release;
    const std::scoped_lock lock(recording.mutex);
    more = recording.frames->next(frame);
  }
  if (!more) throw py::stop_iteration();
  return frame;
}

}  // namespace

void bind_recording(py::module_& module) {
  const py::class_<io::Frame> base(module, "_Frame");
  py::class_<Frame, io::Frame> frame(module, "Frame", "What a camera gave at one moment.");
  frame.attr("__module__") = "kinema.io";
  frame.def_readonly("index", &Frame::index, "The number in the file's name, or counted from 0.")
      .def_readonly("time", &Frame::time, "Seconds.")
      .def_readonly("name", &Frame::name, "Of its file.")
      .def_readonly("gap", &Frame::gap, "Not empty: why this frame cannot be used.")
      .def_readonly("late", &Frame::late, "How many frames of a live source this one replaced.")
      .def_property_readonly(
          "depth", [](const Frame& own) { return array_or_none(own.depth, own.width); },
          "float32 (H, W), metres, 0: nothing measured; None where there is none.")
      .def_property_readonly(
          "left", [](const Frame& own) { return grey_or_none(own.pair, own.pair.left); },
          "uint8 (H, W), the left picture of a rectified stereo pair; None where there is none.")
      .def_property_readonly(
          "right", [](const Frame& own) { return grey_or_none(own.pair, own.pair.right); }, "The right one.")
      .def_property_readonly(
          "points", [](const Frame& own) { return array_or_none(own.points, 3); },
          "float32 (I, 3), metres; None where there are none.")
      .def_property_readonly("colour", &colour_of, "uint8 (H, W, 3), blue green red; None where there is none.");

  py::class_<Recording> recording(module, "Recording", "Frames of depth or points, in order: iterate over it.");
  recording.attr("__module__") = "kinema.io";
  recording.def("__iter__", [](py::object self) { return self; })
      .def("__next__", &next)
      .def_property_readonly(
          "size", [](const Recording& own) { return own.frames->size(); },
          "How many frames there are; None where that is not known.")
      .def_property_readonly(
          "fps", [](const Recording& own) { return own.frames->fps(); }, "Frames per second.")
      .def_property_readonly(
          "camera", [](const Recording& own) { return own.frames->camera().camera; }, "The body.Camera of its frames.");

  module.def(
      "open_recording",
      [](const std::vector<std::string>& input) { return std::make_unique<Recording>(io::open_recording(input)); },
      py::arg("input"));
  module.def(
      "open_recording",
      [](const std::filesystem::path& input) {
        return std::make_unique<Recording>(io::open_recording({input.string()}));
      },
      py::arg("input"), "A Recording: its folder, a pattern such as depth/%06d.png, or a list of files.");
}

}  // namespace kinema::python
