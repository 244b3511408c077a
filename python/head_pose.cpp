// kinema.face.HeadPose: the pose of a head and its expression.
#include "kinema/head_pose.h"

#include "arrays.h"
#include "module.h"

#include <pybind11/stl.h>

namespace kinema::python {
namespace {

py::array_t<double> numbers(std::vector<double> values) {
  const auto count = static_cast<py::ssize_t>(values.size());
  return array_of(std::move(values), {count});
}

}  // namespace

void bind_head_pose(py::module_& module) {
  using face::HeadPose;
  py::class_<HeadPose> pose(module, "HeadPose", R"(The pose of a head before the camera.

The camera frame has x right, y down, z forward, metres; the head's frame x to the person's left, y up, z out of the
face. The head's place is midway between the outer corners of the eyes.)");
  pose.attr("__module__") = "kinema.face";
  pose.def_property_readonly(
          "rotation",
          [](const HeadPose& own) {
            return numbers({own.rotation.w, own.rotation.x, own.rotation.y, own.rotation.z});
          },
          "float64 (4,): w x y z, from the head's frame to the camera's.")
      .def_property_readonly(
          "position",
          [](const HeadPose& own) {
            return numbers({own.position.x, own.position.y, own.position.z});
          },
          "float64 (3,): metres, camera frame.")
      .def_readonly("yaw", &HeadPose::yaw, "Degrees, to the person's right.")
      .def_readonly("pitch", &HeadPose::pitch, "Degrees, up.")
      .def_readonly("roll", &HeadPose::roll, "Degrees, to the right shoulder.")
      .def_property_readonly(
          "angle_deviation",
          [](const HeadPose& own) {
            return numbers({own.angle_deviation.begin(), own.angle_deviation.end()});
          },
          "float64 (3,): standard deviations of yaw, pitch and roll, degrees.")
      .def_property_readonly(
          "position_deviation",
          [](const HeadPose& own) {
            return numbers({own.position_deviation.x, own.position_deviation.y, own.position_deviation.z});
          },
          "float64 (3,): of the position for a head of the assumed size, metres.")
      .def_readonly("residual", &HeadPose::residual, "Root mean square distance of the landmarks, pixels.")
      .def_property_readonly(
          "expression",
          [](const HeadPose& own) {
            py::dict weights;
            for (std::size_t e = 0; e < own.expression.size(); ++e) {
              weights[py::str(std::string(face::expression_names[e]))] = own.expression[e];
            }
            return weights;
          },
          "Weights of blend shapes by ARKit's names, 0 to 1.");
}

}  // namespace kinema::python
