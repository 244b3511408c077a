#include "body/skeleton/skeleton_cuda.cuh"
#include "body/skeleton/tangent.h"

namespace kinema::body {
namespace {

// From memory that is released after the call: the copy is complete on return.
template <class T>
void upload(cuda::Buffer<T>& buffer, const T* data, std::size_t count, cudaStream_t stream) {
  buffer.reserve(count);
  cuda::check(cudaMemcpyAsync(buffer.data(), data, count * sizeof(T), cudaMemcpyHostToDevice, stream),
              "uploading a skeleton");
}

}  // namespace

SkeletonCuda::SkeletonCuda(const Skeleton& skeleton, cudaStream_t stream) {
  const FlatSkeleton flat(skeleton);
  const Kinematics view = flat.view();
  joint_count_ = view.joint_count;
  capsule_count_ = view.capsule_count;
  angle_count_ = view.angle_count;

  std::vector<int> joint_of(root_tangent, 0);
  std::vector<std::uint64_t> above;
  for (int j = 0; j < joint_count_; ++j) {
    const FlatJoint& joint = view.joints[j];
    joint_of.insert(joint_of.end(), static_cast<std::size_t>(joint.angles), j);
    above.push_back(
        joint.parent < 0 ? 0 : above[static_cast<std::size_t>(joint.parent)] | std::uint64_t{1} << joint.parent);
  }
  std::vector<std::uint8_t> moves;
  for (const auto& block : limb_blocks(skeleton).moves) moves.insert(moves.end(), block.begin(), block.end());
  const std::vector<double> speed = walk_speed(skeleton);

  const auto joints = static_cast<std::size_t>(joint_count_), angles = static_cast<std::size_t>(angle_count_);
  upload(joints_, view.joints, joints, stream);
  upload(capsules_, view.capsules, static_cast<std::size_t>(capsule_count_), stream);
  upload(lower_, view.lower, angles, stream);
  upload(upper_, view.upper, angles, stream);
  upload(speed_, speed.data(), speed.size(), stream);
  upload(joint_of_, joint_of.data(), joint_of.size(), stream);
  upload(above_, above.data(), above.size(), stream);
  upload(moves_, moves.data(), moves.size(), stream);
  cuda::check(cudaStreamSynchronize(stream), "uploading a skeleton");
}

SkeletonView SkeletonCuda::view() const {
  return {{joints_.data(), capsules_.data(), lower_.data(), upper_.data(), joint_count_, capsule_count_, angle_count_},
          speed_.data(),
          joint_of_.data(),
          above_.data(),
          moves_.data()};
}

}  // namespace kinema::body
