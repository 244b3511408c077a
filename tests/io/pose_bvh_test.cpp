// Tracked poses as BVH, and the proportions of a person from BVH.
#include "io/pose_bvh.h"
#include "core/geometry.h"
#include "io/bvh_skeleton.h"
#include "io/output_file.h"
#include "kinema/error.h"
#include "scratch_folder.h"

#include <gtest/gtest.h>

#include <random>

namespace kinema::io {
namespace {

TEST(PoseBvh, ForwardKinematicsOfTheFileGivesTheJointsOfThePoses) {
  const body::Skeleton skeleton = body::default_human();
  std::mt19937 random(7);
  std::uniform_real_distribution<double> share(0, 1), any(-1, 1);
  std::vector<body::Pose> poses{body::rest_pose(skeleton)};
  for (int i = 0; i < 40; ++i) {
    body::Pose pose;
    pose.position = {any(random), any(random), 3 + any(random)};
    pose.rotation = normalised(Quaternion{any(random), any(random), any(random), any(random)});
    for (const body::Joint& joint : skeleton.joints) {
      for (const body::Freedom& freedom : joint.freedoms) {
        pose.angles.push_back(freedom.lower + share(random) * (freedom.upper - freedom.lower));
      }
    }
    poses.push_back(pose);
  }

  const ScratchFolder folder;
  OutputFile file(folder / "poses.bvh");
  write_bvh(file, poses_to_bvh(skeleton, poses, 1.0 / 30));
  file.commit();
  const Bvh bvh = read_bvh(folder / "poses.bvh");

  EXPECT_NEAR(bvh.frame_time, 1.0 / 30, 1e-9);
  ASSERT_EQ(bvh.frames, poses.size());
  ASSERT_EQ(bvh.joints.size(), skeleton.joints.size());
  for (std::size_t f = 0; f < poses.size(); ++f) {
    const std::vector<Vec3> expected = body::joint_positions(skeleton, poses[f]);
    const BvhPlaces places = bvh_places(bvh, static_cast<double>(f));
    for (std::size_t b = 0; b < bvh.joints.size(); ++b) {
      // the file lists joints in the order of the tree
      const auto joint = static_cast<std::size_t>(skeleton.find(bvh.joints[b].name));
      const Vec3 y_up{expected[joint].x, -expected[joint].y, -expected[joint].z};
      // 7 digits of degrees and of metres
      EXPECT_LT(norm(places.positions[b] - y_up), 1e-5) << f << " " << bvh.joints[b].name;
    }
  }
}

TEST(PoseBvh, ATurnOfAQuarterAboutYLosesNothing) {
  body::Skeleton skeleton = body::default_human();
  const double half = std::sqrt(0.5);
  body::Pose pose = body::rest_pose(skeleton);
  pose.rotation = Quaternion{0, 1, 0, 0} * Quaternion{half, 0, half, 0} * Quaternion{half, half, 0, 0};
  const std::vector<body::Pose> poses{pose};
  const BvhPlaces places = bvh_places(poses_to_bvh(skeleton, poses, 0.1), 0);
  const std::vector<Vec3> expected = body::joint_positions(skeleton, pose);
  for (std::size_t j = 0; j < expected.size(); ++j) {
    EXPECT_LT(norm(places.positions[j] - Vec3{expected[j].x, -expected[j].y, -expected[j].z}), 1e-5);
  }
}

TEST(PoseBvh, RefusesPosesOfAnotherSkeleton) {
  const std::vector<body::Pose> poses(1);
  EXPECT_THROW(poses_to_bvh(body::default_human(), poses, 0.1), Error);
}

Vec3 joint_of(const body::Skeleton& skeleton, const std::vector<Vec3>& positions, const char* name) {
  return positions[static_cast<std::size_t>(skeleton.find(name))];
}

TEST(BvhSkeleton, HasTheLengthsOfThePersonInTheFile) {
  const Bvh bvh = read_bvh(KINEMA_SAMPLES "/walk.bvh");
  const double unit = guess_metres_per_unit(bvh);
  const body::Skeleton skeleton = bvh_skeleton(bvh, unit);
  const std::vector<Vec3> own = body::joint_positions(skeleton, body::rest_pose(skeleton));
  const auto joints = bvh_common_joints(bvh);
  const BvhPlaces rest = bvh_rest(bvh);
  const auto file_joint = [&](std::string_view name) {
    const auto at =
        std::find(body::common_joints.begin(), body::common_joints.end(), name) - body::common_joints.begin();
    return unit * rest.positions[static_cast<std::size_t>(joints[static_cast<std::size_t>(at)])];
  };
  for (const auto& [from, to] : {std::pair{"left_hip", "left_knee"},
                                 {"right_knee", "right_ankle"},
                                 {"left_shoulder", "left_elbow"},
                                 {"right_elbow", "right_wrist"},
                                 {"left_hip", "right_hip"},
                                 {"left_shoulder", "right_shoulder"},
                                 {"pelvis", "neck"},
                                 {"neck", "head"}}) {
    // the camera frame of a pose is in floats
    EXPECT_NEAR(norm(joint_of(skeleton, own, from) - joint_of(skeleton, own, to)),
                norm(file_joint(from) - file_joint(to)), 1e-5)
        << from << " " << to;
  }
}

TEST(BvhSkeleton, TakesLengthsAloneWhereTheRestPoseIsNoPerson) {
  Bvh bvh = read_bvh(KINEMA_SAMPLES "/walk.bvh");
  ASSERT_TRUE(bvh_rest_is_upright(bvh));
  // every bone along x, and a root that lies down: lengths are the same, directions say nothing
  for (BvhJoint& joint : bvh.joints) joint.offset = {norm(joint.offset), 0, 0};
  ASSERT_FALSE(bvh_rest_is_upright(bvh));
  const body::Skeleton skeleton = bvh_skeleton(bvh, 0.0254 / 0.45);
  const body::Joint& knee = skeleton.joints[static_cast<std::size_t>(skeleton.find("left_knee"))];
  EXPECT_LT(knee.offset.y, -0.3);
  EXPECT_NEAR(knee.offset.x, 0, 1e-12);
}

TEST(BvhSkeleton, HangsShouldersAndHipsAsTheClipDoesWhereTheRestPoseIsNoPerson) {
  Bvh bvh = read_bvh(KINEMA_SAMPLES "/walk.bvh");
  const double unit = guess_metres_per_unit(bvh);
  // the same person lies on its back, through the whole clip, with low shoulders
  std::fill(bvh.values.begin(), bvh.values.end(), 0.0);
  const auto joints = bvh_common_joints(bvh);
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const bool shoulder = body::common_joints[i].ends_with("_shoulder");
    if (shoulder) bvh.joints[static_cast<std::size_t>(joints[i])].offset.y -= 0.05 / unit;
  }
  const body::Skeleton upright = bvh_skeleton(bvh, unit);
  for (BvhJoint& joint : bvh.joints) joint.offset = {joint.offset.x, -joint.offset.z, joint.offset.y};
  ASSERT_FALSE(bvh_rest_is_upright(bvh));
  const body::Skeleton lying = bvh_skeleton(bvh, unit);
  for (const char* name : {"left_shoulder", "right_shoulder", "left_hip", "right_hip"}) {
    const auto at = static_cast<std::size_t>(upright.find(name));
    // metres: the trunk of the file leans by a few degrees, and both sides are taken alike
    EXPECT_LT(norm(lying.joints[at].offset - upright.joints[at].offset), 0.015) << name;
  }
}

TEST(BvhSkeleton, RefusesAFileWithoutAKnee) {
  Bvh bvh = read_bvh(KINEMA_SAMPLES "/walk.bvh");
  for (BvhJoint& joint : bvh.joints) {
    if (joint.name == "LeftLeg") joint.name = "something";
  }
  EXPECT_THROW(bvh_skeleton(bvh, 0.056), Error);
}

}  // namespace
}  // namespace kinema::io
