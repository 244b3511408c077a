// The body tracker's frames, for the Body page: points, skin, joints with their uncertainty, particles and figures.
#pragma once

#include "kinema/body_tracker.h"
#include "serve/channel.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace kinema::serve {

class BodyFeed {
public:
  /// The most that a page draws of a frame; more is thinned evenly.
  static constexpr std::size_t most_points = 5000, most_particles = 500;

  /// `source` is what is tracked, for people; `frames` how many there are, 0: not known.
  BodyFeed(Channel& channel, std::string source, std::size_t frames);

  struct Frame {
    const body::Skeleton& skeleton;
    const body::Estimate& estimate;
    PointsView points;                     ///< of the person; those of the background are left out
    std::span<const Vec3> particles = {};  ///< joints of each particle: n x joints
  };
  void add(const Frame& frame);

  void finish() { channel_.finish(); }

private:
  void open(const body::Skeleton& skeleton);

  Channel& channel_;
  std::string source_;
  std::size_t frames_;
  bool opened_ = false;
};

}  // namespace kinema::serve
