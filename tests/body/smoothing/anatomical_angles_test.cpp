// Joint angles by the ISB's conventions, of poses composed by hand.
#include "kinema/anatomical_angles.h"

#include "body/constants.h"
#include "body/particles/mean_state.h"
#include "body/skeleton/joint_axes.h"
#include "body/smoothing/anatomical_joints.h"
#include "kinema/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <string>

namespace kinema::body {
namespace {

constexpr double degree = std::numbers::pi / 180;
constexpr Vec3 x_axis{1, 0, 0}, y_axis{0, 1, 0}, z_axis{0, 0, 1};

// A pose is made in degrees and read in degrees.
class AnatomicalAngles : public ::testing::Test {
protected:
  void bend(const std::string& joint, std::initializer_list<double> degrees) {
    std::size_t at = 0;
    for (const Joint& one : skeleton.joints) {
      if (one.name == joint) break;
      at += one.freedoms.size();
    }
    for (double angle : degrees) pose.angles.at(at++) = angle * degree;
  }

  // Turns a joint by a rotation given in the axes of the skeleton.
  void turn(const std::string& name, const Quaternion& rotation) {
    const FlatSkeleton flat(skeleton);
    const FlatJoint& joint = flat.view().joints[skeleton.find(name)];
    double angles[3] = {};
    joint_angles(joint, rotation, angles);
    bend(name, {angles[0] / degree, angles[1] / degree, angles[2] / degree});
  }

  std::map<std::string, double> measured() const {
    std::map<std::string, double> values;
    for (const AnatomicalAngle& angle : anatomical_angles(skeleton, pose)) {
      values[std::string(angle.name)] = angle.value / degree;
    }
    return values;
  }

  std::map<std::string, double> from_joints() const {
    const std::vector<Vec3> places = joint_positions(skeleton, pose);
    std::array<std::optional<Vec3>, common_joints.size()> joints;
    for (std::size_t i = 0; i < joints.size(); ++i) {
      joints[i] = places[static_cast<std::size_t>(skeleton.find(common_joints[i]))];
    }
    std::map<std::string, double> values;
    const auto angles = flexions(joints);
    for (std::size_t i = 0; i < angles.size(); ++i) values[std::string(flexion_names[i])] = *angles[i] / degree;
    return values;
  }

  const Skeleton skeleton = default_human();
  Pose pose = rest_pose(skeleton);
};

// Poses are composed in double precision; only rounding is left.
constexpr double exact = 1e-6;

// Joints are placed in single precision: 1e-6 m over the length of a bone, doubled where bones are nearly in line.
constexpr double placed = 0.05;

TEST_F(AnatomicalAngles, AreZeroInTheRestPoseButForArmsHeldOut) {
  const auto angles = measured();
  // both sides: three of the hip, one of the knee, three each of ankle and shoulder, one of the elbow
  EXPECT_EQ(angles.size(), 22u);
  for (const auto& [name, value] : angles) {
    EXPECT_NEAR(value, name.ends_with("shoulder_elevation") ? 90 : 0, exact) << name;
  }
}

TEST_F(AnatomicalAngles, HaveTheSameSignsOnBothSides) {
  for (const std::string side : {"left_", "right_"}) {
    pose = rest_pose(skeleton);
    bend(side + "hip", {-40, 0, 0});  // the skeleton's first freedom turns the leg back
    EXPECT_NEAR(measured()[side + "hip_flexion"], 40, exact);
    EXPECT_NEAR(measured()[side + "hip_adduction"], 0, exact);
    bend(side + "hip", {0, 25, 0});  // outwards
    EXPECT_NEAR(measured()[side + "hip_adduction"], -25, exact);
    EXPECT_NEAR(measured()[side + "hip_flexion"], 0, exact);
    bend(side + "hip", {0, 0, 20});  // toes outwards
    EXPECT_NEAR(measured()[side + "hip_rotation"], -20, exact);
    bend(side + "knee", {60});
    EXPECT_NEAR(measured()[side + "knee_flexion"], 60, exact);
    bend(side + "ankle", {-15, 0});  // toes up
    EXPECT_NEAR(measured()[side + "ankle_dorsiflexion"], 15, exact);
    bend(side + "ankle", {0, -12});  // sole inwards
    EXPECT_NEAR(measured()[side + "ankle_inversion"], 12, exact);
    bend(side + "elbow", {70});
    EXPECT_NEAR(measured()[side + "elbow_flexion"], 70, exact);
  }
}

TEST_F(AnatomicalAngles, OfAShoulderArePlaneElevationAndRotation) {
  for (const std::string side : {"left_", "right_"}) {
    pose = rest_pose(skeleton);
    bend(side + "shoulder", {0, -60, 0});  // lowered to the side
    EXPECT_NEAR(measured()[side + "shoulder_elevation"], 30, exact);
    EXPECT_NEAR(measured()[side + "shoulder_plane"], 0, exact);
    bend(side + "shoulder", {90, 0, 0});  // stretched to the front: a flexion
    EXPECT_NEAR(measured()[side + "shoulder_elevation"], 90, exact);
    EXPECT_NEAR(measured()[side + "shoulder_plane"], 90, exact);
    EXPECT_NEAR(measured()[side + "shoulder_rotation"], 0, exact);
    // about the upper arm, from a bent forearm that points ahead to one that points down: inwards
    bend(side + "shoulder", {0, 0, 30});
    EXPECT_NEAR(measured()[side + "shoulder_rotation"], 30, exact);
    EXPECT_NEAR(measured()[side + "shoulder_elevation"], 90, exact);
    // shrugged: the humerus against the thorax, not against the collarbone
    bend(side + "shoulder", {0, 0, 0});
    bend(side + "clavicle", {0, 20});
    EXPECT_NEAR(measured()[side + "shoulder_elevation"], 110, exact);
  }
}

TEST_F(AnatomicalAngles, UndoTheSequenceOfTheHip) {
  for (const double mirror : {1.0, -1.0}) {
    const std::string side = mirror > 0 ? "right_" : "left_";
    const double flexion = 35, adduction = -20, rotation = 15;
    // about the axis to the right, then forwards, then up, each moved along with the leg
    turn(side + "hip", exponential(-flexion * degree * x_axis) * exponential(mirror * adduction * degree * z_axis) *
                           exponential(mirror * rotation * degree * y_axis));
    EXPECT_NEAR(measured()[side + "hip_flexion"], flexion, exact);
    EXPECT_NEAR(measured()[side + "hip_adduction"], adduction, exact);
    EXPECT_NEAR(measured()[side + "hip_rotation"], rotation, exact);
  }
}

TEST_F(AnatomicalAngles, UndoTheSequenceOfTheShoulder) {
  for (const double mirror : {1.0, -1.0}) {
    const std::string side = mirror > 0 ? "right_" : "left_";
    const auto humerus = [&](double plane, double elevation, double rotation) {
      return exponential(mirror * plane * degree * y_axis) * exponential(-mirror * elevation * degree * z_axis) *
             exponential(mirror * rotation * degree * y_axis);
    };
    turn(side + "shoulder", humerus(40, 65, 20) * conjugate(humerus(0, 90, 0)));
    EXPECT_NEAR(measured()[side + "shoulder_plane"], 40, exact);
    EXPECT_NEAR(measured()[side + "shoulder_elevation"], 65, exact);
    EXPECT_NEAR(measured()[side + "shoulder_rotation"], 20, exact);
  }
}

TEST_F(AnatomicalAngles, DoNotDependOnWhereThePersonStands) {
  bend("left_hip", {-30, 10, 5});
  bend("left_knee", {50});
  const auto here = measured();
  pose.position = {1, -2, 5};
  pose.rotation = exponential(Vec3{0.3, -2, 1});
  EXPECT_EQ(measured(), here);
}

TEST_F(AnatomicalAngles, OfJointCentresAloneAreThoseOfThePose) {
  bend("left_hip", {-50, 10, 20});
  bend("left_knee", {80});
  bend("left_shoulder", {30, -40, 0});
  bend("left_elbow", {95});
  bend("right_hip", {25, 0, 0});
  bend("right_knee", {10});
  bend("right_shoulder", {0, -85, 0});
  bend("right_elbow", {20});
  pose.rotation = exponential(Vec3{0.2, 1, 0.1}) * pose.rotation;
  const auto expected = measured();
  for (const auto& [name, value] : from_joints()) EXPECT_NEAR(value, expected.at(name), placed) << name;
}

TEST_F(AnatomicalAngles, OfMissingJointsAreMissing) {
  std::array<std::optional<Vec3>, common_joints.size()> joints;
  for (const auto& angle : flexions(joints)) EXPECT_FALSE(angle);
  const auto place = [&](std::string_view name, Vec3 at) {
    joints[static_cast<std::size_t>(std::find(common_joints.begin(), common_joints.end(), name) -
                                    common_joints.begin())] = at;
  };
  place("left_hip", {0, 0, 2});
  place("left_knee", {0, 0.4, 2});
  place("left_ankle", {0, 0.4, 2.4});  // the shin points away from the camera
  const auto angles = flexions(joints);
  for (std::size_t i = 0; i < angles.size(); ++i) {
    EXPECT_EQ(angles[i].has_value(), flexion_names[i] == "left_knee_flexion") << flexion_names[i];
  }
  EXPECT_NEAR(*angles[3], 90 * degree, 1e-12);
  place("left_ankle", {0, 0.4, 2});  // nowhere
  EXPECT_FALSE(flexions(joints)[3]);
}

TEST_F(AnatomicalAngles, RefuseAPoseOfAnotherSkeleton) {
  pose.angles.pop_back();
  EXPECT_THROW(anatomical_angles(skeleton, pose), Error);
}

TEST_F(AnatomicalAngles, OfASkeletonWithOneArmAreThoseOfThatArm) {
  Skeleton arm;
  arm.joints = {{"pelvis", -1, {0, 0, 0}, {}},
                {"left_shoulder", 0, {0.18, 0.4, 0}, {{{0, -1, 0}, -0.9, 2.4, 4}, {{0, 0, 1}, -1.7, 1.7, 4}}},
                {"left_elbow", 1, {0.28, 0, 0}, {{{0, -1, 0}, 0, 2.6, 5}}}};
  arm.capsules = {{"trunk", 0, {0, 0, 0}, {0, 0.4, 0}, 0.1}};
  const std::vector<AnatomicalAngle> angles = anatomical_angles(arm, {{}, {1, 0, 0, 0}, {0, -0.5, 1}});
  ASSERT_EQ(angles.size(), 3u);  // without a wrist the forearm has no direction
  EXPECT_NEAR(angles[1].value, std::numbers::pi / 2 - 0.5, 1e-9);
}

TEST_F(AnatomicalAngles, DeviateAsThePoseDoes) {
  const AnatomicalJoints joints(skeleton);
  bend("left_shoulder", {0, -89.999, 0});
  const auto size = static_cast<Eigen::Index>(root_tangent + pose.angles.size());
  const double deviation = 3 * degree;
  const Eigen::MatrixXd covariance = deviation * deviation * Eigen::MatrixXd::Identity(size, size);
  std::map<std::string, double> values;
  for (const AnatomicalAngle& angle : joints.angles(pose.angles, covariance, {})) {
    values[std::string(angle.name)] = angle.deviation / degree;
  }
  // the rest is what flesh adds: of a knee the radii of thigh and shin, some centimetres, over bones of 40 cm
  EXPECT_GT(values.at("right_knee_flexion"), 3);
  EXPECT_LT(values.at("right_knee_flexion"), 4.5);
  EXPECT_GT(values.at("right_hip_flexion"), 3);
  // an arm that hangs has no plane of elevation
  EXPECT_NEAR(values.at("left_shoulder_plane"), 180 / std::numbers::sqrt3, 1e-6);
  EXPECT_LT(values.at("right_shoulder_plane"), 10);
}

}  // namespace
}  // namespace kinema::body
