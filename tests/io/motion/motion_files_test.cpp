// Motion files at their limits; tests/app/motion_files_test.py reads whole runs back with other programs.
#include "io/motion/motion_files.h"
#include "core/geometry.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <bit>
#include <cmath>
#include <map>

namespace kinema::io {
namespace {

TrackedMotion standing(const body::Skeleton& skeleton, std::size_t frames) {
  TrackedMotion motion;
  const body::Pose pose = body::rest_pose(skeleton);
  const std::vector<Vec3> joints = body::joint_positions(skeleton, pose);
  for (std::size_t i = 0; i < frames; ++i) {
    motion.frames.push_back({static_cast<double>(i) / 30, true, pose, joints, body::anatomical_angles(skeleton, pose)});
  }
  return motion;
}

std::uint32_t word(const std::string& bytes, std::size_t at, int count) {
  std::uint32_t value = 0;
  for (int i = count - 1; i >= 0; --i) {
    value = value << 8 | static_cast<unsigned char>(bytes.at(at + static_cast<std::size_t>(i)));
  }
  return value;
}

nlohmann::json document_of(const std::string& glb) {
  EXPECT_EQ(word(glb, 0, 4), 0x46546C67u);
  EXPECT_EQ(word(glb, 8, 4), glb.size());
  return nlohmann::json::parse(glb.substr(20, word(glb, 12, 4)));
}

TEST(MotionFiles, ARunWithoutAnyFrameIsAFileToo) {
  const body::Skeleton skeleton = body::default_human();
  TrackedMotion motion;
  EXPECT_EQ(document_of(to_glb(skeleton, motion)).count("animations"), 0u);
  EXPECT_EQ(to_c3d(skeleton, motion).size() % 512, 0u);
  EXPECT_NE(to_trc(skeleton, motion, "a\tb.trc").find("(X/Y/Z)\ta b.trc\n"), std::string::npos);
  EXPECT_NE(to_mot(skeleton, motion).find("nRows=0\n"), std::string::npos);
  // and one in which nobody was seen
  motion.frames.resize(3);
  EXPECT_EQ(document_of(to_glb(skeleton, motion)).count("animations"), 0u);
  EXPECT_NE(to_mot(skeleton, motion).find("nRows=0\n"), std::string::npos);
}

TEST(MotionFiles, TheAnalogRateOfAC3dFileIsThatOfItsHeader) {
  const body::Skeleton skeleton = body::default_human();
  const std::string bytes = to_c3d(skeleton, standing(skeleton, 2));
  const auto number = [&](std::size_t at) { return std::bit_cast<float>(word(bytes, at, 4)); };
  // after a parameter's name: distance to the next, type, dimensions, value
  const auto parameter = [&](const char* group, const char* name) {
    return bytes.find(name, bytes.find(group)) + std::string(name).size() + 4;
  };
  EXPECT_EQ(word(bytes, 4, 2), 0u) << "analog samples per frame of all channels";
  EXPECT_EQ(word(bytes, parameter("ANALOG", "USED"), 2), 0u);
  const float per_frame = static_cast<float>(word(bytes, 18, 2));
  EXPECT_EQ(number(parameter("ANALOG", "RATE")), per_frame * number(20));
}

TEST(MotionFiles, AC3dFileMayHaveMoreFramesThanItsHeaderCanCount) {
  body::Skeleton skeleton;
  skeleton.joints = {{"pelvis", -1, {0, 0, 0}, {}}};
  skeleton.capsules = {{"trunk", 0, {0, 0, 0}, {0, 0.4, 0}, 0.1}};
  TrackedMotion motion = standing(skeleton, 1);
  motion.frames.resize(70000, motion.frames.front());
  const std::string bytes = to_c3d(skeleton, motion);
  EXPECT_EQ(word(bytes, 8, 2), 65535u);
  const std::size_t at = bytes.find("FRAMES");
  EXPECT_EQ(bytes.at(at + 8), 4);  // a float
  EXPECT_EQ(std::bit_cast<float>(word(bytes, at + 10, 4)), 70000);
  const std::size_t end = bytes.find("ACTUAL_END_FIELD") + 16;
  EXPECT_EQ(word(bytes, end + 5, 4), 70000u);
  EXPECT_GE(bytes.size(), 70000u * 16);
}

TEST(MotionFiles, TheSkinIsClosedAndFacesOutwards) {
  const body::Skeleton skeleton = body::default_human();
  const SkinMesh mesh = capsule_mesh(skeleton);
  ASSERT_EQ(mesh.indices.size() % 3, 0u);
  const std::size_t per_capsule = mesh.positions.size() / skeleton.capsules.size();
  double volume = 0;  // of the first capsule, by the divergence theorem
  for (std::size_t i = 0; i < mesh.indices.size(); i += 3) {
    const Vec3 a = mesh.positions[mesh.indices[i]], b = mesh.positions[mesh.indices[i + 1]],
               c = mesh.positions[mesh.indices[i + 2]];
    const Vec3 normal = cross(b - a, c - a);
    EXPECT_GT(norm(normal), 1e-9);
    EXPECT_GT(dot(normal, mesh.normals[mesh.indices[i]]), 0);
    if (mesh.indices[i] < per_capsule) volume += dot(a, normal) / 6;
  }
  const body::SkinCapsule& capsule = skeleton.capsules.front();
  const double pi = std::acos(-1), r = capsule.radius;
  const double whole = pi * r * r * norm(capsule.b - capsule.a) + 4 * pi / 3 * r * r * r;
  // polygons of twelve sides have 95 % of a circle's area, and the caps are cut off besides
  EXPECT_GT(volume, 0.85 * whole);
  EXPECT_LT(volume, whole);
}

TEST(MotionFiles, CoordinatesHaveTheNamesOfOpenSim) {
  EXPECT_EQ(opensim_coordinate("right_knee_flexion"), "knee_angle_r");
  EXPECT_EQ(opensim_coordinate("left_hip_adduction"), "hip_adduction_l");
  std::map<std::string, int> names;
  for (const std::string_view name : body::anatomical_angle_names) ++names[opensim_coordinate(name)];
  EXPECT_EQ(names.size(), body::anatomical_angle_names.size());
}

}  // namespace
}  // namespace kinema::io
