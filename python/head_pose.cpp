// kinema.face.HeadPose, the pose of a head and its expression, and what solves it from landmarks.
#include "kinema/head_pose.h"

#include "arrays.h"
#include "module.h"
#include "pickle.h"
#include "shared.h"
#include "texts.h"

#include <pybind11/stl.h>

#include <memory>
#include <optional>

namespace kinema::python {
namespace {

py::dict by_name(const face::Expression& values) {
  py::dict named;
  for (std::size_t e = 0; e < values.size(); ++e) named[py::str(std::string(face::expression_names[e]))] = values[e];
  return named;
}

class Solver : public Shared<face::HeadPoseSolver> {
public:
  using Shared::Shared;

  std::optional<face::HeadPose> solve(const py::object& landmarks, std::size_t width, std::size_t height,
                                      const py::object& confidence) {
    return solved(&face::HeadPoseSolver::solve, landmarks, width, height, confidence);
  }

  std::optional<face::HeadPose> follow(const py::object& landmarks, std::size_t width, std::size_t height,
                                       const py::object& confidence) {
    return solved(&face::HeadPoseSolver::follow, landmarks, width, height, confidence);
  }

  void reset() {
    locked([](face::HeadPoseSolver& solver) { solver.reset(); });
  }

  py::array_t<float> project(const face::HeadPose& pose, std::size_t width, std::size_t height) {
    const auto points = locked([&](face::HeadPoseSolver& solver) { return solver.project(pose, width, height); });
    return pairs({points.begin(), points.end()});
  }

private:
  template <class Method>
  std::optional<face::HeadPose> solved(Method method, const py::object& landmarks, std::size_t width,
                                       std::size_t height, const py::object& confidence) {
    const std::vector<float> points = landmarks_of(landmarks);
    std::span<const float> weights;
    py::array given;
    if (!confidence.is_none()) {
      given = floats(confidence, "confidence", 1, 0, "(L,)");
      weights = {static_cast<const float*>(given.data()), static_cast<std::size_t>(given.size())};
    }
    return locked([&](face::HeadPoseSolver& solver) { return (solver.*method)(points, weights, width, height); });
  }
};

void bind_solver(py::module_& module) {
  const face::HeadPoseSettings defaults;
  auto solver = public_class<Solver>(module, "HeadPoseSolver", R"(Poses of heads from 68 landmarks in iBUG's order.

field_of_view  of the camera across the frame, radians
camera         a body.Camera in place of the field of view; scaled to the size of the frames
eye_distance   between the outer corners of the person's eyes, metres)");
  solver
      .def(py::init([](double field_of_view, const std::optional<Camera>& camera, double eye_distance) {
             face::HeadPoseSettings settings;
             settings.field_of_view = field_of_view;
             settings.camera = camera;
             settings.eye_distance = eye_distance;
             return std::make_unique<Solver>(settings);
           }),
           py::kw_only(), py::arg("field_of_view") = defaults.field_of_view, py::arg("camera") = py::none(),
           py::arg("eye_distance") = defaults.eye_distance, "See the class.")
      .def("solve", &Solver::solve, py::arg("landmarks"), py::arg("width"), py::arg("height"), py::kw_only(),
           py::arg("confidence") = py::none(),
           R"(The HeadPose of one picture alone; None if no head looks like this. Releases the GIL.

landmarks   float32 (68, 2), pixels from 0, of a picture of this width and height
confidence  float32 (68,), 0 to 1: how much each landmark counts, as Fit.confidence; None: alike)")
      .def("follow", &Solver::follow, py::arg("landmarks"), py::arg("width"), py::arg("height"), py::kw_only(),
           py::arg("confidence") = py::none(),
           "The same for the next frame of one person: starts from the last pose, and learns the person's proportions.")
      .def("reset", &Solver::reset,
           "Forgets the last pose and the proportions learnt: the next frame may show another person.")
      .def("project", &Solver::project, py::arg("pose"), py::arg("width"), py::arg("height"),
           "float32 (68, 2): where the points of a head in this pose, with the proportions learnt so far, lie.")
      .def("__repr__", [](const Solver&) { return "HeadPoseSolver()"; });
}

}  // namespace

void bind_head_pose(py::module_& module) {
  using face::HeadPose;
  auto pose = public_class<HeadPose>(module, "HeadPose", R"(The pose of a head in front of the camera.

The camera frame has x right, y down, z forward, metres; the head's frame x to the person's left, y up, z out of the
face. The head's place is midway between the outer corners of the eyes.)");
  pose.def_property_readonly(
          "rotation",
          [](const HeadPose& own) {
            return array_of<double>({own.rotation.w, own.rotation.x, own.rotation.y, own.rotation.z});
          },
          "float64 (4,): w x y z, from the head's frame to the camera's.")
      .def_property_readonly(
          "position",
          [](const HeadPose& own) {
            return array_of<double>({own.position.x, own.position.y, own.position.z});
          },
          "float64 (3,): metres, camera frame.")
      .def_readonly("yaw", &HeadPose::yaw, "Degrees, to the person's right.")
      .def_readonly("pitch", &HeadPose::pitch, "Degrees, up.")
      .def_readonly("roll", &HeadPose::roll, "Degrees, to the right shoulder.")
      .def_property_readonly(
          "angle_deviation",
          [](const HeadPose& own) {
            return array_of<double>({own.angle_deviation.begin(), own.angle_deviation.end()});
          },
          "float64 (3,): standard deviations of yaw, pitch and roll, degrees.")
      .def_property_readonly(
          "position_deviation",
          [](const HeadPose& own) {
            return array_of<double>({own.position_deviation.x, own.position_deviation.y, own.position_deviation.z});
          },
          "float64 (3,): of the position for a head of the assumed size, metres.")
      .def_readonly("residual", &HeadPose::residual, "Root mean square distance of the landmarks, pixels.")
      .def_property_readonly(
          "expression", [](const HeadPose& own) { return by_name(own.expression); },
          "Weights of blend shapes by ARKit's names, 0 to 1.")
      .def_property_readonly(
          "expression_deviation", [](const HeadPose& own) { return by_name(own.expression_deviation); },
          "Standard deviations of these weights.")
      .def_property_readonly(
          "rest_angles",
          [](const HeadPose& own) {
            return array_of<double>({own.rest_angles.begin(), own.rest_angles.end()});
          },
          "float64 (3,): yaw, pitch and roll of the person at rest in a film, degrees.")
      .def("__repr__", [](const HeadPose& own) {
        return "HeadPose(yaw=" + number(own.yaw) + ", pitch=" + number(own.pitch) + ", roll=" + number(own.roll) +
               ", position=(" + number(own.position.x) + ", " + number(own.position.y) + ", " + number(own.position.z) +
               "))";
      });
  pickles(pose);
  bind_solver(module);
}

}  // namespace kinema::python
