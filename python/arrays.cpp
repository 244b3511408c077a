#include "arrays.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kinema::python {
namespace {

template <class Shape>
std::string describe_shape(const Shape& shape, std::size_t dimensions) {
  std::string text = "(";
  for (std::size_t i = 0; i < dimensions; ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + (dimensions == 1 ? ",)" : ")");
}

std::string describe_shape(const py::array& array) {
  return describe_shape(array.shape(), static_cast<std::size_t>(array.ndim()));
}

void require_contiguous(const py::array& array, const char* name) {
  if ((array.flags() & py::array::c_style) == 0) {
    throw Error(std::string(name) + " must be C-contiguous: pass numpy.ascontiguousarray(" + name + ")");
  }
}

// Millimetres are as many metres, where nobody is: no camera measures a scene of which every part is this far.
constexpr float farther_than_any_scene = 100;  // metres

void refuse_millimetres(const PointsView& points) {
  float nearest = std::numeric_limits<float>::infinity();
  const std::size_t step = std::max<std::size_t>(1, points.size / 256);  // as many show it
  for (std::size_t i = 0; i < points.size; i += step) {
    const float* p = points.xyz + 3 * i;
    const float distance = std::hypot(p[0], p[1], p[2]);
    if (distance > 0) nearest = std::min(nearest, distance);
  }
  if (nearest > farther_than_any_scene && std::isfinite(nearest)) {
    throw Error("points holds nothing nearer than " + std::to_string(static_cast<int>(nearest)) +
                " metres: millimetres? pass points * 0.001 as float32");
  }
}

void refuse_millimetres(const ImageView<const float>& depth) {
  float nearest = std::numeric_limits<float>::infinity();
  // a few hundred pixels show it
  const std::size_t step = std::max<std::size_t>(1, std::min(depth.width, depth.height) / 24);
  for (std::size_t y = 0; y < depth.height; y += step) {
    for (std::size_t x = 0; x < depth.width; x += step) {
      if (depth.at(x, y) > 0) nearest = std::min(nearest, depth.at(x, y));
    }
  }
  if (nearest > farther_than_any_scene && std::isfinite(nearest)) {
    throw Error("depth measures nothing nearer than " + std::to_string(static_cast<int>(nearest)) +
                " metres: millimetres? pass depth * 0.001 as float32");
  }
}

}  // namespace

py::array as_array(const py::object& object, const char* name, const char* wanted) {
  if (py::isinstance<py::array>(object)) return py::reinterpret_borrow<py::array>(object);
  if (gpu_array(object, name)) {
    throw Error(std::string(name) + " lies on a GPU, and is read in host memory: pass " + name +
                ".cpu().numpy() in PyTorch, " + name + ".get() in CuPy");
  }
  if (const py::object host = host_array(object); !host.is_none()) return py::reinterpret_borrow<py::array>(host);
  throw Error(std::string(name) + " must be a NumPy array " + wanted + ", not " +
              std::string(py::str(py::type::of(object).attr("__name__"))));
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

Depth::Depth(const py::object& image) : pixels(as_array(image, "depth", "(H, W)")) {
  if (pixels.dtype().kind() == 'u' || pixels.dtype().kind() == 'i') {
    throw Error("depth must be float32, in metres, not " + std::string(py::str(pixels.dtype())) +
                ": millimetres? pass depth * 0.001 as float32: depth * numpy.float32(0.001)");
  }
  if (!py::isinstance<py::array_t<float>>(pixels)) {
    throw Error("depth must be float32, not " + std::string(py::str(pixels.dtype())) +
                ": pass depth.astype(numpy.float32)");
  }
  if (pixels.ndim() != 2) throw Error("depth must have the shape (H, W), not " + describe_shape(pixels));
  constexpr auto size = static_cast<py::ssize_t>(sizeof(float));
  const bool rows =
      pixels.size() == 0 || ((pixels.strides(1) == size || pixels.shape(1) == 1) && pixels.strides(0) % size == 0 &&
                             pixels.strides(0) >= size * pixels.shape(1));
  if (!rows) throw Error("depth must have rows of neighbouring pixels: pass numpy.ascontiguousarray(depth)");
  view = {static_cast<const float*>(pixels.data()), static_cast<std::size_t>(pixels.shape(1)),
          static_cast<std::size_t>(pixels.shape(0)), static_cast<std::size_t>(pixels.strides(0) / size)};
  refuse_millimetres(view);
}

Points::Points(const py::object& points, const py::object& background) : xyz(floats(points, "points", 2, 3, "(I, 3)")) {
  view.xyz = static_cast<const float*>(xyz.data());
  view.size = static_cast<std::size_t>(xyz.shape(0));
  refuse_millimetres(view);
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

Pixels::Pixels(const py::object& object, py::ssize_t dimensions, const char* wanted, Memory memory) {
  std::string type;
  if (memory == Memory::host_or_gpu && !py::isinstance<py::array>(object)) gpu_ = gpu_array(object, "image");
  if (gpu_) {
    shape = gpu_->shape;
    strides = gpu_->strides;
    data = static_cast<const std::uint8_t*>(gpu_->data);
    type = gpu_->type.empty() ? "of another type" : std::string(py::str(py::dtype(gpu_->type)));
    on_gpu = true;
  } else {
    host_ = as_array(object, "image", wanted);
    shape.assign(host_.shape(), host_.shape() + host_.ndim());
    strides.assign(host_.strides(), host_.strides() + host_.ndim());
    data = static_cast<const std::uint8_t*>(host_.data());
    type = py::str(host_.dtype());
  }
  if (type != "uint8") throw Error("image must be uint8, not " + type);
  if (shape.size() != static_cast<std::size_t>(dimensions)) {
    throw Error(std::string("image must have the shape ") + wanted + ", not " + describe_shape(shape, shape.size()));
  }
  const std::int64_t channels = dimensions == 3 ? shape[2] : 1;
  const bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  const bool rows =
      empty || ((dimensions == 2 || strides[2] == 1) && strides[1] == channels && strides[0] >= channels * shape[1]);
  if (!rows) {
    throw Error(on_gpu ? "image must have rows of neighbouring pixels: pass image.contiguous() in PyTorch"
                       : "image must have rows of neighbouring pixels: pass numpy.ascontiguousarray(image)");
  }
}

Grey::Grey(const py::object& image, Memory memory) : pixels(image, 2, "(H, W)", memory) {
  view = {pixels.data, static_cast<std::size_t>(pixels.shape[1]), static_cast<std::size_t>(pixels.shape[0]),
          static_cast<std::size_t>(pixels.strides[0])};
}

bool red_first(const std::string& order) {
  if (order != "rgb" && order != "bgr") throw Error("order must be 'rgb' or 'bgr', not '" + order + "'");
  return order == "rgb";
}

Colour::Colour(const py::object& image, bool red_first, Memory memory) : pixels(image, 3, "(H, W, 3)", memory) {
  const std::int64_t channels = pixels.shape[2];
  if (channels != 3 && channels != 4) {
    throw Error("image must have the shape (H, W, 3) or (H, W, 4), not " +
                describe_shape(pixels.shape, pixels.shape.size()));
  }
  view.data = pixels.data;
  view.width = static_cast<std::size_t>(pixels.shape[1]);
  view.height = static_cast<std::size_t>(pixels.shape[0]);
  view.stride = static_cast<std::size_t>(pixels.strides[0]);
  view.on_device = pixels.on_gpu;
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
