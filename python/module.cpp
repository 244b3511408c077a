// The compiled half of the Python package: errors, devices, and the parts that other files bind.
#include "module.h"

#include "kinema/backend.h"
#include "kinema/error.h"

namespace py = pybind11;

namespace {

py::dict devices() {
  const kinema::Build build = kinema::build();
  py::list backends;
  for (const auto backend : {kinema::Backend::reference, kinema::Backend::cpu, kinema::Backend::cuda}) {
    if (kinema::available(backend)) backends.append(std::string(kinema::name(backend)));
  }
  py::list gpus;
  for (const kinema::Gpu& gpu : kinema::gpus()) {
    gpus.append(py::dict(
        py::arg("index") = gpu.index, py::arg("name") = gpu.name, py::arg("multiprocessors") = gpu.multiprocessors,
        py::arg("compute_capability") = gpu.compute_capability, py::arg("memory_bytes") = gpu.memory_bytes));
  }
  return py::dict(py::arg("version") = build.version, py::arg("backends") = backends, py::arg("gpus") = gpus,
                  py::arg("simd") = build.simd, py::arg("threads") = build.threads, py::arg("cuda") = build.cuda);
}

}  // namespace

PYBIND11_MODULE(_kinema, module) {
  const py::exception<kinema::Error>& error = py::register_exception<kinema::Error>(module, "Error");
  error.attr("__module__") = "kinema";  // where people find it, and what a traceback says
  module.attr("__version__") = kinema::build().version;
  module.def("devices", &devices,
             "What this build holds and what this machine offers: version, the backends that can be asked for, GPUs, "
             "SIMD level, threads, CUDA toolkit ('' where CUDA is not built in).");
  bind_body(module);
}
