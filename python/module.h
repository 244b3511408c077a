// The parts of the Python module.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

namespace kinema::python {

/// A class of a part, under its public name: kinema.body.Camera, not kinema._kinema.body.Camera.
template <class T, class... Options>
pybind11::class_<T, Options...> public_class(pybind11::module_& part, const char* name, const char* text) {
  const auto module = part.attr("__name__").cast<std::string>();
  pybind11::class_<T, Options...> bound(part, name, text);
  bound.attr("__module__") = "kinema" + module.substr(module.rfind('.'));
  return bound;
}

void bind_likelihood(pybind11::module_& module);
void bind_body_filter(pybind11::module_& module);
void bind_body_tracker(pybind11::module_& module);
void bind_head(pybind11::module_& module);
void bind_face(pybind11::module_& module);
void bind_head_pose(pybind11::module_& module);
void bind_face_observation(pybind11::module_& module);
void bind_face_observer(pybind11::module_& module);
void bind_person(pybind11::module_& module);
void bind_body_estimate(pybind11::module_& module);
void bind_face_detector(pybind11::module_& module);
void bind_frames(pybind11::module_& module);
void bind_recording(pybind11::module_& module);
void bind_skeleton(pybind11::module_& module);
void bind_stereo(pybind11::module_& module);

}  // namespace kinema::python
