// A person in front of a camera, for tests of the particle filter.
#pragma once

#include "bench/body/tracker_problem.h"
#include "body/particles/particles.h"
#include "body/skeleton/joint_axes.h"

#include <vector>

namespace kinema::body {

struct FilterScene {
  Skeleton skeleton;
  FlatSkeleton flat;
  Kinematics kinematics;
  std::vector<float> state;  // the true one
  bench::SeenPerson seen;

  explicit FilterScene(const Skeleton& person, int width = 160, int height = 120);
  FilterScene(const FilterScene&) = delete;
  FilterScene& operator=(const FilterScene&) = delete;

  /// `count` particles at the true pose, before the points.
  std::unique_ptr<Particles> make(const TrackerSettings& settings, Backend backend, std::size_t count) const;

  std::vector<float> state_of(const std::vector<float>& states, std::size_t j) const;
  std::vector<Place> places(const std::vector<float>& of) const;

  /// All angles in the middle of their limits.
  std::vector<float> middle() const;

  /// The true state with every angle off by up to `angle`, and the position by up to `metres`.
  std::vector<float> perturbed(double angle, double metres) const;

  /// The greatest distance of a joint from its true place.
  double error(const std::vector<float>& of) const;

  struct Frame {
    std::vector<float> states;
    std::vector<double> log_likelihoods;
    Moments moments;
  };
  /// What the tracker does in a frame, with two layers.
  Frame frame_of(Particles& particles, const TrackerSettings& settings, double seconds) const;
};

/// As many joints and nearly as many angles as a skeleton may have.
Skeleton largest();

}  // namespace kinema::body
