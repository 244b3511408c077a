// kinema.io: frames, and sources of colour frames.
#include "arrays.h"
#include "kinema/error.h"
#include "module.h"
#include "pickle.h"
#include "source.h"
#include "texts.h"

#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <utility>

namespace kinema::python {
namespace {

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

std::string text_of(const Frame& frame) {
  std::string text = "Frame(index=" + std::to_string(frame.index) + ", time=" + number(frame.time, 6);
  if (!frame.gap.empty()) return text + ", gap: " + frame.gap + ")";
  if (!frame.depth.empty() && frame.width > 0) {
    text += ", depth " + std::to_string(frame.width) + " x " +
            std::to_string(static_cast<py::ssize_t>(frame.depth.size()) / frame.width);
  }
  if (!frame.pair.empty())
    text += ", pair " + std::to_string(frame.pair.width) + " x " + std::to_string(frame.pair.height);
  if (!frame.points.empty()) text += ", " + counted(frame.points.size() / 3, "point");
  if (!frame.colour.empty())
    text += ", colour " + std::to_string(frame.colour.width) + " x " + std::to_string(frame.colour.height);
  return text + ")";
}

class ColourSource : public SharedSource<io::Source> {
public:
  ColourSource(std::vector<std::string> input, const io::ColourSettings& settings)
      : SharedSource(std::move(input), [&](const auto& from) { return io::open_colour(from, settings); }) {}

  Frame next() {
    const auto locked = lock();
    Frame frame;
    if (!read(frame)) throw py::stop_iteration();
    return frame;
  }

  std::optional<std::size_t> size() const { return source().size(); }
  std::string text() const { return text_of("ColourSource", size()) + ", " + number(source().fps()) + " fps)"; }
};

void bind_frame(py::module_& module) {
  const py::class_<io::Frame> base(module, "_Frame");
  auto frame = public_class<Frame, io::Frame>(module, "Frame", "What a camera gave at one moment.");
  frame.def_readonly("index", &Frame::index, "The number in the file's name, or counted from 0.")
      .def_readonly("time", &Frame::time, "Seconds.")
      .def_readonly("taken", &Frame::taken, "Seconds since 1970: when a camera took it, or when it was read.")
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
      .def_property_readonly("colour", &colour_of, "uint8 (H, W, 3), blue green red; None where there is none.")
      .def("__repr__", &text_of)
      .def(py::pickle([](const Frame& own) { return py::make_tuple(own.width, Packed<io::Frame>::pack(own)); },
                      [](const py::tuple& state) {
                        if (state.size() != 2) throw Error("a damaged pickle");
                        Frame made;
                        made.width = state[0].cast<py::ssize_t>();
                        Packed<io::Frame>::unpack(state[1], made);
                        return made;
                      }));
}

}  // namespace

void bind_frames(py::module_& module) {
  bind_frame(module);
  auto source = public_class<ColourSource>(module, "ColourSource",
                                           "Colour frames of pictures, a video or a camera: iterate over it.");
  bind_source(source);
  source.def_property_readonly(
      "guessed_fps", [](const ColourSource& own) { return own.source().guessed_fps(); },
      "Neither the source nor fps= said it, so that 30 was assumed.");

  const io::ColourSettings defaults;
  module.def(
      "open_colour",
      [](const py::object& input, double fps, bool sequence, bool full_range, double reconnect) {
        io::ColourSettings settings;
        settings.fps = fps;
        settings.sequence = sequence;
        settings.full_range = full_range;
        settings.reconnect = reconnect;
        settings.wait = interruptible();
        return std::make_unique<ColourSource>(inputs_of(input), settings);
      },
      py::arg("input"), py::kw_only(), py::arg("fps") = defaults.fps, py::arg("sequence") = defaults.sequence,
      py::arg("full_range") = defaults.full_range, py::arg("reconnect") = defaults.reconnect,
      R"(A ColourSource: a folder, a pattern, a video, pictures, or a camera such as "camera:0".

fps         above 0: in place of the video's own; pictures have none
sequence    pictures are the frames of one camera, in the order of the numbers in their names
full_range  scale 16-bit pictures by their brightest pixel
reconnect   seconds to wait for a camera that disappears to come back; 0: it ends there)");
}

}  // namespace kinema::python
