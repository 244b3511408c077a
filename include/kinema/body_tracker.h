// The body tracker: depth images, stereo pairs or point clouds of one camera in, poses with their uncertainty out.
//
// The particle filter of "GPU Accelerated Likelihoods for Stereo-Based Articulated Tracking", section 2, extended to
// work in 40 and more dimensions and on real frames: the person is segmented in each frame, tracked, detected again
// after a loss, measured, and smoothed by later frames. body_filter.h and body_smoother.h are for
// callers that segment the person themselves.
#pragma once

#include "kinema/anatomical_angles.h"
#include "kinema/camera.h"
#include "kinema/face_observation.h"
#include "kinema/foreground.h"
#include "kinema/skeleton.h"
#include "kinema/stereo.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kinema::io {
struct Frame;
class Recording;
}  // namespace kinema::io

namespace kinema::body {

/// The motion model: how a pose is propagated from one frame to the next, before the points are seen.
enum class Motion {
  random_walk,        ///< every degree of freedom moves randomly at its own speed
  constant_velocity,  ///< the same about the last velocity, damped
  spatial,            ///< noise of equal size at the bone ends in space, not in the angles
};

enum class Resampling { systematic, stratified, residual, multinomial };

struct TrackerSettings {
  /// How many people are followed, at most; 0: all, up to 30. With 1 it is the one most like a person, who is searched for
  /// again when lost; else everybody has a number, which nobody else is given.
  int people = 1;

  /// The camera of depth images and stereo pairs; not needed for clouds.
  Camera camera;

  /// Metres between the cameras of a rectified stereo pair; above 0: depth comes from such pairs, with their errors.
  double baseline = 0;

  /// The person.
  Skeleton skeleton = default_human();

  /// The skeleton is that of an average person: its lengths and radii are fitted to the observed one.
  bool fit_shape = true;

  /// With fit_shape: the skeleton is as tall as the person, and only proportions are fitted.
  bool height_known = false;

  /// Number of later frames that correct an estimate before it is settled; 0: none.
  std::size_t lag = 15;

  /// How the person is segmented in a frame; its numbers of points are taken from these settings.
  ForegroundSettings foreground;

  /// How pairs are matched.
  stereo::Settings stereo;

  /// Defaults differ from those of the likelihood alone: first hit, which models occlusion, and a smaller sigma.
  LikelihoodSettings likelihood = {.sigma = 0.03, .association = Association::first_hit};

  /// Particles per layer; 0: see fill_in().
  std::size_t particles = 0;

  /// Annealing layers; 1 is the plain filter of the paper.
  int layers = 2;

  /// Share of the particles that survive a layer: it determines the exponent of the layer's weights.
  double survival = 0.3;

  /// Sample limb by limb: each limb keeps its best among the particles. Helps few particles, costs one layer per limb.
  bool limbs = false;

  /// Number of poses refined by Levenberg-Marquardt steps on the distances between points and skin, then weighted
  /// again; 0: none.
  int refined = 4;
  int refine_steps = 6;

  /// Number of rival poses compared with the tracked one in a frame: turned round, limbs swapped, a limb at rest. They
  /// recover a tracker that confused back and front. 0: none.
  int rivals = 6;

  /// Number of a frame's points that count as independent evidence, since the errors of neighbours are correlated. More
  /// follow the points more closely and state smaller deviations.
  double independent_points = 150;

  /// Standard deviation of a measured depth at 1 m, in metres; it grows with the square of the distance, as for
  /// stereo and structured light. Where it exceeds 2 cm, points are averaged with their neighbours.
  double sensor_noise = 0.0015;

  /// The part of a depth's error that all points of the person have in common: standard deviation at 1 m, in metres,
  /// growing as sensor_noise does. Residuals do not show it, but stated deviations include it. Matched stereo pairs
  /// have it: about 0.1 pixels over focal length and baseline.
  double shared_noise = 0;

  /// Weights are the likelihood raised to independent_points over the number of points. False: the likelihood
  /// itself, eq. 3 of the paper, under which one particle usually takes all the weight.
  bool tempered = true;

  /// One particle is propagated without noise, which keeps a person who stands still. False: all are sampled.
  bool unperturbed_particle = true;

  /// The immediate estimate is held to the motion from the frames before, so that a person at rest does not jitter.
  /// False: the mean of the particles, frame by frame.
  bool steady = true;

  /// What track() returns, and settled() with a lag of 0, is low-passed where the person rests: the cutoff of a joint
  /// at rest, hertz. It rises with the square of the joint's speed, so that motion is hardly delayed. Lower is
  /// steadier, but lags more in slow motion. 0: not at all. Estimates that later frames correct are not filtered.
  double rest_cutoff = 1;

  Motion motion = Motion::constant_velocity;
  Resampling resampling = Resampling::systematic;

  /// Resample if the effective sample size falls below this share of the particles.
  double resample_below = 0.5;

  /// Points of the person that Foreground keeps; the filter itself uses all it is given. 0: see fill_in().
  std::size_t points = 0;

  /// Rays past the person that it keeps. 0: see fill_in().
  std::size_t background_points = 0;

  std::uint64_t seed = 1;

  /// Who helps to weigh the particles, such as other processes. Null: nobody. GPUs of one process are Compute::devices.
  ShareLikelihood share_weighing = nullptr;
};

/// The filter of the paper and nothing else: every particle is sampled by a random walk and weighted by eq. 3 (nearest
/// capsule, no free space, no tempering, points as measured), the estimate is their mean (eq. 1), and they are
/// resampled systematically if the effective sample size falls below half of them. One layer, no refinement, no rivals,
/// no fit of the shape. 2,000 particles, and no live pacing. kinema's own are the start (a search, if start() gave no pose or
/// the person was lost) and the limits of the skeleton's joints.
TrackerSettings paper_settings();

/// Chooses the numbers that are 0 (particles, points, background points) for a backend on this machine: on the CPU by
/// its cores, to reach about 10 frames per second. They do not depend on the number of threads.
void fill_in(TrackerSettings& settings, Backend backend);

/// `settings` for a recording: with its camera, and with the person of its skeleton.json if there is one.
TrackerSettings settings_for(const io::Recording& recording, TrackerSettings settings = {});

struct Estimate {
  std::int64_t frame = 0;         ///< its number: that of a recorded frame, else counted from 0
  double time = 0;                ///< seconds, of the frame
  bool found = false;             ///< false: no person, or lost; of the rest only `why` and `times` are then valid
  std::string why;                ///< if not found: the reason
  int person = 0;                 ///< the number, from 1; 0 if not found, or where one person is followed
  bool hidden = false;            ///< found before, and expected here behind somebody or something
  Pose pose;                      ///< posterior mean, rotations averaged as rotations
  std::vector<Vec3> joints;       ///< in the order of the skeleton
  std::vector<double> deviation;  ///< standard deviation of each joint along each of the three axes, metres

  /// The part of `deviation` that comes from the person's proportions, which are known only so well. It is nearly the
  /// same in consecutive frames. Empty where the skeleton is given.
  std::vector<double> shape_deviation;

  /// Angles of hips, knees, ankles, shoulders and elbows by the ISB's conventions, with their deviations.
  std::vector<AnatomicalAngle> anatomical;

  /// Of the rotation of a head without other joints on it: standard deviations about its own axes, radians: nodding (x), turning
  /// (y), tilting (z). Points hardly turn a head, so the pose has it look about where the chest faces unless a face was seen.
  std::optional<Vec3> head_deviation;

  /// The share of the points' squared distances that the pose explains, 0...1: how well the person fits the points.
  double confidence = 0;

  double log_likelihood = 0;  ///< of the likeliest particle: the sum of eq. 3 over all points, without its constant
  double effective_sample_size = 0;
  std::shared_ptr<const Skeleton> skeleton;  ///< the person that the pose belongs to, as fitted so far

  /// What the devices or processes that weigh the particles received from each other for this frame, all together.
  std::uint64_t exchanged_bytes = 0;

  /// Faces that were given with the frame: see Tracker::set_faces().
  std::vector<FaceObservation> faces;

  /// Beside what every frame takes: a search for the person or for rivals of the pose, and a fit of the person's shape.
  bool searched = false, shape_fitted = false;

  std::vector<StageTime> times;
};

/// What follows the time that there is for a frame: see Tracker::keep_up().
struct PaceCounts {
  std::size_t particles = 0, points = 0;
  int search_rest = 1;  ///< searches for rivals of the tracked pose are this many times rarer than usual
  bool operator==(const PaceCounts&) const = default;
};

/// Tracks one person, or several, through the frames of one camera. Not thread-safe. One seed gives the same bits whatever the
/// number of threads.
class Tracker {
public:
  /// Throws Error if settings are invalid or the backend is not available.
  explicit Tracker(const TrackerSettings& settings, const Compute& compute = {});
  ~Tracker();
  Tracker(Tracker&&) noexcept;
  Tracker& operator=(Tracker&&) noexcept;

  /// The estimate of the next frame of a source, from it and those before it. A frame with a gap is skipped. Of several people
  /// that with the lowest number, and people() has the others.
  Estimate track(const io::Frame& frame);

  /// The same for a depth image. `time` in seconds; depth in metres, not positive or not finite: no measurement. Throws
  /// Error if an image differs in size from the camera's.
  Estimate track(ImageView<const float> depth, double time);

  /// The same for a cloud measured by a camera at the origin; points marked as background are rays past the person.
  Estimate track(PointsView points, double time);

  /// The same for a rectified stereo pair.
  Estimate track(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right, double time);

  /// A frame that is missing, and why: its estimate finds nobody.
  Estimate skip(double time, const std::string& why);

  /// The estimates of everybody in the last frame, by their numbers; one that says why if there is nobody.
  const std::vector<Estimate>& people() const;

  /// The pose in the next frame, in place of a search. Of several people, that of one more.
  void start(const Pose& pose);

  /// Where several people stand: whoever is at this pixel of the next frame is followed, in place of the one most like a person,
  /// and of a start(); of a limited number first of all. Where one person is followed and nobody is there, nobody is followed
  /// until somebody is; what was learnt of another person is forgotten. Needs a camera.
  void choose(double x, double y);

  /// Searches in the next frame, as in the first and after a loss. What was learnt of the person is kept.
  void restart();

  /// The settings with all open values filled in, and the backend that runs.
  const TrackerSettings& settings() const;
  Backend backend() const;

  /// The estimates that `lag` later frames have settled since the last call, oldest first. Each frame is returned once,
  /// with corrected pose, joints and deviations; of several people all of a frame, one after another. Smoothing runs in its own thread, concurrently with track(). If the
  /// caller does not take them, only the newest are kept (at least 2000 frames, and 4 lag).
  std::vector<Estimate> settled();

  /// Settles all remaining frames; the next one starts a new sequence.
  std::vector<Estimate> finish();

  /// Keeps up with a live source from the next frame on. track() measures itself: the first second decides on the numbers
  /// of particles and points; they are lowered while frames take too long or the source drops some (io::Frame::late), and
  /// raised again once there is time. Searches for rivals become rarer the longer they take. Numbers that the settings
  /// gave are kept. `fps`: of the source.
  void keep_up(double fps);

  /// What keep_up() or set_counts() chose last; before that, what the settings have.
  PaceCounts pace() const;

  /// Uses these numbers from the next frame on; particles and points of 0: see fill_in(). Other particles start at the last
  /// pose, at rest.
  void set_counts(const PaceCounts& counts);

  /// Faces in a colour picture of the next frame (see face_observer.h), which tell its person's front from its back, and
  /// where the head is; `ms`: what looking for them took, a part of the frame's time for keep_up(). Throws Error if a
  /// number is impossible. None: the points alone decide.
  void set_faces(std::vector<FaceObservation> faces, double ms = 0);

  /// A depth image of the scene without the person, for more reliable segmentation.
  void set_background(ImageView<const float> depth);

  /// The person as fitted so far; of several the one of this number, and whoever has the lowest where there is none.
  const Skeleton& skeleton(int person = 0) const;

  /// The filter's input from the last frame: points of the person, and rays past it marked as background.
  const PointCloud& points(int person = 0) const;

  /// The floor, if one is seen.
  std::optional<Plane> floor() const;

  /// Joints of the last frame's particles, at most `most` of them, evenly chosen: n x joints, for display; none while
  /// nobody is tracked. From the first call on, the particles are kept as weighted; cuda then downloads them per frame.
  std::vector<Vec3> particle_joints(std::size_t most, int person = 0);

  /// Time spent on smoothing so far, in its own thread, milliseconds.
  double smoothing_ms() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinema::body
