// The body tracker: depth images, stereo pairs or point clouds of one camera in, a moving skeleton with its uncertainty out.
//
// The particle filter of "GPU Accelerated Likelihoods for Stereo-Based Articulated Tracking", section 2, with what makes it
// work in 40 and more dimensions and on real frames: the person is cut out of each frame, followed, found again where lost,
// measured, and smoothed over the frames that follow. Beneath it, for callers that bring their own points, stand
// body_filter.h and body_smoother.h.
#pragma once

#include "kinema/camera.h"
#include "kinema/foreground.h"
#include "kinema/skeleton.h"
#include "kinema/stereo.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace kinema::io {
struct Frame;
class Recording;
}  // namespace kinema::io

namespace kinema::body {

/// How a pose goes on from one frame to the next, before the points are looked at.
enum class Motion {
  random_walk,        ///< every degree of freedom wanders at its own speed
  constant_velocity,  ///< the same about the last velocity, damped
  spatial,            ///< noise of equal size at the bone ends in space, not in the angles
};

enum class Resampling { systematic, stratified, residual, multinomial };

struct TrackerSettings {
  /// The camera of depth images and stereo pairs; not needed for clouds.
  Camera camera;

  /// Metres between the cameras of a rectified stereo pair; above 0: depth comes from such pairs, and errs as theirs does.
  double baseline = 0;

  /// The person.
  Skeleton skeleton = default_human();

  /// The skeleton is that of an average person: its lengths and radii are fitted to the one who is seen.
  bool fit_shape = true;

  /// How many later frames correct an estimate before it is settled; 0: none do.
  std::size_t lag = 15;

  /// How the person is cut out of a frame; its numbers of points and threads are taken from these settings.
  ForegroundSettings foreground;

  /// How pairs are matched.
  io::StereoSettings stereo;

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

  /// Weights are the likelihood to the power of independent_points over the number of points. False: the likelihood
  /// itself, eq. 3 of the paper, under which one particle usually takes all the weight.
  bool tempered = true;

  /// One particle is moved without noise, which keeps a person who stands still. False: all are sampled.
  bool unperturbed_particle = true;

  Motion motion = Motion::constant_velocity;
  Resampling resampling = Resampling::systematic;

  /// Resample where the effective sample size falls under this share of the particles.
  double resample_below = 0.5;

  /// What Foreground should leave of the person's points; the tracker itself takes all it is given. 0: see fill_in().
  std::size_t points = 0;

  /// What it should leave of the rays that see past the person. 0: see fill_in().
  std::size_t background_points = 0;

  std::uint64_t seed = 1;
};

/// The filter of the paper and nothing else: every particle is sampled by a random walk and weighed by eq. 3 (nearest
/// capsule, no free space, no tempering, points as measured), the estimate is their mean (eq. 1), and they are resampled,
/// systematically, where the effective sample size falls under half of them. One layer, no refinement, no rivals, no fit
/// of the shape. Only the start is kinema's own: a search, where start() gives no pose or the person was lost.
TrackerSettings paper_settings();

/// Chooses what is left open (particles, points, background points) for a backend on this machine: on the CPU by its cores,
/// so that about 10 frames per second are reached. The number of threads changes nothing.
void fill_in(TrackerSettings& settings, Backend backend);

/// `settings` for a recording: with its camera, and with the person of its skeleton.json where there is one.
TrackerSettings settings_for(const io::Recording& recording, TrackerSettings settings = {});

struct Estimate {
  std::int64_t frame = 0;         ///< its number: that of a recorded frame, else counted from 0
  double time = 0;                ///< seconds, of the frame
  bool found = false;             ///< false: no person, or lost; of the rest only `why` and `times` then say anything
  std::string why;                ///< where not found: the reason
  Pose pose;                      ///< posterior mean, rotations averaged as rotations
  std::vector<Vec3> joints;       ///< in the order of the skeleton
  std::vector<double> deviation;  ///< of each joint: standard deviation along each of the three axes, metres

  /// The share of the points' squared distances that the pose explains, 0...1: how well the person fits what is seen.
  double confidence = 0;

  double log_likelihood = 0;  ///< of the likeliest particle: the sum of eq. 3 over all points, without its constant
  double effective_sample_size = 0;
  std::shared_ptr<const Skeleton> skeleton;  ///< the person that the pose belongs to, as fitted so far
  std::vector<StageTime> times;
};

/// Follows one person through the frames of one camera. Not for use by two threads at once. One seed gives the same bits
/// whatever the number of threads.
class Tracker {
public:
  /// Throws Error where settings make no sense or the backend is not there.
  explicit Tracker(const TrackerSettings& settings, Backend backend = Backend::automatic);
  ~Tracker();
  Tracker(Tracker&&) noexcept;
  Tracker& operator=(Tracker&&) noexcept;

  /// The pose at the next frame, from it and those before it. The first frame, and any after the person was lost, starts a
  /// search, unless start() gave a pose. `time` in seconds; depth in metres, not positive or not finite: nothing measured.
  /// Throws Error where an image has another size than the camera's.
  Estimate track(ImageView<const float> depth, double time);

  /// The same for a cloud that a camera at the origin saw; points marked as background are rays that see past the person.
  Estimate track(PointsView points, double time);

  /// The same for a rectified stereo pair. Needs OpenCV; throws Error without it.
  Estimate track(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right, double time);

  /// The same for a frame of a recording, also for one that could not be read.
  Estimate track(const io::Frame& frame);

  /// A frame that the camera missed, and why; nobody is found in it.
  Estimate skip(double time, const std::string& why);

  /// The estimates that `lag` later frames have settled since the last call, oldest first. Each frame comes back once, with
  /// corrected pose, joints and deviations. Smoothing runs in a thread of its own beside track(). Where they are not taken,
  /// only the newest are kept (at least 2000 frames, and 4 lag).
  std::vector<Estimate> settled();

  /// Settles all frames that are left; the next one begins anew.
  std::vector<Estimate> finish();

  /// A pose to start from in the next frame instead of a search.
  void start(const Pose& pose);

  /// A depth image of the scene without the person, which makes cutting it out more certain.
  void set_background(ImageView<const float> depth);

  /// The person as fitted so far.
  const Skeleton& skeleton() const;

  /// What was made of the last frame before the filter saw it: points of the person, and rays past it marked as background.
  const PointCloud& points() const;

  /// The floor, where one is seen.
  std::optional<Plane> floor() const;

  /// Joints of the last frame's particles, at most `most` of them, evenly chosen: n x joints, for views; none while nobody is
  /// tracked. From the first call on they are kept as they were weighed; a device then downloads them in every frame.
  std::vector<Vec3> particle_joints(std::size_t most);

  /// The settings with what was left open filled in, and the backend that was chosen.
  const TrackerSettings& settings() const;
  Backend backend() const;

  /// What smoothing has taken so far in its own thread, milliseconds.
  double smoothing_ms() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinema::body
