#include "device_list.h"

#include <pybind11/stl.h>

namespace py = pybind11;

namespace kinema::python {

std::vector<int> device_list(const py::object& devices) {
  if (devices.is_none()) return {};
  if (py::isinstance<py::str>(devices)) return parse_devices(devices.cast<std::string>());
  return devices.cast<std::vector<int>>();
}

std::shared_ptr<DeviceLosses> warn_of_losses(const std::string& backend) {
  if (backend != "auto") return nullptr;
  return std::make_shared<DeviceLosses>([](const std::string& line) {
    const py::gil_scoped_acquire acquire;
    // as an error it would end the run that the other devices continue
    if (PyErr_WarnEx(PyExc_RuntimeWarning, line.c_str(), 1) != 0) PyErr_Clear();
  });
}

}  // namespace kinema::python
