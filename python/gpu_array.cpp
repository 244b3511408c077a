#include "gpu_array.h"

#include "kinema/error.h"
#include "kinema/gpu_memory.h"

#include <pybind11/stl.h>  // casts shapes

#include <numeric>

namespace py = pybind11;

namespace kinema::python {
namespace {

// What a capsule "dltensor" points to: the ABI of DLPack before 1.0, which every library still gives when asked for
// nothing newer.
struct Tensor {
  void* data;
  std::int32_t device_type, device_id;
  std::int32_t dimensions;
  std::uint8_t code, bits;
  std::uint16_t lanes;
  std::int64_t *shape, *strides;  // strides in elements; null: row by row
  std::uint64_t byte_offset;
};
struct ManagedTensor {
  Tensor tensor;
  void* context;
  void (*release)(ManagedTensor*);
};

constexpr int on_cpu = 1, on_cuda = 2, on_cuda_managed = 13;

std::vector<std::int64_t> row_by_row(const std::vector<std::int64_t>& shape, std::int64_t item) {
  std::vector<std::int64_t> strides(shape.size());
  for (std::size_t i = shape.size(); i-- > 0; item *= shape[i]) strides[i] = item;
  return strides;
}

GpuArray by_interface(const py::object& object) {
  const py::dict interface = object.attr("__cuda_array_interface__");
  GpuArray array;
  array.type = interface["typestr"].cast<std::string>();
  array.shape = interface["shape"].cast<std::vector<std::int64_t>>();
  const py::tuple data = interface["data"];
  array.data = reinterpret_cast<const void*>(data[0].cast<std::uintptr_t>());
  const py::object strides = interface.attr("get")("strides");
  if (strides.is_none()) {
    const std::int64_t item = array.type.empty() ? 1 : array.type.back() - '0';
    array.strides = row_by_row(array.shape, item);
  } else {
    for (const py::handle stride : strides) array.strides.push_back(stride.cast<std::int64_t>());
  }
  if (array.strides.size() != array.shape.size())
    throw Error("its __cuda_array_interface__ has strides for another number of dimensions than it has");
  array.owner = std::make_shared<py::object>(object);
  return array;
}

GpuArray by_dlpack(const py::object& object) {
  const py::object capsule = object.attr("__dlpack__")();
  auto* managed = static_cast<ManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  if (managed == nullptr) throw py::error_already_set();
  PyCapsule_SetName(capsule.ptr(), "used_dltensor");  // from here on it is this side that releases it
  GpuArray array;
  array.owner = std::shared_ptr<void>(managed, [](void* memory) {
    auto* own = static_cast<ManagedTensor*>(memory);
    if (own->release != nullptr) own->release(own);
  });
  const Tensor& tensor = managed->tensor;
  const std::int64_t item = tensor.bits / 8;
  const auto dimensions = static_cast<std::size_t>(tensor.dimensions);
  array.data = static_cast<const std::uint8_t*>(tensor.data) + tensor.byte_offset;
  array.shape.assign(tensor.shape, tensor.shape + dimensions);
  array.strides = row_by_row(array.shape, item);
  for (std::size_t i = 0; tensor.strides != nullptr && i < dimensions; ++i) array.strides[i] = tensor.strides[i] * item;
  constexpr const char* kinds = "iuf";
  array.type = (tensor.code < 3 && tensor.lanes == 1)
                   ? std::string(item == 1 ? "|" : "<") + kinds[tensor.code] + std::to_string(item)
                   : "";
  return array;
}

int dlpack_device(const py::object& object) {
  if (!py::hasattr(object, "__dlpack__") || !py::hasattr(object, "__dlpack_device__")) return 0;
  return py::tuple(object.attr("__dlpack_device__")())[0].cast<int>();
}

}  // namespace

std::int64_t GpuArray::size() const {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::optional<GpuArray> gpu_array(const py::object& object, const char* name) {
  std::optional<GpuArray> array;
  if (py::hasattr(object, "__cuda_array_interface__")) {
    array = by_interface(object);
  } else {
    const int device = dlpack_device(object);
    if (device == on_cuda || device == on_cuda_managed) array = by_dlpack(object);
  }
  if (!array || array->size() == 0) return array;
  const std::optional<int> gpu = gpu_of(array->data);
  if (!gpu) {
    throw Error(std::string(name) + " says that it lies on a GPU, and kinema finds none: pass it in host memory, as " +
                name + ".cpu().numpy() in PyTorch");
  }
  const py::gil_scoped_release release;
  wait_for_gpu(*gpu);
  return array;
}

py::object host_array(const py::object& object) {
  if (dlpack_device(object) != on_cpu) return py::none();
  return py::module_::import("numpy").attr("from_dlpack")(object);
}

}  // namespace kinema::python
