#include "arrays.h"

namespace kinema::python {
namespace {

std::string describe_shape(const py::array& array) {
  std::string text = "(";
  for (py::ssize_t i = 0; i < array.ndim(); ++i) text += (i > 0 ? ", " : "") + std::to_string(array.shape(i));
  return text + (array.ndim() == 1 ? ",)" : ")");
}

void require_contiguous(const py::array& array, const char* name) {
  if ((array.flags() & py::array::c_style) == 0) {
    throw Error(std::string(name) + " must be C-contiguous: pass numpy.ascontiguousarray(" + name + ")");
  }
}

// uint8 pixels with contiguous rows.
py::array pixels_of(const py::object& object, py::ssize_t dimensions, const char* wanted) {
  py::array array = as_array(object, "image", wanted);
  if (!py::isinstance<py::array_t<std::uint8_t>>(array))
    throw Error("image must be uint8, not " + std::string(py::str(array.dtype())));
  if (array.ndim() != dimensions)
    throw Error(std::string("image must have the shape ") + wanted + ", not " + describe_shape(array));
  const py::ssize_t channels = dimensions == 3 ? array.shape(2) : 1;
  const bool rows = array.size() == 0 || ((dimensions == 2 || array.strides(2) == 1) && array.strides(1) == channels &&
                                          array.strides(0) >= channels * array.shape(1));
  if (!rows) throw Error("image must have rows of neighbouring pixels: pass numpy.ascontiguousarray(image)");
  return array;
}

}  // namespace

py::array as_array(const py::object& object, const char* name, const char* wanted) {
  if (!py::isinstance<py::array>(object)) {
    throw Error(std::string(name) + " must be a NumPy array " + wanted + ", not " +
                std::string(py::str(py::type::of(object).attr("__name__"))));
  }
  return py::reinterpret_borrow<py::array>(object);
}

py::array floats(const py::object& object, const char* name, py::ssize_t dimensions, py::ssize_t last,
                 const char* wanted) {
  const py::array array = as_array(object, name, wanted);
  if (!py::isinstance<py::array_t<float>>(array)) {
    throw Error(std::string(name) + " must be float32, not " + std::string(py::str(array.dtype())) + ": pass " + name +
                ".astype(numpy.float32)");
  }
  if (array.ndim() != dimensions || (last > 0 && array.shape(dimensions - 1) != last)) {
    throw Error(std::string(name) + " must have the shape " + wanted + ", not " + describe_shape(array));
  }
  require_contiguous(array, name);
  return array;
}

Points::Points(const py::object& points, const py::object& background) : xyz(floats(points, "points", 2, 3, "(I, 3)")) {
  view.xyz = static_cast<const float*>(xyz.data());
  view.size = static_cast<std::size_t>(xyz.shape(0));
  if (background.is_none()) return;
  marks = as_array(background, "background", "(I,)");
  const char kind = marks->dtype().kind();
  if (marks->itemsize() != 1 || (kind != 'b' && kind != 'u'))
    throw Error("background must be bool or uint8, not " + std::string(py::str(marks->dtype())));
  if (marks->ndim() != 1 || marks->shape(0) != xyz.shape(0)) {
    throw Error("background must have one mark per point, the shape (" + std::to_string(view.size) + ",), not " +
                describe_shape(*marks));
  }
  require_contiguous(*marks, "background");
  view.background = {static_cast<const std::uint8_t*>(marks->data()), view.size};
}

Grey::Grey(const py::object& image) : pixels(pixels_of(image, 2, "(H, W)")) {
  view = {static_cast<const std::uint8_t*>(pixels.data()), static_cast<std::size_t>(pixels.shape(1)),
          static_cast<std::size_t>(pixels.shape(0)), static_cast<std::size_t>(pixels.strides(0))};
}

bool red_first(const std::string& order) {
  if (order != "rgb" && order != "bgr") throw Error("order must be 'rgb' or 'bgr', not '" + order + "'");
  return order == "rgb";
}

Colour::Colour(const py::object& image, bool red_first) : pixels(pixels_of(image, 3, "(H, W, 3)")) {
  const py::ssize_t channels = pixels.shape(2);
  if (channels != 3 && channels != 4)
    throw Error("image must have the shape (H, W, 3) or (H, W, 4), not " + describe_shape(pixels));
  view.data = static_cast<const std::uint8_t*>(pixels.data());
  view.width = static_cast<std::size_t>(pixels.shape(1));
  view.height = static_cast<std::size_t>(pixels.shape(0));
  view.stride = static_cast<std::size_t>(pixels.strides(0));
  if (channels == 3)
    view.format = red_first ? PixelFormat::rgb : PixelFormat::bgr;
  else
    view.format = red_first ? PixelFormat::rgba : PixelFormat::bgra;
}

py::array_t<double> array_of(const std::vector<Vec3>& places) {
  std::vector<double> numbers;
  numbers.reserve(3 * places.size());
  for (const Vec3& place : places) numbers.insert(numbers.end(), {place.x, place.y, place.z});
  return array_of(std::move(numbers), {static_cast<py::ssize_t>(places.size()), 3});
}

std::vector<float> landmarks_of(const py::object& object) {
  const py::array array = floats(object, "landmarks", 2, 2, "(L, 2)");
  const auto* data = static_cast<const float*>(array.data());
  return {data, data + array.size()};
}

py::array_t<float> pairs(std::vector<float> landmarks) {
  const auto count = static_cast<py::ssize_t>(landmarks.size() / 2);
  return array_of(std::move(landmarks), {count, 2});
}

py::dict milliseconds(const std::vector<StageTime>& times) {
  py::dict ms;
  for (const StageTime& time : times) ms[py::str(time.stage)] = time.ms;
  return ms;
}

}  // namespace kinema::python
