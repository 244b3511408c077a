#include "source.h"

#include "kinema/error.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <chrono>
#include <exception>
#include <filesystem>

namespace py = pybind11;

namespace kinema::python {

std::vector<std::string> inputs_of(const py::object& input) {
  std::vector<std::string> inputs;
  const bool one = py::isinstance<py::str>(input) || py::hasattr(input, "__fspath__");
  if (!one && !py::isinstance<py::iterable>(input))
    throw Error("input must be a path, a name of a source, or a list of paths");
  const py::iterable all = one ? py::iterable(py::make_tuple(input)) : py::reinterpret_borrow<py::iterable>(input);
  for (const py::handle each : all) inputs.push_back(each.cast<std::filesystem::path>().string());
  return inputs;
}

io::SourceWait interruptible() {
  io::SourceWait wait;
  wait.stopped = [] {
    const py::gil_scoped_acquire acquire;
    return PyErr_Occurred() != nullptr || PyErr_CheckSignals() != 0;
  };
  wait.note = [](const std::string& line) {
    const py::gil_scoped_acquire acquire;
    if (PyErr_WarnEx(PyExc_RuntimeWarning, line.c_str(), 1) != 0) PyErr_Clear();  // as an error it would end the wait
  };
  return wait;
}

void raise_interrupt() {
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
}

bool next_frame(io::Source& source, io::Frame& frame) {
  constexpr std::chrono::milliseconds patience{100};  // between looks for a signal
  for (;;) {
    {
      const py::gil_scoped_release release;
      if (source.ready(patience)) return source.next(frame);
    }
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
}

}  // namespace kinema::python
