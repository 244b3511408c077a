// The compiled part of the Python package: errors, devices, and the parts that other files bind.
#include "module.h"

#include "kinema/backend.h"
#include "kinema/error.h"
#include "texts.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace py = pybind11;

namespace kinema::python {
namespace {

py::dict devices() {
  const Build built = build();
  py::list backends;
  for (const auto backend : {Backend::reference, Backend::cpu, Backend::cuda}) {
    if (available(backend)) backends.append(std::string(name(backend)));
  }
  py::list found;
  for (const Gpu& gpu : gpus()) {
    found.append(py::dict(py::arg("index") = gpu.index, py::arg("name") = gpu.name,
                          py::arg("multiprocessors") = gpu.multiprocessors,
                          py::arg("compute_capability") = gpu.compute_capability,
                          py::arg("memory_bytes") = gpu.memory_bytes, py::arg("peers") = gpu.peers));
  }
  return py::dict(py::arg("version") = built.version, py::arg("backends") = backends, py::arg("gpus") = found,
                  py::arg("simd") = built.simd, py::arg("threads") = built.threads, py::arg("cuda") = built.cuda);
}

// Longer ones first, where one begins as another does.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> options = {{
    {"--backend cpu", "backend='cpu'"},
    {"--camera-file", "camera_files="},
    {"--calibration-unit", "calibration_unit="},
    {"--depth-scale", "depth_scale="},
    {"--detector FILE", "face.Detector(FILE)"},
    {"--init start.jsonl", "start(landmarks=)"},
    {"--baseline", "baseline="},
    {"--reconnect", "reconnect="},
    {"--colour", "colour_pattern="},
    {"--fps", "fps="},
}};

// The library's readers name options of the command as the remedy; here they become arguments: "--fps" is fps=.
std::string in_python(std::string_view message) {
  std::string text;
  while (!message.empty()) {
    const auto* option =
        std::find_if(options.begin(), options.end(), [&](const auto& each) { return message.starts_with(each.first); });
    if (option == options.end()) {
      text += message.front();
      message.remove_prefix(1);
    } else {
      text += option->second;
      message.remove_prefix(option->first.size());
    }
  }
  return text;
}

// kinema.Error, whose messages speak of arguments.
void bind_error(py::module_& module) {
  static PyObject* error = nullptr;  // a translator takes no state; the type lives as long as the interpreter
  py::exception<Error> type(module, "Error");
  type.attr("__module__") = "kinema";  // the public name, also in tracebacks
  type.attr("__doc__") = "Invalid input, or a failure at run time; its message is one line.";
  error = type.release().ptr();
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const Error& caught) {
      PyErr_SetString(error, in_python(caught.what()).c_str());
    }
  });
}

}  // namespace
}  // namespace kinema::python

PYBIND11_MODULE(_kinema, module) {
  using namespace kinema::python;
  bind_error(module);
  module.attr("__version__") = kinema::build().version;
  module.def("devices", &devices,
             "What this build holds and what this machine offers: version, the backends that can be asked for, GPUs, "
             "SIMD level, threads, CUDA toolkit ('' where CUDA is not built in).");
  py::module_ body = module.def_submodule("body"), head = module.def_submodule("head"),
              face = module.def_submodule("face"), person = module.def_submodule("person"),
              io = module.def_submodule("io"), stereo = module.def_submodule("stereo");
  // a signature names the types that were bound before it
  bind_skeleton(body);
  bind_likelihood(body);
  bind_frames(io);
  bind_recording(io);
  bind_face_observation(body);
  bind_body_estimate(body);
  bind_body_tracker(body);
  bind_body_filter(body);
  bind_head(head);
  bind_head_pose(face);
  bind_face(face);
  bind_face_detector(face);
  bind_person(person);
  bind_face_observer(person);
  bind_stereo(stereo);
  for (py::module_ part : {body, face, head, person, stereo}) name_backends(part);
}
