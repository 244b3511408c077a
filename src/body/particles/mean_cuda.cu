#include "body/likelihood/block_cuda.cuh"
#include "body/particles/mean_cuda.cuh"
#include "body/particles/mean_state.h"

namespace kinema::body {
namespace {

constexpr int blocks = 64;  // that share the particles; sums depend on it
constexpr int warps = 8;
constexpr int threads = warps * warp_size;
constexpr std::size_t shared_limit = std::size_t{72} << 10;  // in addition to the 24 KiB of the kernel itself

// Sums over particles: four numbers per joint (its quaternion, or a hinge's angle), then position and squared weight.
constexpr int joint_channels = 4 * static_cast<int>(max_joints);
constexpr int channels = joint_channels + 4;

struct Given {
  SkeletonView skeleton;
  const float* states;
  const double* weight;
  const double* log_likelihood;
  int count;
  double seconds;
  FilterMemory* memory;
  double* partial;
  Place* places;
  unsigned* arrived;
};

__device__ Quaternion rotation_of(const Kinematics& kinematics, const float* state, int j) {
  if (j == 0) return {state[3], state[4], state[5], state[6]};
  const FlatJoint& joint = kinematics.joints[j];
  const Quaternionf q = joint_rotation(joint, state + root_floats + joint.first_angle);
  return {q.w, q.x, q.y, q.z};
}

// Adds the sums of all blocks, in their order.
__device__ double whole_sum(const double* partial, int stride, int channel) {
  double sum = 0;
#pragma unroll 16
  for (int b = 0; b < blocks; ++b) sum += __ldcg(partial + b * stride + channel);
  return sum;
}

// The mean from the sums: state, velocity, places of its joints.
__device__ void finish_mean(const Given& given, double* sums) {
  __shared__ double room[block::most_warps];
  __shared__ float mean[most_state];
  __shared__ Place places[max_joints];
  const Kinematics& kinematics = given.skeleton.kinematics;
  const int thread = static_cast<int>(threadIdx.x);
  const int used = 4 * kinematics.joint_count;
  for (int at = thread; at < used + 4; at += threads) {
    const int channel = at < used ? at : joint_channels + at - used;
    sums[channel] = whole_sum(given.partial, channels, channel);
  }
  double best = -INFINITY;
  for (int j = thread; j < given.count; j += threads) best = fmax(best, given.log_likelihood[j]);
  best = block::reduce(
      best, [](double a, double b) { return fmax(a, b); }, room);

  for (int j = thread; j < kinematics.joint_count; j += threads) {
    const FlatJoint& joint = kinematics.joints[j];
    const double* sum = sums + 4 * j;
    const Quaternion q = normalised(Quaternion{sum[0], sum[1], sum[2], sum[3]});
    if (j == 0) {
      for (int i = 0; i < 3; ++i) mean[i] = static_cast<float>(sums[joint_channels + i]);
      mean[3] = static_cast<float>(q.w), mean[4] = static_cast<float>(q.x);
      mean[5] = static_cast<float>(q.y), mean[6] = static_cast<float>(q.z);
      continue;
    }
    double angles[3] = {sum[0], 0, 0};
    if (joint.angles > 1) joint_angles(joint, q, angles);
    for (int i = 0; i < joint.angles; ++i) {
      const int at = joint.first_angle + i;
      mean[root_floats + at] = fminf(fmaxf(static_cast<float>(angles[i]), kinematics.lower[at]), kinematics.upper[at]);
    }
  }
  __syncthreads();
  if (thread < warp_size) place_joints_by_warp(kinematics, mean, places);
  FilterMemory& memory = *given.memory;
  const auto seconds = static_cast<float>(given.seconds);
  if (thread == 0) {
    float turn[root_tangent];
    root_difference(memory.result.state, mean, turn);
    for (int i = 0; i < root_tangent; ++i) memory.velocity[i] = turn[i] / seconds;
    const double squares = sums[joint_channels + 3];
    memory.result.effective_sample_size = squares > 0 ? 1 / squares : 0;
    memory.result.log_likelihood = best;
  }
  for (int i = thread; i < kinematics.angle_count; i += threads) {
    memory.velocity[root_tangent + i] = (mean[root_floats + i] - memory.result.state[root_floats + i]) / seconds;
  }
  __syncthreads();
  for (int i = thread; i < kinematics.state_floats(); i += threads) memory.result.state[i] = mean[i];
  for (int j = thread; j < kinematics.joint_count; j += threads) given.places[j] = places[j];
}

// One warp per particle, one or two joints per lane.
__global__ __launch_bounds__(threads) void mean_kernel(Given given) {
  __shared__ double sums[warps][channels];
  const Kinematics& kinematics = given.skeleton.kinematics;
  const int floats = kinematics.state_floats();
  const int thread = static_cast<int>(threadIdx.x), lane = thread % warp_size, warp = thread / warp_size;
  Quaternion side[2] = {};
  double sum[2][4] = {}, extra = 0;
  for (int slot = 0; slot < 2; ++slot) {
    const int j = lane + slot * warp_size;
    if (j < kinematics.joint_count) side[slot] = rotation_of(kinematics, given.states, j);
  }
  for (int n = static_cast<int>(blockIdx.x) * warps + warp; n < given.count; n += blocks * warps) {
    const double weight = given.weight[n];
    if (weight == 0) continue;
    const float* state = given.states + static_cast<std::size_t>(n) * floats;
    if (lane < 3) extra += weight * state[lane];
    if (lane == 3) extra += weight * weight;
    for (int slot = 0; slot < 2; ++slot) {
      const int j = lane + slot * warp_size;
      if (j >= kinematics.joint_count) continue;
      const FlatJoint& joint = kinematics.joints[j];
      if (j > 0 && joint.angles < 2) {
        // hinges turn about a fixed axis: the mean of their angles is that of their rotations
        if (joint.angles == 1) sum[slot][0] += weight * state[root_floats + joint.first_angle];
        continue;
      }
      const Quaternion q = rotation_of(kinematics, state, j);
      const double signed_weight = on_side(side[slot], q) ? weight : -weight;
      sum[slot][0] += signed_weight * q.w;
      sum[slot][1] += signed_weight * q.x;
      sum[slot][2] += signed_weight * q.y;
      sum[slot][3] += signed_weight * q.z;
    }
  }
  for (int slot = 0; slot < 2; ++slot) {
    for (int i = 0; i < 4; ++i) sums[warp][4 * (lane + slot * warp_size) + i] = sum[slot][i];
  }
  if (lane < 4) sums[warp][joint_channels + lane] = extra;
  __syncthreads();
  for (int channel = thread; channel < channels; channel += threads) {
    double all = 0;
    for (int w = 0; w < warps; ++w) all += sums[w][channel];
    given.partial[blockIdx.x * channels + channel] = all;
  }
  if (block::last_to_arrive(given.arrived, blocks)) finish_mean(given, sums[0]);
}

// Variance of each joint's place from the width of the best peak: trace(M C M^T) / 3, C the inverse of `information`
// and M the derivative of the joint's place. With A = L D L^T it is the sum of squares of M L^-T D^-1/2.
__device__ void find_width(const Given& given, const double* informations, double* a, double* width) {
  __shared__ Twist twists[most_tangent];
  const Kinematics& kinematics = given.skeleton.kinematics;
  const int size = tangent_size(kinematics), stride = block::matrix_stride(size), joints = kinematics.joint_count;
  const int thread = static_cast<int>(threadIdx.x);
  const int peak = given.memory->peak;
  if (peak < 0) {
    for (int j = thread; j < joints; j += threads) width[j] = 0;
    return;
  }
  if (thread == 0) root_twists(twists);
  for (int j = 1 + thread; j < joints; j += threads) {
    joint_twist(kinematics, given.memory->result.state, given.places, j, twists);
  }
  const double* information = informations + static_cast<std::size_t>(peak) * size * size;
  for (int at = thread; at < size * size; at += threads) {
    const int i = at / size, l = at % size;
    if (l <= i) a[i * stride + l] = information[at];
  }
  __syncthreads();
  for (int at = thread; at < joints * size; at += threads) {
    const int j = at / size, i = at % size;
    Vec3f u{0, 0, 0};
    // a joint is moved by its ancestors, not by its own angles
    if (i < root_tangent || (given.skeleton.above[j] >> given.skeleton.joint_of[i] & 1) != 0) {
      u = twists[i].v + cross(twists[i].w, given.places[j].origin - given.places[0].origin);
    }
    double* rows = a + (size + 3 * j) * stride + i;
    rows[0] = u.x, rows[stride] = u.y, rows[2 * stride] = u.z;
  }
  block::eliminate(a, size, 3 * joints);
  __shared__ double inverse[most_tangent], squares[3 * max_joints];
  for (int k = thread; k < size; k += threads) inverse[k] = 1 / a[k * stride + k];
  __syncthreads();
  for (int r = thread; r < 3 * joints; r += threads) {
    const double* row = a + (size + r) * stride;
    double sum = 0;
    for (int k = 0; k < size; ++k) sum += row[k] * row[k] * inverse[k];
    squares[r] = sum;
  }
  __syncthreads();
  for (int j = thread; j < joints; j += threads) {
    width[j] = fmax(0.0, (squares[3 * j] + squares[3 * j + 1] + squares[3 * j + 2]) / 3);
  }
}

// The spread of the particles about the mean; one more block computes the width of the peak meanwhile.
__global__ __launch_bounds__(threads) void spread_kernel(Given given, const double* informations, double* matrix,
                                                         double* width) {
  extern __shared__ double shared_matrix[];
  __shared__ Place places[warps][max_joints];
  __shared__ double sums[warps][max_joints];
  const Kinematics& kinematics = given.skeleton.kinematics;
  const int floats = kinematics.state_floats();
  const int thread = static_cast<int>(threadIdx.x), lane = thread % warp_size, warp = thread / warp_size;
  if (blockIdx.x == blocks) {
    find_width(given, informations, matrix != nullptr ? matrix : shared_matrix, width);
  } else {
    double sum[2] = {0, 0};
    for (int n = static_cast<int>(blockIdx.x) * warps + warp; n < given.count; n += blocks * warps) {
      const double weight = given.weight[n];
      if (weight == 0) continue;
      place_joints_by_warp(kinematics, given.states + static_cast<std::size_t>(n) * floats, places[warp]);
      for (int slot = 0; slot < 2; ++slot) {
        const int j = lane + slot * warp_size;
        if (j >= kinematics.joint_count) continue;
        const Vec3f away = places[warp][j].origin - given.places[j].origin;
        sum[slot] += weight * dot(away, away) / 3;
      }
      __syncwarp();
    }
    for (int slot = 0; slot < 2; ++slot) sums[warp][lane + slot * warp_size] = sum[slot];
    __syncthreads();
    if (thread < static_cast<int>(max_joints)) {
      double all = 0;
      for (int w = 0; w < warps; ++w) all += sums[w][thread];
      given.partial[blockIdx.x * max_joints + thread] = all;
    }
  }
  if (!block::last_to_arrive(given.arrived, blocks + 1)) return;
  if (thread < kinematics.joint_count) {
    given.memory->result.joint_variance[thread] =
        whole_sum(given.partial, static_cast<int>(max_joints), thread) + __ldcg(width + thread);
  }
}

}  // namespace

MeanCuda::MeanCuda(const SkeletonCuda& skeleton)
    : skeleton_(skeleton), partial_(blocks * channels), width_(max_joints), places_(max_joints), arrived_(1) {
  const int rows = skeleton.tangent() + 3 * skeleton.joints();
  const std::size_t numbers =
      static_cast<std::size_t>(rows) * static_cast<std::size_t>(block::matrix_stride(skeleton.tangent()));
  shared_bytes_ = numbers * sizeof(double) <= shared_limit ? numbers * sizeof(double) : 0;
  if (shared_bytes_ == 0) matrix_.reserve(numbers);
  cuda::clear(arrived_.data(), sizeof(unsigned));
  cuda::check(
      cudaFuncSetAttribute(spread_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_limit)),
      "setting shared memory");
}

void MeanCuda::find(const float* states, const double* weight, const double* log_likelihood, int count,
                    const double* information, double seconds, FilterMemory* memory, cudaStream_t stream) {
  const Given given{skeleton_.view(), states, weight,          log_likelihood, count,
                    seconds,          memory, partial_.data(), places_.data(), arrived_.data()};
  mean_kernel<<<blocks, threads, 0, stream>>>(given);
  cuda::check_launch("mean");
  spread_kernel<<<blocks + 1, threads, shared_bytes_, stream>>>(given, information, matrix_.data(), width_.data());
  cuda::check_launch("spread");
}

}  // namespace kinema::body
