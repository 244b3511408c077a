// Tracked poses as BVH.
#include "core/geometry.h"
#include "io/files/output_file.h"
#include "io/motion/motion_files.h"
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

}  // namespace
}  // namespace kinema::io
