// The default skeleton: an average adult with joints at anatomical centres. See docs/skeleton.md for a drawing and for
// the source of each number.
//
// Lengths are shares of the stature. Heights, breadths and girths are the mean of men and women in the ANSUR II survey
// (4,082 men and 1,986 women, 2012); where a joint lies below the skin, it is placed by the landmark above it: hips at
// the greater trochanters, knees at the lateral epicondyles, ankles at the malleoli, shoulders 2.4 % of the stature
// below the acromia, elbows 0.8 % above the radial heads, the neck at the seventh cervical vertebra, and the head, at
// the base of the skull, 0.4 % below the tragia, all within 0.6 %. Limits are rounded.
#include "body/skeleton/shape_space.h"
#include "kinema/error.h"
#include "kinema/skeleton.h"

#include <cmath>

namespace kinema::body {
namespace {

constexpr Vec3 x_axis{1, 0, 0}, y_axis{0, 1, 0}, z_axis{0, 0, 1};
constexpr Vec3 negative(Vec3 v) { return {-v.x, -v.y, -v.z}; }

// The mean of men and women in the survey, metres.
constexpr double survey_stature = 1.69;

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
        joint(side + "_clavicle", spine, at(0.013, 0.107, 0.047), {{forward, -0.35, 0.45, 0.8}, {up, -0.2, 0.55, 0.8}});
    const int shoulder = joint(side + "_shoulder", clavicle, at(0.092, -0.013, -0.02),
                               {{forward, -0.9, 2.4, 4}, {up, -1.75, 1.7, 4}, {x_axis, -1.7, 1.7, 5}});
    const int elbow = joint(side + "_elbow", shoulder, at(0.159, 0, 0), {{forward, 0, 2.6, 5}});
    const int wrist = joint(side + "_wrist", elbow, at(0.152, 0, 0), {{forward, -0.9, 0.9, 3}, {up, -1.2, 1.2, 3}});
    capsule(side + "_trapezius", clavicle, at(0.02, 0.022, -0.03), at(0.075, 0.006, -0.025), 0.03);
    capsule(side + "_upper_arm", shoulder, at(0, 0, 0), at(0.085, 0, 0), 0.031);
    capsule(side + "_upper_arm_low", shoulder, at(0.08, 0, 0), at(0.159, 0, 0), 0.026);
    capsule(side + "_forearm", elbow, at(0, 0, 0), at(0.065, 0, 0), 0.0255);
    capsule(side + "_forearm_low", elbow, at(0.06, 0, 0), at(0.152, 0, 0), 0.0195);
    capsule(side + "_palm", wrist, at(0.012, 0, 0), at(0.045, 0, 0), 0.022);
    capsule(side + "_fingers", wrist, at(0.05, 0, 0), at(0.088, 0, 0), 0.015);
  }

  void leg(const std::string& side, double s, int pelvis) {
    const auto at = [s](double x, double y, double z) { return Vec3{s * x, y, z}; };
    const Vec3 outwards = s > 0 ? z_axis : negative(z_axis);  // turns a hanging leg to its own side
    const Vec3 twist = s > 0 ? y_axis : negative(y_axis);     // turns the toes outwards
    const int hip = joint(side + "_hip", pelvis, at(0.054, 0, 0),
                          {{x_axis, -2.3, 0.8, 3}, {outwards, -0.6, 1.3, 2}, {twist, -0.8, 1.0, 2}});
    const int knee = joint(side + "_knee", hip, at(0, -0.242, 0), {{x_axis, 0, 2.6, 4}});
    const int ankle =
        joint(side + "_ankle", knee, at(0, -0.238, 0), {{x_axis, -0.7, 0.9, 2.5}, {outwards, -0.5, 0.5, 1.5}});
    const int toe = joint(side + "_toe", ankle, at(0, -0.026, 0.072), {{x_axis, -0.8, 0.5, 2}});
    capsule(side + "_thigh", hip, at(0, -0.02, 0), at(0, -0.125, 0), 0.052);
    capsule(side + "_thigh_low", hip, at(0, -0.12, 0), at(0, -0.235, 0), 0.041);
    capsule(side + "_shin", knee, at(0, -0.008, 0), at(0, -0.12, -0.007), 0.036);
    capsule(side + "_shin_low", knee, at(0, -0.115, -0.006), at(0, -0.232, 0), 0.027);
    capsule(side + "_foot", ankle, at(0, -0.02, -0.018), at(0, -0.021, 0.058), 0.021);
    capsule(side + "_toes", toe, at(0, 0.003, 0), at(0, 0.003, 0.026), 0.017);
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
  const int lower_back = draw.joint("lower_back", pelvis, {0, 0.055, -0.012},
                                    {{x_axis, -0.5, 1.0, 1.2}, {z_axis, -0.5, 0.5, 1.0}, {y_axis, -0.6, 0.6, 1.0}});
  const int spine = draw.joint("spine", lower_back, {0, 0.125, -0.01},
                               {{x_axis, -0.4, 0.8, 1.2}, {z_axis, -0.4, 0.4, 1.0}, {y_axis, -0.6, 0.6, 1.0}});
  const int neck = draw.joint("neck", spine, {0, 0.16, 0.022}, {{x_axis, -0.6, 0.8, 1.2}, {z_axis, -0.5, 0.5, 1.0}});
  const int head = draw.joint("head", neck, {0, 0.058, 0.018}, {{x_axis, -0.7, 0.7, 1.5}, {y_axis, -1.3, 1.3, 2.5}});
  draw.capsule("pelvis", pelvis, {-0.04, 0.03, 0.0}, {0.04, 0.03, 0.0}, 0.066);
  draw.capsule("left_pelvis", pelvis, {0.046, 0.025, 0.002}, {0.048, -0.015, 0.004}, 0.054);
  draw.capsule("right_pelvis", pelvis, {-0.046, 0.025, 0.002}, {-0.048, -0.015, 0.004}, 0.054);
  draw.capsule("buttocks", pelvis, {-0.04, -0.012, -0.022}, {0.04, -0.012, -0.022}, 0.05);
  draw.capsule("belly", lower_back, {0, 0.01, 0.016}, {0, 0.11, 0.016}, 0.064);
  draw.capsule("left_waist", lower_back, {0.034, 0.01, 0.012}, {0.032, 0.11, 0.012}, 0.058);
  draw.capsule("right_waist", lower_back, {-0.034, 0.01, 0.012}, {-0.032, 0.11, 0.012}, 0.058);
  draw.capsule("chest", spine, {0, 0, 0.027}, {0, 0.075, 0.027}, 0.07);
  draw.capsule("left_chest", spine, {0.034, 0, 0.025}, {0.036, 0.065, 0.025}, 0.062);
  draw.capsule("right_chest", spine, {-0.034, 0, 0.025}, {-0.036, 0.065, 0.025}, 0.062);
  draw.capsule("shoulders", spine, {-0.06, 0.095, 0.02}, {0.06, 0.095, 0.02}, 0.05);
  draw.capsule("neck", neck, {0, -0.005, 0.002}, {0, 0.05, 0.014}, 0.035);
  draw.capsule("skull", head, {0, 0.034, -0.006}, {0, 0.034, 0.022}, 0.046);
  draw.capsule("face", head, {0, 0.012, 0.032}, {0, -0.008, 0.036}, 0.033);
  draw.arm("left", 1, spine);
  draw.arm("right", -1, spine);
  draw.leg("left", 1, pelvis);
  draw.leg("right", -1, pelvis);
  const Skeleton average = scaled(draw.skeleton, survey_stature / stature(draw.skeleton));
  Skeleton skeleton = resized(average, height / survey_stature);
  skeleton = scaled(skeleton, height / stature(skeleton));
  check(skeleton);
  return skeleton;
}

}  // namespace kinema::body
