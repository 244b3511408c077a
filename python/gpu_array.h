// Arrays of other libraries (PyTorch, CuPy, JAX) in GPU memory, which are passed to the library without a copy.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kinema::python {

struct GpuArray {
  const void* data = nullptr;
  std::vector<std::int64_t> shape, strides;  // strides in bytes
  std::string type;                          // as NumPy writes it: |u1, <f4; empty if it knows none such
  std::shared_ptr<void> owner;               // keeps the memory

  std::int64_t size() const;  ///< elements
};

/// The array in GPU memory that an object is, by __cuda_array_interface__ or __dlpack__; nothing if it is something else.
/// Its contents are computed when this returns. Throws Error on a machine without a GPU.
std::optional<GpuArray> gpu_array(const pybind11::object& object, const char* name);

/// A NumPy view of an array of another library in host memory; None if the object is no such array.
pybind11::object host_array(const pybind11::object& object);

}  // namespace kinema::python
