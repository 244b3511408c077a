#include "shared.h"

#include <pybind11/stl.h>

#include <memory>
#include <vector>

namespace py = pybind11;

namespace kinema::python {
namespace {

std::vector<int> device_list(const py::object& devices) {
  if (devices.is_none()) return {};
  if (py::isinstance<py::str>(devices)) return parse_devices(devices.cast<std::string>());
  return devices.cast<std::vector<int>>();
}

void warn(const std::string& line) {
  const py::gil_scoped_acquire acquire;
  // as an error it would end the run that the other devices continue
  if (PyErr_WarnEx(PyExc_RuntimeWarning, line.c_str(), 1) != 0) PyErr_Clear();
}

}  // namespace

Compute compute_of(const std::string& backend, int threads, const py::object& devices) {
  Compute compute(parse_backend(backend), threads, device_list(devices));
  if (compute.backend == Backend::automatic) compute.losses = std::make_shared<DeviceLosses>(warn);
  return compute;
}

}  // namespace kinema::python
