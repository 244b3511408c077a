// Weights and resampling of particles on the device: the same as weights.h, one block for all particles.
#pragma once

#include "body/skeleton/skeleton_cuda.cuh"
#include "core/random.h"
#include "kinema/body_tracker.h"

namespace kinema::body {

class WeightsCuda {
public:
  void reserve(std::size_t count);
  double* data() const { return weight_.data(); }

  /// All weights are equal, and nothing is carried; the caller fills data().
  void reset() { carries_ = weighed_ = false; }

  /// Begins a frame, which carries the final weights of the last one.
  void carry();

  /// weight = exp(carried + exponent log-likelihood) / sum. survival above 0: the exponent at most `most` that leaves
  /// this share of the particles effective; it goes to memory.result.
  void anneal(const double* log_likelihood, int count, double survival, double most, FilterMemory* memory,
              cudaStream_t stream);

  /// The same with the exponent of the last anneal(), after the first `refined` particles were weighed again; the best
  /// of them becomes memory.peak.
  void normalise(const double* log_likelihood, int count, int refined, FilterMemory* memory, cudaStream_t stream);

  /// index()[j] is the ancestor of particle j; all weights are then equal.
  void resample(Resampling scheme, int count, const Random& random, cudaStream_t stream);

  /// index() moves the `best` particles to the front, of equal ones only the first, and keeps the others in order.
  void select(const double* log_likelihood, int count, int best, cudaStream_t stream);

  /// Particle j becomes particle index()[j], with its state, log-likelihood and carried weight.
  void gather(int count, int floats, const float* states, const double* log_likelihood, float* states_out,
              double* log_likelihood_out, cudaStream_t stream);

  const int* index() const { return index_.data(); }

private:
  void run(const double* log_likelihood, int count, double survival, double most, int refined, FilterMemory* memory,
           cudaStream_t stream);

  cuda::Buffer<double> weight_, cumulated_, position_;
  cuda::Buffer<double> log_weight_;              // of this frame, where weighed_
  cuda::Buffer<double> carried_, next_carried_;  // of the previous frame, where carries_; else 0 for all
  cuda::Buffer<float> relative_;                 // log-likelihoods minus the greatest
  cuda::Buffer<int> index_;
  bool carries_ = false, weighed_ = false;
};

}  // namespace kinema::body
