// Poses on the device: how particles are sampled, and the skins of their poses. One warp per particle.
#pragma once

#include "body/skeleton_cuda.cuh"

namespace kinema::body {

/// How particles move in one call; see ParticlesCpu::move for the same.
struct Wander {
  std::uint64_t seed;
  std::uint32_t step;
  double seconds;
  double drift;         // seconds of the last velocity that all are moved by
  int block;            // -1: all numbers
  const float* factor;  // (tangent, tangent) of spatial noise, or null: each number at its own speed
  bool first_rests;     // the first particle drifts, but does not wander
};

/// The particles before and after a move.
struct Moves {
  const int* index;                   // particle j continues this one, or null: itself
  const float* from;                  // (n, state)
  float* to;                          // (n, state); `from` itself where there is no index
  const double* log_likelihood_from;  // which go along with an index
  double* log_likelihood_to;          // or null
  float* capsules;                    // (n, K, 7): the skins where they come to, or null
};

/// Moves all particles.
void move_particles(const SkeletonCuda& skeleton, const Wander& wander, const Moves& moves, int count,
                    const FilterMemory* memory, cudaStream_t stream);

/// capsules (count, K, 7) of states (count, state).
void pose_particles(const SkeletonCuda& skeleton, const float* states, int count, float* capsules, cudaStream_t stream);

}  // namespace kinema::body
