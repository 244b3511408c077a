// The body tracker: from the points of each frame to a skeleton that moves, with its uncertainty.
//
// The particle filter of "GPU Accelerated Likelihoods for Stereo-Based Articulated Tracking", section 2, and on top of
// it, each a switch, what makes it work in 40 and more dimensions.
#pragma once

#include "kinema/geometry.h"
#include "kinema/skeleton.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace kinema::body {

/// How a pose goes on from one frame to the next, before the points are looked at.
enum class Motion {
  random_walk,        ///< every degree of freedom wanders at its own speed
  constant_velocity,  ///< the same about the last velocity, damped
  spatial,            ///< noise of equal size at the bone ends in space, not in the angles
};

enum class Resampling { systematic, stratified, residual, multinomial };

struct TrackerSettings {
  /// Unlike that of the bare likelihood, by default first hit, which knows occlusion, and a smaller sigma.
  LikelihoodSettings likelihood = {.sigma = 0.03, .association = Association::first_hit};

  /// Poses tried in a layer; 0: see fill_in().
  std::size_t particles = 0;

  /// Annealing layers; 1 is the plain filter of the paper.
  int layers = 2;

  /// Share of the particles that a layer leaves alive: it chooses the exponent of its weights.
  double survival = 0.3;

  /// Sample limb by limb: each limb keeps its best among the particles. Helps few particles, costs a layer a limb.
  bool limbs = false;

  /// Poses that are refined by Levenberg-Marquardt steps on the distances between points and skin, then weighed again;
  /// 0: none.
  int refined = 4;
  int refine_steps = 6;

  /// Poses elsewhere that are held against the tracked one in a frame: turned round, limbs swapped, a limb at rest. They
  /// free a tracker that took somebody's back for the front. 0: none.
  int rivals = 6;

  /// As many of a frame's points count as independent evidence, since neighbours err together. More follows the points
  /// more closely and states smaller deviations.
  double independent_points = 150;

  /// Standard deviation of a measured depth at 1 m, in metres; it grows with the square of the distance, as that of
  /// stereo and structured light does. Where it exceeds 2 cm, points are averaged with their neighbours.
  double sensor_noise = 0.0015;

  /// Of a depth's error, the part that all points of the person have in common: standard deviation at 1 m, in metres, and
  /// growing as sensor_noise does. The points cannot tell it, but it is in the stated deviations. Matched stereo pairs have
  /// it: about 0.1 pixels over focal length and baseline.
  double shared_noise = 0;

  Motion motion = Motion::constant_velocity;
  Resampling resampling = Resampling::systematic;

  /// Resample where the effective sample size falls under this share of the particles.
  double resample_below = 0.5;

  /// What Foreground should leave of the person's points; the tracker itself takes all it is given. 0: see fill_in().
  std::size_t points = 0;

  /// What it should leave of the rays that see past the person. 0: see fill_in().
  std::size_t background_points = 0;

  /// Lengths and radii are fitted to the person in the first frames.
  bool fit_shape = true;

  std::uint64_t seed = 1;
};

/// Chooses what is left open (particles, points, background points) for a backend on this machine: on the CPU by its cores, so that about
/// 10 frames a second are held. The number of threads changes nothing.
void fill_in(TrackerSettings& settings, Backend backend);

/// What a frame shows: points of the person, and rays that see past it marked as background.
struct Frame {
  double time = 0;  ///< seconds
  PointsView points;

  /// Where it is known: nobody reaches under it. It holds the size of a person who is not known yet.
  std::optional<Plane> floor = {};
};

struct Estimate {
  bool found = false;             ///< false: no person, or lost; the rest then says nothing
  Pose pose;                      ///< posterior mean, rotations averaged as rotations
  std::vector<Vec3> joints;       ///< in the order of the skeleton
  std::vector<double> deviation;  ///< of each joint: standard deviation along each of the three axes, metres
  double log_likelihood = 0;      ///< of the mean pose, a point
  double effective_sample_size = 0;
  std::vector<StageTime> times;
};

class Tracker {
public:
  virtual ~Tracker() = default;

  /// The pose at the next frame. The first frame, and any after the person was lost, starts a search over position,
  /// facing and rest poses, unless start() gave a pose.
  virtual Estimate track(const Frame& frame) = 0;

  /// A pose to start from in the next frame instead of a search.
  virtual void start(const Pose& pose) = 0;

  /// The skeleton as fitted to the person so far.
  virtual const Skeleton& skeleton() const = 0;

  /// Joint places of the last frame's particles, at most so many, taken evenly: n x joints, for views; none while nobody is
  /// tracked. From the first call on they are kept as they were weighed; a device then downloads them in every frame.
  virtual std::vector<Vec3> particle_joints(std::size_t most) = 0;
};

std::unique_ptr<Tracker> make_tracker(const Skeleton& skeleton, const TrackerSettings& settings = {},
                                      Backend backend = Backend::automatic);

}  // namespace kinema::body
