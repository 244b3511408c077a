// kinema.body.Estimate: where the person is in a frame.
#include "kinema/body_tracker.h"

#include "arrays.h"
#include "module.h"
#include "pickle.h"
#include "texts.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

namespace kinema::python {
namespace {

using body::Estimate;

// As files name them: a joint's common name where it has one.
std::vector<std::string> joint_names(const body::Skeleton& skeleton) {
  std::vector<std::string> names;
  for (const body::Joint& joint : skeleton.joints) {
    const std::string common(body::common_joint(joint.name));
    const bool taken = std::find(names.begin(), names.end(), common) != names.end();
    names.push_back(common.empty() || taken ? joint.name : common);
  }
  return names;
}

std::vector<std::string> names_of(const Estimate& estimate) {
  return estimate.skeleton ? joint_names(*estimate.skeleton) : std::vector<std::string>();
}

py::dict places_by_name(const Estimate& estimate) {
  py::dict places;
  const std::vector<std::string> names = names_of(estimate);
  for (std::size_t j = 0; j < std::min(names.size(), estimate.joints.size()); ++j) {
    const Vec3& at = estimate.joints[j];
    places[py::str(names[j])] = array_of(std::vector<double>{at.x, at.y, at.z});
  }
  return places;
}

std::string text_of(const Estimate& estimate) {
  std::string text = "Estimate(frame=" + std::to_string(estimate.frame) + ", " + outcome(estimate.found, estimate.why);
  if (estimate.found) {
    text += ", " + counted(estimate.joints.size(), "joint");
    if (const auto& deviation = estimate.deviation; !deviation.empty()) {
      const double mean =
          std::accumulate(deviation.begin(), deviation.end(), 0.0) / static_cast<double>(deviation.size());
      text += ", \u00b1" + std::to_string(std::lround(1000 * mean)) + " mm";
    }
  }
  return text + ")";
}

}  // namespace

void bind_body_estimate(py::module_& module) {
  auto estimate = public_class<Estimate>(module, "Estimate", "Where the person is in a frame, and how sure that is.");
  estimate.def_readonly("frame", &Estimate::frame, "Its number: that of a recorded frame, else counted from 0.")
      .def_readonly("time", &Estimate::time, "Seconds, of the frame.")
      .def_readonly("found", &Estimate::found,
                    "False: no person, or lost; of the rest only why and times then say anything.")
      .def_readonly("why", &Estimate::why, "Where not found: the reason.")
      .def_readonly("person", &Estimate::person,
                    "The number of the person, from 1; 0 if not found, or where one person is followed.")
      .def_readonly("hidden", &Estimate::hidden, "Found before, and expected here behind somebody or something.")
      .def_readonly("confidence", &Estimate::confidence,
                    "0 to 1: the share of the points' squared distances that the pose explains.")
      .def_property_readonly("joints", as_array(&Estimate::joints),
                             "Positions, float64 (joints, 3), metres in the camera's frame.")
      .def_property_readonly("joint_names", &names_of,
                             "The names of the joints in their order; common ones where the skeleton has others.")
      .def_property_readonly("joint", &places_by_name,
                             R"(Positions by name, {name: float64 (3,)}; empty where nobody was found.

    estimate.joint["left_knee"])")
      .def_property_readonly("deviation", as_array(&Estimate::deviation),
                             "Of each joint the standard deviation along each axis, metres: float64 (joints,).")
      .def_property_readonly("shape_deviation", as_array(&Estimate::shape_deviation),
                             R"(The part of deviation that comes from the person's proportions: float64 (joints,).

It is nearly the same in consecutive frames. Empty where the skeleton is given.)")
      .def_property_readonly(
          "angles", [](const Estimate& own) { return array_of(own.pose.angles); }, "Radians, by joint and freedom.")
      .def_property_readonly(
          "anatomical",
          [](const Estimate& own) {
            py::dict angles;
            for (const body::AnatomicalAngle& angle : own.anatomical) {
              angles[py::str(std::string(angle.name))] = py::make_tuple(angle.value, angle.deviation);
            }
            return angles;
          },
          "Joint angles by the ISB's conventions and their standard deviations, radians: {name: (angle, deviation)}.")
      .def_property_readonly(
          "head_deviation",
          [](const Estimate& own) -> std::optional<py::tuple> {
            if (!own.head_deviation) return std::nullopt;
            const Vec3& d = *own.head_deviation;
            return py::make_tuple(d.x, d.y, d.z);
          },
          R"(Of the rotation of the head about its own axes, radians: nodding, turning, tilting.

None where the skeleton has no head that turns.)")
      .def_property_readonly(
          "head_rotation",
          [](const Estimate& own) -> std::optional<py::tuple> {
            if (!own.head_deviation) return std::nullopt;
            const auto head = static_cast<std::size_t>(own.skeleton->find("head"));
            const Quaternion q = body::joint_rotations(*own.skeleton, own.pose)[head];
            return py::make_tuple(q.w, q.x, q.y, q.z);
          },
          "Of the head in the camera's frame, a quaternion w, x, y, z; None as head_deviation.")
      .def_property_readonly(
          "position",
          [](const Estimate& own) {
            const Vec3& p = own.pose.position;
            return py::make_tuple(p.x, p.y, p.z);
          },
          "Of the pelvis.")
      .def_property_readonly(
          "rotation",
          [](const Estimate& own) {
            const Quaternion& q = own.pose.rotation;
            return py::make_tuple(q.w, q.x, q.y, q.z);
          },
          "Of the pelvis: a quaternion w, x, y, z.")
      .def_readonly("log_likelihood", &Estimate::log_likelihood,
                    "Of the likeliest particle: the sum of eq. 3 over all points, without its constant.")
      .def_readonly("effective_sample_size", &Estimate::effective_sample_size,
                    "Of the particles: how many equally weighted ones say as much.")
      .def_property_readonly(
          "skeleton", [](const Estimate& own) { return own.skeleton ? *own.skeleton : body::Skeleton(); },
          "The person that the pose belongs to, as fitted so far.")
      .def_readonly("faces", &Estimate::faces, "FaceObservations that were given with the frame.")
      .def_property_readonly(
          "times", [](const Estimate& own) { return milliseconds(own.times); },
          "Where the time went: milliseconds by stage.")
      .def("__repr__", &text_of);
  pickles(estimate);
}

}  // namespace kinema::python
