// A skeleton on the device, with the tree relations that kernels use, and the data of a filter that stay there from
// frame to frame.
#pragma once

#include "body/skeleton/joint_axes.h"
#include "core/cuda/buffer.h"

#include <cstdint>

namespace kinema::body {

inline constexpr int most_state = root_floats + static_cast<int>(max_angles);
inline constexpr int most_tangent = root_tangent + static_cast<int>(max_angles);
inline constexpr int warp_size = 32;
inline constexpr unsigned whole_warp = 0xffffffffu;

/// A skeleton as kernels read it. A joint is one bit of 64.
struct SkeletonView {
  Kinematics kinematics;
  const double* speed;         // (tangent): deviation over a second
  const int* joint_of;         // (tangent): the joint that a number turns; 0 for position and rotation
  const std::uint64_t* above;  // (joints): one bit per ancestor, itself excluded
  const std::uint8_t* moves;   // (blocks, tangent), see limb_blocks()
  static_assert(max_joints <= 64, "a joint is a bit of a word");
};

class SkeletonCuda {
public:
  SkeletonCuda(const Skeleton& skeleton, cudaStream_t stream);

  SkeletonView view() const;
  int joints() const { return joint_count_; }
  int capsules() const { return capsule_count_; }
  int state() const { return root_floats + angle_count_; }
  int tangent() const { return root_tangent + angle_count_; }

private:
  int joint_count_ = 0, capsule_count_ = 0, angle_count_ = 0;
  cuda::Buffer<FlatJoint> joints_;
  cuda::Buffer<FlatCapsule> capsules_;
  cuda::Buffer<float> lower_, upper_;
  cuda::Buffer<double> speed_;
  cuda::Buffer<int> joint_of_;
  cuda::Buffer<std::uint64_t> above_;
  cuda::Buffer<std::uint8_t> moves_;
};

/// The result of a frame, downloaded in one copy.
struct FrameResult {
  float state[most_state];  // the mean, from which predict() continues
  double joint_variance[max_joints];
  double log_likelihood, effective_sample_size, exponent;
  unsigned long long bad;  // index of an invalid capsule, ~0: all are valid
};

/// What stays on the device from frame to frame besides the particles.
struct FilterMemory {
  FrameResult result;
  float velocity[most_tangent];
  int peak;  // index of the best refined pose, -1: none was refined
};

#ifdef __CUDACC__
/// Places of all joints by the lanes of a warp, in shared memory: level by level down the tree, each place by the same
/// products as in place_joints().
__device__ inline void place_joints_by_warp(const Kinematics& kinematics, const float* state, Place* places) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int count = kinematics.joint_count;
  const std::uint64_t all = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  Quaternionf own[2] = {};
  int parent[2] = {0, 0};
  for (int slot = 0; slot < 2; ++slot) {
    const int j = lane + slot * warp_size;
    if (j == 0 || j >= count) continue;
    const FlatJoint& joint = kinematics.joints[j];
    own[slot] = joint_rotation(joint, state + root_floats + joint.first_angle);
    parent[slot] = joint.parent;
  }
  if (lane == 0) places[0] = {{state[3], state[4], state[5], state[6]}, {state[0], state[1], state[2]}};
  __syncwarp();
  std::uint64_t placed = 1;
  while (placed != all) {
    const std::uint64_t before = placed;
    for (int slot = 0; slot < 2; ++slot) {
      const int j = lane + slot * warp_size;
      const bool turn = j < count && (before >> j & 1) == 0 && (before >> parent[slot] & 1) != 0;
      if (turn) places[j] = place_joint(kinematics.joints[j], places[parent[slot]], own[slot]);
      placed |= std::uint64_t{__ballot_sync(whole_warp, turn)} << (slot * warp_size);
    }
    __syncwarp();
  }
}
#endif

}  // namespace kinema::body
