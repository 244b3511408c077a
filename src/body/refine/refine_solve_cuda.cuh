// One Levenberg-Marquardt step by one block: what refine() in refine.cpp does between two evaluations.
#pragma once

#include "body/refine/refine_problem_cuda.cuh"

namespace kinema::body::refinement {

/// Places the trial's joints and skin, for the next evaluation.
__device__ inline void pose_trial(const Problem& problem, int particle, const SolveMemory& memory) {
  const Kinematics& kinematics = problem.skeleton.kinematics;
  const int joints = kinematics.joint_count, capsules = kinematics.capsule_count, floats = kinematics.state_floats();
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  if (thread < warp_size) place_joints_by_warp(kinematics, memory.trial, memory.places);
  __syncthreads();
  for (int i = thread; i < floats; i += threads) problem.trial[particle * floats + i] = memory.trial[i];
  for (int j = thread; j < joints; j += threads) problem.places[particle * joints + j] = memory.places[j];
  for (int k = thread; k < capsules; k += threads) {
    float capsule[capsule_floats];
    place_capsule(kinematics, memory.places, k, capsule);
    problem.skin[particle * capsules + k] = make_segment(capsule);
  }
}

__device__ inline void copy_twist(const Twist& t, double* out) {
  out[0] = t.v.x, out[1] = t.v.y, out[2] = t.v.z, out[3] = t.w.x, out[4] = t.w.y, out[5] = t.w.z;
}

/// Inverse covariance and gradient at the trial, from memory.sums; see assemble() in refine.cpp.
__device__ inline void assemble(const Problem& problem, int particle, double scale, const SolveMemory& memory) {
  const Kinematics& kinematics = problem.skeleton.kinematics;
  const int joints = kinematics.joint_count, size = tangent_size(kinematics);
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const double* precision = problem.prior(particle).precision;
  // each joint's sums become those of its subtree, children before parents
  if (thread < body_sums) {
    int parent = kinematics.joints[joints - 1].parent;
    for (int j = joints - 1; j > 0; --j) {
      const int next = kinematics.joints[j - 1].parent;  // loaded while this is added
      memory.sums[parent * body_stride + thread] += memory.sums[j * body_stride + thread];
      parent = next;
    }
  }
  if (thread == 0) root_twists(memory.twists);
  for (int j = 1 + thread; j < joints; j += threads) {
    joint_twist(kinematics, memory.trial, memory.places, j, memory.twists);
  }
  __syncthreads();

  double* gradient = problem.gradient + static_cast<std::size_t>(particle) * size;
  for (int i = thread; i < size; i += threads) {
    const double* body = memory.sums + problem.skeleton.joint_of[i] * body_stride;
    double twist[6], sum = 0;
    copy_twist(memory.twists[i], twist);
    for (int r = 0; r < 6; ++r) {
      double force = 0;
      for (int c = 0; c < 6; ++c) force += body[r >= c ? r * (r + 1) / 2 + c : c * (c + 1) / 2 + r] * twist[c];
      memory.force[i * 6 + r] = force;
      sum += twist[r] * body[matrix_sums + r];
    }
    gradient[i] = scale * sum + precision[i] * memory.away[i];
  }
  __syncthreads();

  double* information = problem.information + static_cast<std::size_t>(particle) * size * size;
  for (int i = thread / 16; i < size; i += threads / 16) {
    const int joint = problem.skeleton.joint_of[i];
    const std::uint64_t above = problem.skeleton.above[joint];
    for (int l = thread % 16; l <= i; l += 16) {
      const int other = problem.skeleton.joint_of[l];
      double sum = 0;
      if (other == joint || (above >> other & 1) != 0) {
        double twist[6];
        copy_twist(memory.twists[l], twist);
        for (int r = 0; r < 6; ++r) sum += twist[r] * memory.force[i * 6 + r];
      }
      information[i * size + l] = scale * sum + (i == l ? precision[i] : 0);
    }
  }
  __syncthreads();
}

/// The step from the current state, memory.change, in single precision: it need not be exact, since its cost decides.
__device__ __forceinline__ void find_step(const Problem& problem, int particle, double damping, const float* state,
                                          const SolveMemory& memory, float* matrix) {
  const Kinematics& kinematics = problem.skeleton.kinematics;
  const int size = tangent_size(kinematics), stride = block::matrix_stride(size);
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const double* gradient = problem.gradient + static_cast<std::size_t>(particle) * size;
  const double* information = problem.information + static_cast<std::size_t>(particle) * size * size;
  // an angle that is pushed beyond its limit stays there, and the others move without it
  for (int i = thread; i < size; i += threads) {
    bool held = false;
    if (i >= root_tangent) {
      const int angle = i - root_tangent;
      const float at = state[root_floats + angle];
      held = (at <= kinematics.lower[angle] && gradient[i] > 0) || (at >= kinematics.upper[angle] && gradient[i] < 0);
    }
    memory.held[i] = held;
    matrix[size * stride + i] = static_cast<float>(-gradient[i]);
  }
  __syncthreads();
  for (int i = thread / 16; i < size; i += threads / 16) {
    for (int l = thread % 16; l <= i; l += 16) {
      double value = information[i * size + l];
      if (i == l) {
        value += damping * value + 1e-9;
        if (memory.held[i] != 0) value *= 1e9;
      } else if (memory.held[i] != 0 || memory.held[l] != 0) {
        value = 0;
      }
      matrix[i * stride + l] = static_cast<float>(value);
    }
  }
  block::eliminate(matrix, size, 1);
  block::substitute(matrix, size, memory.change);
}

/// The next trial from the current state: memory.trial.
__device__ inline void next_trial(const Problem& problem, int particle, double damping, const float* state,
                                  const SolveMemory& memory) {
  const Kinematics& kinematics = problem.skeleton.kinematics;
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  // two calls, so that the compiler knows the memory space
  if (memory.matrix != nullptr) {
    find_step(problem, particle, damping, state, memory, memory.matrix);
  } else {
    const int size = tangent_size(kinematics);
    const std::size_t numbers = static_cast<std::size_t>(size + 1) * block::matrix_stride(size);
    find_step(problem, particle, damping, state, memory, problem.matrix + particle * numbers);
  }
  for (int i = thread; i < kinematics.state_floats(); i += threads) memory.trial[i] = state[i];
  __syncthreads();
  if (thread == 0) move_root(memory.change, memory.trial);
  for (int i = thread; i < kinematics.angle_count; i += threads) {
    move_angle(kinematics, memory.change, i, memory.trial);
  }
  __syncthreads();
}

/// After an evaluation of the trial: accepts or rejects it, and makes the next.
__device__ inline void solve_step(const Problem& problem, int particle, int blocks, const SolveMemory& memory) {
  const Kinematics& kinematics = problem.skeleton.kinematics;
  const int joints = kinematics.joint_count, size = tangent_size(kinematics), floats = kinematics.state_floats();
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const double* partial = problem.partial + static_cast<std::size_t>(particle) * blocks * sums_size(joints);
  for (int i = thread; i < sums_size(joints); i += threads) {
    double sum = 0;
#pragma unroll 20
    for (int b = 0; b < blocks; ++b) sum += __ldcg(partial + static_cast<std::size_t>(b) * sums_size(joints) + i);
    memory.sums[i] = sum;
  }
  for (int i = thread; i < floats; i += threads) memory.trial[i] = problem.trial[particle * floats + i];
  for (int j = thread; j < joints; j += threads) memory.places[j] = problem.places[particle * joints + j];
  __syncthreads();
  const float* predicted = problem.prior(particle).state;
  const double* precision = problem.prior(particle).precision;
  if (thread == 0) root_difference(predicted, memory.trial, memory.away);
  for (int i = thread; i < kinematics.angle_count; i += threads) {
    memory.away[root_tangent + i] = memory.trial[root_floats + i] - predicted[root_floats + i];
  }
  __syncthreads();
  double prior = 0;
  for (int i = thread; i < size; i += threads) {
    prior += 0.5 * precision[i] * memory.away[i] * memory.away[i];
  }
  prior = block::sum(prior, memory.room);

  RefineProgress progress = problem.progress[particle];
  const double cost = progress.scale * memory.sums[joints * body_stride] + prior;
  float* state = problem.states + static_cast<std::size_t>(particle) * floats;
  if (!progress.begun || cost < progress.cost) {
    if (progress.begun) {
      progress.damping =
          fmax(constants::refinement::least_damping, progress.damping * constants::refinement::damping_decrease);
      ++progress.step;
    }
    progress.begun = true;
    progress.attempt = 0;
    progress.cost = cost;
    for (int i = thread; i < floats; i += threads) state[i] = memory.trial[i];
    assemble(problem, particle, progress.scale, memory);
    progress.done = progress.step >= problem.settings.steps;
  } else {
    // a step that does not help is retried shorter; after a few retries, this is the minimum
    progress.damping =
        fmax(constants::refinement::least_raised_damping, progress.damping * constants::refinement::damping_increase);
    progress.done = ++progress.attempt >= constants::refinement::attempts;
  }
  if (!progress.done) {
    next_trial(problem, particle, progress.damping, state, memory);
    pose_trial(problem, particle, memory);
  }
  __syncthreads();
  if (thread == 0) problem.progress[particle] = progress;
}

}  // namespace kinema::body::refinement
