#include "body/likelihood/block_cuda.cuh"
#include "body/particles/motion_cuda.cuh"

namespace kinema::body {
namespace {

constexpr int threads = 512;

// One block. The matrix is in global memory, which the caches hold for one block: this motion model is rarely chosen.
__global__ __launch_bounds__(threads) void factor_kernel(SkeletonView skeleton, double deviation, double seconds,
                                                         const FilterMemory* memory, double* a, Vec3f* moves,
                                                         float* factor) {
  __shared__ Place places[max_joints];
  __shared__ Twist twists[most_tangent];
  const Kinematics& kinematics = skeleton.kinematics;
  const int size = tangent_size(kinematics), stride = block::matrix_stride(size), joints = kinematics.joint_count;
  const int thread = static_cast<int>(threadIdx.x);
  const float* state = memory->result.state;
  if (thread < warp_size) place_joints_by_warp(kinematics, state, places);
  __syncthreads();
  if (thread == 0) root_twists(twists);
  for (int j = 1 + thread; j < joints; j += threads) joint_twist(kinematics, state, places, j, twists);
  __syncthreads();
  for (int at = thread; at < joints * size; at += threads) {
    const int j = at / size, i = at % size;
    moves[at] = {0, 0, 0};
    if (i < root_tangent || (skeleton.above[j] >> skeleton.joint_of[i] & 1) != 0) {
      moves[at] = twists[i].v + cross(twists[i].w, places[j].origin - places[0].origin);
    }
  }
  __syncthreads();
  for (int at = thread; at < size * size; at += threads) {
    const int i = at / size, l = at % size;
    if (l <= i) {
      double sum = 0;
      for (int j = 0; j < joints; ++j) {
        const Vec3f u = moves[j * size + i], v = moves[j * size + l];
        sum += static_cast<double>(u.x) * v.x + static_cast<double>(u.y) * v.y + static_cast<double>(u.z) * v.z;
      }
      sum /= deviation * deviation;
      const double own = static_cast<float>(skeleton.speed[i] * seconds);
      a[i * stride + l] = i == l ? sum + 1 / (own * own + 1e-12) : sum;
    }
    a[(size + i) * stride + l] = i == l;
  }
  // the rows of the identity become those of L^-T
  block::eliminate(a, size, size);
  for (int at = thread; at < size * size; at += threads) {
    const int i = at / size, l = at % size;
    factor[at] = l >= i ? static_cast<float>(a[(size + i) * stride + l] / sqrt(a[l * stride + l])) : 0;
  }
}

}  // namespace

SpatialCuda::SpatialCuda(const SkeletonCuda& skeleton) : skeleton_(skeleton) {}

const float* SpatialCuda::factor(double deviation, double seconds, const FilterMemory* memory, cudaStream_t stream) {
  const auto size = static_cast<std::size_t>(skeleton_.tangent());
  matrix_.reserve(2 * size * static_cast<std::size_t>(block::matrix_stride(skeleton_.tangent())));
  moves_.reserve(static_cast<std::size_t>(skeleton_.joints()) * size);
  factor_.reserve(size * size);
  factor_kernel<<<1, threads, 0, stream>>>(skeleton_.view(), deviation, seconds, memory, matrix_.data(), moves_.data(),
                                           factor_.data());
  cuda::check_launch("spatial_factor");
  return factor_.data();
}

}  // namespace kinema::body
