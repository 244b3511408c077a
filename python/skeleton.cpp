// kinema.body: the camera and the skeleton, which the other parts take.
#include "kinema/skeleton.h"

#include "kinema/camera.h"
#include "kinema/files.h"
#include "module.h"
#include "pickle.h"
#include "texts.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <string>
#include <vector>

namespace py = pybind11;

namespace kinema::python {
namespace {

using body::Skeleton;

void bind_camera(py::module_& module) {
  auto camera =
      public_class<Camera>(module, "Camera", "A pinhole camera, in pixels: u = fx x/z + cx, v = fy y/z + cy.");
  camera
      .def(py::init([](int width, int height, double fx, double fy, double cx, double cy) {
             return Camera{width, height, fx, fy, cx, cy};
           }),
           py::arg("width"), py::arg("height"), py::arg("fx"), py::arg("fy"), py::arg("cx"), py::arg("cy"),
           "The size of its images, focal lengths and principal point, pixels.")
      .def_readonly("width", &Camera::width, "Of its images, pixels.")
      .def_readonly("height", &Camera::height, "Of its images, pixels.")
      .def_readonly("fx", &Camera::fx, "Focal length across, pixels.")
      .def_readonly("fy", &Camera::fy, "Focal length down, pixels.")
      .def_readonly("cx", &Camera::cx, "Column of the principal point.")
      .def_readonly("cy", &Camera::cy, "Row of the principal point.")
      .def("__repr__", [](const Camera& own) {
        return "Camera(" + std::to_string(own.width) + ", " + std::to_string(own.height) + ", fx=" + number(own.fx, 6) +
               ", fy=" + number(own.fy, 6) + ", cx=" + number(own.cx, 6) + ", cy=" + number(own.cy, 6) + ")";
      });
  pickles(camera);
}

}  // namespace

void bind_skeleton(py::module_& module) {
  bind_camera(module);
  auto skeleton = public_class<Skeleton>(module, "Skeleton", "A person as a tree of joints with a skin of capsules.");
  skeleton
      .def_property_readonly(
          "joints",
          [](const Skeleton& person) {
            std::vector<std::string> names;
            for (const body::Joint& joint : person.joints) names.push_back(joint.name);
            return names;
          },
          "The names of the joints, in the order of Estimate.joints.")
      .def_property_readonly(
          "capsules", [](const Skeleton& person) { return person.capsules.size(); }, "How many the skin has.")
      .def_property_readonly("angles", &Skeleton::angle_count, "How many degrees of freedom all joints have.")
      .def(
          "save", [](const Skeleton& person, const std::filesystem::path& path) { write_skeleton(path, person); },
          py::arg("path"), "Writes a skeleton.json.")
      .def_property_readonly(
          "name", [](const Skeleton& person) { return person.name; }, "What its file calls it.")
      .def_property_readonly("height", &body::stature, "From sole to crown in the rest pose, metres.")
      .def("__repr__", [](const Skeleton& person) {
        return "Skeleton('" + person.name + "', " + counted(person.joints.size(), "joint") + ", " +
               counted(person.angle_count(), "angle") + ", " + counted(person.capsules.size(), "capsule") + ", " +
               number(body::stature(person)) + " m)";
      });
  pickles(skeleton);
  module.def("default_human", &body::default_human, py::arg("height") = 1.65,
             "A grown-up of 21 joints, 46 degrees of freedom and 40 capsules, of this height in metres.");
  module.def("read_skeleton", &read_skeleton, py::arg("path"), "The person of a skeleton.json.");
}

}  // namespace kinema::python
