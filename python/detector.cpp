#include "detector.h"

#include <algorithm>

namespace kinema::python {

namespace py = pybind11;

face::Start::Box box_of(const BoxNumbers& numbers, bool detector) {
  face::Start::Box box;
  box.x = numbers[0], box.y = numbers[1], box.width = numbers[2], box.height = numbers[3];
  box.detector = detector;
  return box;
}

face::Detect boxes_by(const PythonDetect& detect) {
  if (!detect) return {};
  return [detect](const face::GreyView& image) {
    const py::gil_scoped_acquire acquire;
    py::array_t<std::uint8_t> copy({image.height, image.width});
    for (std::size_t y = 0; y < image.height; ++y)
      std::copy_n(image.data + y * image.stride, image.width, copy.mutable_data() + y * image.width);
    std::vector<face::Start::Box> boxes;
    for (const BoxNumbers& box : detect(copy)) boxes.push_back(box_of(box, true));
    return boxes;
  };
}

}  // namespace kinema::python
