// The default skeleton. Bone lengths are the mean of fourteen people of the CMU motion capture database; limits and
// radii are those of a slim adult, rounded.
#include "kinema/error.h"
#include "kinema/skeleton.h"

#include <cmath>

namespace kinema::body {
namespace {

constexpr Vec3 x_axis{1, 0, 0}, y_axis{0, 1, 0}, z_axis{0, 0, 1};
constexpr Vec3 negative(Vec3 v) { return {-v.x, -v.y, -v.z}; }

// Height of the skeleton below from sole to crown, metres.
constexpr double drawn_height = 1.59;

class Drawing {
public:
  int joint(const std::string& name, int parent, Vec3 offset, std::vector<Freedom> freedoms) {
    skeleton.joints.push_back({name, parent, offset, std::move(freedoms)});
    return static_cast<int>(skeleton.joints.size()) - 1;
  }
  void capsule(const std::string& name, int joint, Vec3 a, Vec3 b, double radius) {
    skeleton.capsules.push_back({name, joint, a, b, radius});
  }

  // x points to the person's left, so the right side mirrors it; rotations about y and z change sign with it.
  void arm(const std::string& side, double s, int spine) {
    const auto at = [s](double x, double y, double z) { return Vec3{s * x, y, z}; };
    const Vec3 forward = s > 0 ? negative(y_axis) : y_axis;  // turns an arm that points outwards to the front
    const Vec3 up = s > 0 ? z_axis : negative(z_axis);       // and upwards
    const int clavicle =
        joint(side + "_clavicle", spine, at(0, 0.112, 0.002), {{forward, -0.35, 0.45, 0.8}, {up, -0.2, 0.55, 0.8}});
    const int shoulder = joint(side + "_shoulder", clavicle, at(0.185, 0.066, 0),
                               {{forward, -0.9, 2.4, 4}, {up, -1.75, 1.7, 4}, {x_axis, -1.7, 1.7, 5}});
    const int elbow = joint(side + "_elbow", shoulder, at(0.281, 0, 0), {{forward, 0, 2.6, 5}});
    const int wrist = joint(side + "_wrist", elbow, at(0.188, 0, 0), {{forward, -0.9, 0.9, 3}, {up, -1.2, 1.2, 3}});
    capsule(side + "_trapezius", clavicle, at(0.05, 0.04, -0.01), at(0.16, 0.055, -0.005), 0.055);
    capsule(side + "_upper_arm", shoulder, at(0, 0, 0), at(0.15, 0, 0), 0.05);
    capsule(side + "_upper_arm_low", shoulder, at(0.14, 0, 0), at(0.281, 0, 0), 0.042);
    capsule(side + "_forearm", elbow, at(0, 0, 0), at(0.1, 0, 0), 0.041);
    capsule(side + "_forearm_low", elbow, at(0.09, 0, 0), at(0.188, 0, 0), 0.032);
    capsule(side + "_palm", wrist, at(0.02, 0, 0), at(0.07, 0, 0), 0.036);
    capsule(side + "_fingers", wrist, at(0.08, 0, 0), at(0.13, 0, 0), 0.025);
  }

  void leg(const std::string& side, double s, int pelvis) {
    const auto at = [s](double x, double y, double z) { return Vec3{s * x, y, z}; };
    const Vec3 outwards = s > 0 ? z_axis : negative(z_axis);  // turns a hanging leg to its own side
    const Vec3 twist = s > 0 ? y_axis : negative(y_axis);     // turns the toes outwards
    const int hip = joint(side + "_hip", pelvis, at(0.112, -0.098, 0.051),
                          {{x_axis, -2.3, 0.8, 3}, {outwards, -0.6, 1.3, 2}, {twist, -0.8, 1.0, 2}});
    const int knee = joint(side + "_knee", hip, at(0, -0.394, 0), {{x_axis, 0, 2.6, 4}});
    const int ankle =
        joint(side + "_ankle", knee, at(0, -0.42, 0), {{x_axis, -0.7, 0.9, 2.5}, {outwards, -0.5, 0.5, 1.5}});
    const int toe = joint(side + "_toe", ankle, at(0, -0.028, 0.112), {{x_axis, -0.8, 0.5, 2}});
    capsule(side + "_thigh", hip, at(0, -0.03, 0), at(0, -0.21, 0), 0.078);
    capsule(side + "_thigh_low", hip, at(0, -0.2, 0), at(0, -0.385, 0), 0.06);
    capsule(side + "_shin", knee, at(0, -0.01, 0), at(0, -0.2, -0.012), 0.053);
    capsule(side + "_shin_low", knee, at(0, -0.19, -0.01), at(0, -0.41, 0), 0.041);
    capsule(side + "_foot", ankle, at(0, -0.04, -0.03), at(0, -0.044, 0.09), 0.034);
    capsule(side + "_toes", toe, at(0, -0.014, 0), at(0, -0.014, 0.05), 0.028);
  }

  Skeleton skeleton;
};

}  // namespace

Skeleton default_human(double height) {
  if (!std::isfinite(height) || height < 0.3 || height > 3) {
    throw Error("a person's height is given in metres, between 0.3 and 3");
  }
  Drawing draw;
  draw.skeleton.name = "human";
  const int pelvis = draw.joint("pelvis", -1, {0, 0, 0}, {});
  const int lower_back = draw.joint("lower_back", pelvis, {0, 0, 0},
                                    {{x_axis, -0.5, 1.0, 1.2}, {z_axis, -0.5, 0.5, 1.0}, {y_axis, -0.6, 0.6, 1.0}});
  const int spine = draw.joint("spine", lower_back, {0, 0.113, -0.007},
                               {{x_axis, -0.4, 0.8, 1.2}, {z_axis, -0.4, 0.4, 1.0}, {y_axis, -0.6, 0.6, 1.0}});
  const int neck = draw.joint("neck", spine, {0, 0.112, 0.002}, {{x_axis, -0.6, 0.8, 1.2}, {z_axis, -0.5, 0.5, 1.0}});
  const int head = draw.joint("head", neck, {0, 0.188, -0.01}, {{x_axis, -0.7, 0.7, 1.5}, {y_axis, -1.3, 1.3, 2.5}});
  draw.capsule("pelvis", pelvis, {-0.055, -0.005, 0.01}, {0.055, -0.005, 0.01}, 0.11);
  draw.capsule("left_pelvis", pelvis, {0.085, -0.03, 0.025}, {0.085, -0.1, 0.03}, 0.09);
  draw.capsule("right_pelvis", pelvis, {-0.085, -0.03, 0.025}, {-0.085, -0.1, 0.03}, 0.09);
  draw.capsule("buttocks", pelvis, {-0.07, -0.07, -0.03}, {0.07, -0.07, -0.03}, 0.085);
  draw.capsule("belly", lower_back, {0, 0.01, 0.02}, {0, 0.11, 0.025}, 0.105);
  draw.capsule("left_waist", lower_back, {0.06, 0.01, 0.01}, {0.06, 0.11, 0.01}, 0.1);
  draw.capsule("right_waist", lower_back, {-0.06, 0.01, 0.01}, {-0.06, 0.11, 0.01}, 0.1);
  draw.capsule("chest", spine, {0, 0, 0.02}, {0, 0.11, 0.01}, 0.11);
  draw.capsule("left_chest", spine, {0.07, 0, 0.01}, {0.075, 0.1, 0.005}, 0.105);
  draw.capsule("right_chest", spine, {-0.07, 0, 0.01}, {-0.075, 0.1, 0.005}, 0.105);
  draw.capsule("shoulders", spine, {-0.1, 0.14, -0.01}, {0.1, 0.14, -0.01}, 0.08);
  draw.capsule("neck", neck, {0, 0, -0.005}, {0, 0.17, -0.005}, 0.055);
  draw.capsule("skull", head, {0, 0.09, -0.01}, {0, 0.09, 0.025}, 0.092);
  draw.capsule("face", head, {0, 0.03, 0.045}, {0, 0.06, 0.05}, 0.06);
  draw.arm("left", 1, spine);
  draw.arm("right", -1, spine);
  draw.leg("left", 1, pelvis);
  draw.leg("right", -1, pelvis);
  Skeleton skeleton = scaled(draw.skeleton, height / drawn_height);
  check(skeleton);
  return skeleton;
}

}  // namespace kinema::body
