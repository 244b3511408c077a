// Arrays are passed to the library in place: those of NumPy, of other libraries in host memory by DLPack, and pixels in
// GPU memory where the library takes them. An array of another type, order or shape is refused rather than converted,
// since a silent copy of a large one costs more than the work.
#pragma once

#include "gpu_array.h"
#include "kinema/error.h"
#include "kinema/image.h"
#include "kinema/points.h"
#include "kinema/stage_time.h"

#include <pybind11/numpy.h>

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace kinema::python {

namespace py = pybind11;

/// Throws Error otherwise; `wanted` names the shape.
py::array as_array(const py::object& object, const char* name, const char* wanted);

/// A contiguous float32 array of this many dimensions whose last is `last` (0: any).
py::array floats(const py::object& object, const char* name, py::ssize_t dimensions, py::ssize_t last,
                 const char* wanted);

/// A depth image: float32 (H, W), metres; its rows may have a stride. Throws Error for millimetres.
struct Depth {
  explicit Depth(const py::object& image);

  py::array pixels;
  ImageView<const float> view;
};

/// Points and, unless None, their marks. The view is valid during the lifetime of this object.
struct Points {
  Points(const py::object& points, const py::object& background);

  py::array xyz;
  std::optional<py::array> marks;
  PointsView view;
};

/// Where the pixels of an image may lie.
enum class Memory { host, host_or_gpu };

/// The pixels of an image, uint8, of NumPy or in GPU memory.
struct Pixels {
  Pixels(const py::object& object, py::ssize_t dimensions, const char* wanted, Memory memory);

  std::vector<std::int64_t> shape, strides;
  const std::uint8_t* data = nullptr;
  bool on_gpu = false;

private:
  py::array host_;
  std::optional<GpuArray> gpu_;
};

/// A uint8 image (H, W); its rows may have a stride, as in a part of a larger one.
struct Grey {
  explicit Grey(const py::object& image, Memory memory = Memory::host);

  Pixels pixels;
  ImageView<const std::uint8_t> view;
};

/// True for "rgb", false for "bgr". Throws Error for any other word.
bool red_first(const std::string& order);

/// A uint8 image (H, W, 3) or (H, W, 4).
struct Colour {
  Colour(const py::object& image, bool red_first, Memory memory = Memory::host);

  Pixels pixels;
  ColourView view;
};

/// An array that owns its data.
template <class T>
py::array_t<T> array_of(std::vector<T> values, std::vector<py::ssize_t> shape) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  const T* data = owned->data();
  const py::capsule owner(owned.get(), [](void* memory) { delete static_cast<std::vector<T>*>(memory); });
  static_cast<void>(owned.release());  // the capsule's from here on
  return py::array_t<T>(std::move(shape), data, owner);
}

template <class T>
py::array_t<T> array_of(std::vector<T> values) {
  const auto size = static_cast<py::ssize_t>(values.size());
  return array_of(std::move(values), {size});
}

py::array_t<double> array_of(const std::vector<Vec3>& places);

/// The member of a struct that has numbers, as an array.
template <class Struct, class T>
auto as_array(std::vector<T> Struct::*member) {
  return [member](const Struct& own) { return array_of(own.*member); };
}

/// Points and their marks: float32 (I, 3) and bool (I,).
py::tuple cloud_arrays(PointCloud cloud);

/// A floor in Python's form: its unit normal and offset.
using FloorNumbers = std::tuple<double, double, double, double>;
std::optional<FloorNumbers> floor_numbers(const std::optional<Plane>& plane);

/// Landmarks x0 y0 x1 y1 ... of an array (L, 2), and the other way round.
std::vector<float> landmarks_of(const py::object& object);
py::array_t<float> pairs(std::vector<float> landmarks);

/// Milliseconds by stage.
py::dict milliseconds(const std::vector<StageTime>& times);

}  // namespace kinema::python
