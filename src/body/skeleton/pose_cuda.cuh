// Poses on the device: sampling of particles, and the skins of their poses. One warp per particle.
#pragma once

#include "body/skeleton/skeleton_cuda.cuh"

namespace kinema::body {

/// The motion of particles in one call; see ParticlesCpu::move for the same.
struct Wander {
  std::uint64_t seed;
  std::uint32_t step;
  double seconds;
  double drift;         // all are moved by the last velocity for this many seconds
  int block;            // -1: all numbers
  const float* factor;  // (tangent, tangent) of spatial noise, or null: each number has its own speed
  bool first_rests;     // the first particle drifts without noise
};

/// The particles before and after a move.
struct Moves {
  const int* index;                   // particle j continues this one, or null: itself
  const float* from;                  // (n, state)
  float* to;                          // (n, state); `from` itself where there is no index
  const double* log_likelihood_from;  // which are moved along with an index
  double* log_likelihood_to;          // or null
  float* capsules;                    // (n, K, 7): the skins after the move, or null
};

void move_particles(const SkeletonCuda& skeleton, const Wander& wander, const Moves& moves, int count,
                    const FilterMemory* memory, cudaStream_t stream);

/// capsules (count, K, 7) of states (count, state).
void pose_particles(const SkeletonCuda& skeleton, const float* states, int count, float* capsules, cudaStream_t stream);

}  // namespace kinema::body
