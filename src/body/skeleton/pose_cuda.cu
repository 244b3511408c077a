#include "body/skeleton/pose_cuda.cuh"
#include "core/random.h"

namespace kinema::body {
namespace {

constexpr int warps = 8;  // particles per block

// The skin of a pose whose joints are placed.
__device__ void place_skin(const Kinematics& kinematics, const Place* places, int particle, float* capsules) {
  float* own = capsules + static_cast<std::size_t>(particle) * kinematics.capsule_count * capsule_floats;
  for (int k = static_cast<int>(threadIdx.x) % warp_size; k < kinematics.capsule_count; k += warp_size) {
    place_capsule(kinematics, places, k, own + k * capsule_floats);
  }
}

__global__ __launch_bounds__(warps* warp_size) void move_kernel(SkeletonView skeleton, Wander wander, Moves moves,
                                                                int count, const FilterMemory* memory) {
  __shared__ float normals[warps][most_tangent];
  __shared__ float changes[warps][most_tangent];
  __shared__ float states[warps][most_state];
  __shared__ Place places[warps][max_joints];
  const int lane = static_cast<int>(threadIdx.x) % warp_size, warp = static_cast<int>(threadIdx.x) / warp_size;
  const int particle = static_cast<int>(blockIdx.x) * warps + warp;
  const Kinematics& kinematics = skeleton.kinematics;
  const int size = tangent_size(kinematics), floats = kinematics.state_floats();
  if (particle >= count) return;
  const int from = moves.index == nullptr ? particle : moves.index[particle];
  float* state = states[warp];
  for (int i = lane; i < floats; i += warp_size) state[i] = moves.from[static_cast<std::size_t>(from) * floats + i];
  const bool wanders = particle > 0 || !wander.first_rests;
  const Random random{wander.seed, wander.step, static_cast<std::uint32_t>(particle)};
  float* normal = normals[warp];
  float* change = changes[warp];
  for (int i = lane; i < size; i += warp_size) {
    normal[i] = wanders ? static_cast<float>(random.normal(static_cast<std::uint32_t>(i))) : 0;
  }
  __syncwarp();
  const std::uint8_t* of_block = wander.block < 0 ? nullptr : skeleton.moves + wander.block * size;
  for (int i = lane; i < size; i += warp_size) {
    float sum = wander.drift == 0 ? 0 : static_cast<float>(wander.drift * memory->velocity[i]);
    if (of_block == nullptr || of_block[i] != 0) {
      if (wander.factor == nullptr) {
        sum += static_cast<float>(skeleton.speed[i] * wander.seconds) * normal[i];
      } else {
        for (int l = i; l < size; ++l) sum += wander.factor[i * size + l] * normal[l];
      }
    }
    change[i] = sum;
  }
  __syncwarp();
  if (lane == 0) move_root(change, state);
  for (int i = lane; i < kinematics.angle_count; i += warp_size) move_angle(kinematics, change, i, state);
  __syncwarp();
  for (int i = lane; i < floats; i += warp_size) moves.to[static_cast<std::size_t>(particle) * floats + i] = state[i];
  if (lane == 0 && moves.log_likelihood_to != nullptr) {
    moves.log_likelihood_to[particle] = moves.log_likelihood_from[from];
  }
  if (moves.capsules == nullptr) return;
  place_joints_by_warp(kinematics, state, places[warp]);
  place_skin(kinematics, places[warp], particle, moves.capsules);
}

__global__ __launch_bounds__(warps* warp_size) void pose_kernel(SkeletonView skeleton, const float* states, int count,
                                                                float* capsules) {
  __shared__ Place places[warps][max_joints];
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const int particle = static_cast<int>(blockIdx.x) * warps + warp;
  if (particle >= count) return;
  const Kinematics& kinematics = skeleton.kinematics;
  place_joints_by_warp(kinematics, states + static_cast<std::size_t>(particle) * kinematics.state_floats(),
                       places[warp]);
  place_skin(kinematics, places[warp], particle, capsules);
}

unsigned blocks_for(int particles) { return static_cast<unsigned>((particles + warps - 1) / warps); }

}  // namespace

void move_particles(const SkeletonCuda& skeleton, const Wander& wander, const Moves& moves, int count,
                    const FilterMemory* memory, cudaStream_t stream) {
  if (count == 0) return;
  move_kernel<<<blocks_for(count), warps * warp_size, 0, stream>>>(skeleton.view(), wander, moves, count, memory);
  cuda::check_launch("move_particles");
}

void pose_particles(const SkeletonCuda& skeleton, const float* states, int count, float* capsules,
                    cudaStream_t stream) {
  if (count == 0) return;
  pose_kernel<<<blocks_for(count), warps * warp_size, 0, stream>>>(skeleton.view(), states, count, capsules);
  cuda::check_launch("pose_particles");
}

}  // namespace kinema::body
