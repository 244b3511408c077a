// The body's particle filter: points of a person in, a pose with its uncertainty out. body::Tracker drives it; it is
// public for callers that segment the person themselves.
#pragma once

#include "kinema/body_tracker.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace kinema::body {

/// The observations of a frame: points of the person, and rays past it marked as background.
struct Frame {
  double time = 0;  ///< seconds
  PointsView points;

  /// If known: no limb reaches below it, which constrains the size of an unknown person.
  std::optional<Plane> floor = {};

  /// Faces in a colour picture of the same time, if there is one.
  std::span<const FaceObservation> faces = {};
};

class Filter {
public:
  virtual ~Filter() = default;

  /// The pose at the next frame. The first frame, and any after a loss, starts a search over position, facing and rest
  /// poses, unless start() gave a pose.
  virtual Estimate track(const Frame& frame) = 0;

  /// A pose to start from in the next frame instead of a search.
  virtual void start(const Pose& pose) = 0;

  /// Searches for the person in the next frame, as after a loss.
  virtual void restart() = 0;

  /// Uses this many particles from the next frame on; the motion of the last frames is then forgotten.
  virtual void set_particles(std::size_t count) = 0;

  /// Searches for rivals of the tracked pose this many times more rarely than usual.
  virtual void set_search_rest(int factor) = 0;

  /// The skeleton as fitted to the person so far.
  virtual const Skeleton& skeleton() const = 0;

  /// Whether the person was found so recently that front and back may still be mistaken for each other.
  virtual bool undecided() const = 0;

  /// The estimates of the frames in which it was undecided(), the last of them included, as they are now known to be;
  /// oldest first, once.
  virtual std::vector<Estimate> revised() = 0;

  /// See Tracker::particle_joints().
  virtual std::vector<Vec3> particle_joints(std::size_t most) = 0;
};

/// The person is settings.skeleton. Throws Error if settings are invalid or the backend is not available.
std::unique_ptr<Filter> make_filter(const TrackerSettings& settings, const Compute& compute = {});

}  // namespace kinema::body
