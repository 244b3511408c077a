// The backend interface of the filter: a set of poses, and the operations of a particle filter on it. The filter in
// filter.cpp drives it in the same way for every backend; the cuda backend keeps all data on the device, so that per
// frame only the points are uploaded and only mean, spread and figures come back.
#pragma once

#include "body/refine/refine_settings.h"
#include "kinema/body_tracker.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace kinema::body {

struct Moments {
  std::vector<float> state;            ///< weighted mean, rotations averaged as rotations
  std::vector<double> joint_variance;  ///< of each joint's place along an axis: spread, and width of the refined peak
  double log_likelihood = 0;           ///< of the best particle
  double effective_sample_size = 0;
  double exponent = 1;           ///< of the weights: the last result of anneal()
  std::vector<StageTime> times;  ///< of the frame's work on a device; empty on the CPU
};

/// A call may return before its work is done; calls that return numbers wait for them.
class Particles {
public:
  virtual ~Particles() = default;

  /// The points of a frame. Where free space is off, background points are left out: eq. 3 sums over the points of the
  /// person.
  virtual PointCount set_points(PointsView points, const PointNoise& noise = {}) = 0;
  virtual const PointNoise& noise() const = 0;

  /// n particles at one pose, at rest, with equal weights; nothing is carried.
  virtual void place(std::span<const float> state, std::size_t count) = 0;

  /// Begins a frame: samples p(theta_t | theta_t-1), about the last velocity of the mean where the motion model has
  /// one. With settings.unperturbed_particle, the first particle is moved without noise. The final weights of the last
  /// frame are carried into this one.
  virtual void predict(double seconds) = 0;

  /// Perturbs particles as the motion model does in `seconds`, between two layers. `block`: only the numbers of this
  /// one of limb_blocks(); -1: all. With settings.unperturbed_particle, the first is not perturbed.
  virtual void diffuse(double seconds, int block) = 0;

  /// Log-likelihoods of all particles.
  virtual void weigh() = 0;

  /// Weights proportional to carried weight times exp(exponent log-likelihood), see weights.h, the exponent at most
  /// `most` and such that a share `survival` of the particles that the carried weights leave effective remains
  /// effective; moments() reports it. survival 0: `most` itself.
  virtual void anneal(double survival, double most) = 0;

  /// Draws particles by their weights; all weights are then equal, and nothing is carried.
  virtual void resample() = 0;

  /// Moves the `count` best to the front, of equal ones only the first, refines them in place (refine.h), with the
  /// prediction over `seconds` since the last mean as prior, and weighs them again. They keep their carried weights.
  virtual void refine(int count, double seconds) = 0;

  /// Mean (eq. 1) and spread. The change since the previous mean, `seconds` ago, is the velocity of the next predict().
  virtual Moments moments(double seconds) = 0;

  /// The last mean, moved by predict() without noise.
  virtual const std::vector<float>& predicted() const = 0;

  /// Refines poses that are not particles, with about `share` of the frame's points; settings.evidence is that of all
  /// points together. Does not wait for a device that is still weighing particles.
  virtual void refine_poses(std::span<PoseCandidate> poses, const RefineSettings& settings, PointShare share) = 0;

  /// Log-likelihoods of poses that are not particles, comparable with those of particles.
  virtual std::vector<double> weigh_poses(std::span<const std::vector<float>> states) = 0;

  /// The velocity of the next predict(): (tangent) per second.
  virtual void set_velocity(std::span<const float> velocity) = 0;

  /// What the devices or processes that weigh received from each other so far, all together.
  virtual std::uint64_t exchanged_bytes() const { return 0; }

  /// States (n, state) and log-likelihoods as they are, for tests and display.
  virtual std::vector<float> states() = 0;
  virtual std::vector<double> log_likelihoods() = 0;
};

/// The points that are weighed. `copy` stores them where some are left out.
PointsView weighed_points(PointsView points, bool free_space, PointCloud& copy);

/// `compute`: a result of choose(). The particles are in host memory or on the first of its devices; all of these weigh
/// them, or whoever helps by settings.share_weighing.
std::unique_ptr<Particles> make_particles(const Skeleton& skeleton, const TrackerSettings& settings,
                                          const Compute& compute);
std::unique_ptr<Particles> make_particles_cpu(const Skeleton& skeleton, const TrackerSettings& settings,
                                              const Compute& compute);

/// On the device that this thread uses; `others` help to weigh.
std::unique_ptr<Particles> make_particles_cuda(const Skeleton& skeleton, const TrackerSettings& settings,
                                               const std::vector<int>& others = {});

/// Particles that outlive a device: `make` makes them on the first of the given ones, which are all of compute.devices
/// at first, then those that are left. It is called, as they are, while this thread uses that device.
using MakeParticles = std::function<std::unique_ptr<Particles>(const std::vector<int>& devices)>;
std::unique_ptr<Particles> make_particles_devices(const Skeleton& skeleton, const Compute& compute,
                                                  const MakeParticles& make);

}  // namespace kinema::body
