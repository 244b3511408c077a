// kinema.face.Detector: the built-in face detector.
#include "kinema/files.h"

#include "arrays.h"
#include "detector.h"
#include "module.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <mutex>
#include <string>
#include <utility>

namespace kinema::python {
namespace {

// A detector that Python threads may share: without the GIL, two could use it at once.
class Detector {
public:
  explicit Detector(std::filesystem::path data) : data_(std::move(data)), detect_(read_face_detector(data_)) {}

  std::vector<BoxNumbers> detect(const py::object& image) {
    const Grey picture(image);
    const py::gil_scoped_release release;
    const std::scoped_lock lock(mutex_);
    std::vector<BoxNumbers> boxes;
    for (const face::Start::Box& box : detect_(picture.view)) boxes.push_back({box.x, box.y, box.width, box.height});
    return boxes;
  }

  std::string text() const { return "Detector(" + (data_.empty() ? "" : "'" + data_.string() + "'") + ")"; }

private:
  std::filesystem::path data_;
  face::Detect detect_;
  std::mutex mutex_;
};

}  // namespace

void bind_face_detector(py::module_& module) {
  py::class_<Detector> detector(module, "Detector", R"(Finds faces in an image: OpenCV's detectors.

data  a cascade (.xml), or a network for OpenCV's FaceDetectorYN (.onnx); None: the cascade of Debian's opencv-data

    tracker = face.Tracker(face.read_model(), detect=face.Detector()))");
  detector.attr("__module__") = "kinema.face";
  detector
      .def(py::init([](const std::optional<std::filesystem::path>& data) {
             return std::make_unique<Detector>(data.value_or(std::filesystem::path()));
           }),
           py::arg("data") = py::none(), "See the class.")
      .def("__call__", &Detector::detect, py::arg("image"),
           "Boxes (x, y, width, height), the largest first, of the faces in an image: uint8 (H, W). Releases the GIL.")
      .def("__repr__", &Detector::text);
}

}  // namespace kinema::python
