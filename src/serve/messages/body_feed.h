// The body tracker's frames, for the Body page: points, skin, joints with their uncertainty, particles and figures.
#pragma once

#include "kinema/body_tracker.h"
#include "kinema/picture.h"
#include "kinema/recording.h"
#include "serve/messages/feed.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kinema::serve {

class BodyFeed : public Feed {
public:
  /// The most that a page draws of a frame; more is thinned evenly.
  static constexpr std::size_t most_points = 5000, most_particles = 500, widest_picture = 200;

  /// `source` is what is tracked, for people; `frames` how many there are, 0: not known.
  BodyFeed(Channel& channel, std::string source, std::size_t frames)
      : Feed(channel, std::move(source)), frames_(frames) {}

  struct Frame {
    const body::Skeleton& skeleton;
    const body::Estimate& estimate;
    PointsView points;                     ///< of the person; those of the background are left out
    std::span<const Vec3> particles = {};  ///< joints of each particle: n x joints
    const io::Picture* picture = nullptr;  ///< what a colour camera beside it saw; null: none
  };

  /// How a live run keeps up, of the frame that is added next.
  struct Live {
    double taken = 0;    ///< when the camera took it, seconds since 1970
    double latency = 0;  ///< seconds from then until it was tracked
    std::size_t late = 0, reopened = 0;
    std::size_t particles = 0, points = 0;
    bool lowered = false;                          ///< particles or points are fewer than usual
    bool tracking = true;                          ///< false: a page stopped it
    std::optional<io::CopyStatus> recording = {};  ///< the last that pages asked for
    bool being_recorded = false;                   ///< that recording is still being written
  };

  /// A live run has no end, so that its pages can seek within a minute or so, not within all that a recorded one keeps.
  static constexpr std::size_t live_history_bytes = std::size_t{64} << 20;

  void set_live(const Live& live);

  void add(const Frame& frame);

private:
  void open_with(const body::Skeleton& skeleton);

  std::size_t frames_;
  std::optional<Live> live_;
};

}  // namespace kinema::serve
