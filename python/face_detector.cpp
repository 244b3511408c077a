// kinema.face.Detector: the built-in face detector.
#include "kinema/files.h"

#include "arrays.h"
#include "detector.h"
#include "module.h"
#include "shared.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <string>

namespace kinema::python {
namespace {

class Detector : public Shared<face::Detect> {
public:
  explicit Detector(const std::filesystem::path& data) : Shared(read_face_detector(data)), data_(data) {}

  std::vector<BoxNumbers> detect(const py::object& image) {
    const Grey picture(image);
    return locked([&](auto& detect) {
      std::vector<BoxNumbers> boxes;
      for (const face::Start::Box& box : detect(picture.view)) boxes.push_back({box.x, box.y, box.width, box.height});
      return boxes;
    });
  }

  std::string text() const { return "Detector(" + (data_.empty() ? "" : "'" + data_.string() + "'") + ")"; }

private:
  std::filesystem::path data_;
};

}  // namespace

void bind_face_detector(py::module_& module) {
  auto detector = public_class<Detector>(module, "Detector", R"(Finds faces in an image: OpenCV's detectors.

data  a cascade (.xml), or a network for OpenCV's FaceDetectorYN (.onnx); None: the cascade of Debian's opencv-data

    tracker = face.Tracker(face.read_model(), detect=face.Detector()))");
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
