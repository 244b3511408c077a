// Several people before one camera, for tests of the tracker.
#pragma once

#include "kinema/body_tracker.h"
#include "tracker_scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace kinema::body {

inline constexpr double frame_time = 1.0 / 30;
inline const Camera camera{160, 120, 130, 130, 79.5, 59.5};

inline TrackerSettings everybody(int people = 0) {
  TrackerSettings settings;
  settings.people = people;
  settings.particles = 40;
  settings.fit_shape = false;
  settings.lag = 4;
  return settings;
}

class SeveralPeople : public ::testing::Test {
protected:
  // Who stands at x, z.
  Pose at(double x, double z, double facing = 0) const {
    Pose pose = standing(skeleton, z, facing);
    pose.position.x = x;
    return pose;
  }

  // The frames of a tracker that sees what poses(frame) gives; all estimates at once in `now`.
  template <class Poses>
  std::vector<Estimate> track(const TrackerSettings& settings, int frames, const Poses& poses, int threads = 0,
                              double seconds = frame_time) {
    Compute compute{Backend::cpu};
    compute.threads = threads;
    Tracker tracker(settings, compute);
    std::vector<Estimate> settled;
    const auto take = [&](const std::vector<Estimate>& some) {
      settled.insert(settled.end(), some.begin(), some.end());
    };
    for (int frame = 0; frame < frames; ++frame) {
      const std::vector<Pose> people = poses(frame);
      const SeenPoints seen = people.empty() ? SeenPoints{} : see(skeleton, people, camera);
      tracker.track(seen.view(), frame * seconds);
      now.push_back(tracker.people());
      take(tracker.settled());
    }
    take(tracker.finish());
    return settled;
  }

  // The same with depth images; `cut_out`: of nothing but the people.
  template <class Poses>
  std::vector<Estimate> track_depth(TrackerSettings settings, int frames, const Poses& poses, bool cut_out = false) {
    settings.camera = camera;
    Tracker tracker(settings, Backend::cpu);
    std::vector<Estimate> settled;
    const auto take = [&](const std::vector<Estimate>& some) {
      settled.insert(settled.end(), some.begin(), some.end());
    };
    for (int frame = 0; frame < frames; ++frame) {
      DrawnDepth drawn = draw(skeleton, poses(frame), camera);
      const float wall = *std::max_element(drawn.depth.begin(), drawn.depth.end());
      if (cut_out) std::replace(drawn.depth.begin(), drawn.depth.end(), wall, 0.0f);
      tracker.track(drawn.view(), frame * frame_time);
      now.push_back(tracker.people());
      take(tracker.settled());
    }
    take(tracker.finish());
    return settled;
  }

  double error(const Estimate& estimate, const Pose& pose) const {
    return mean_error(estimate.joints, joint_positions(skeleton, pose));
  }

  const Skeleton skeleton = default_human();
  std::vector<std::vector<Estimate>> now;
};

// The most people that a frame has; each number must be there once.
inline std::size_t most_at_once(const std::vector<Estimate>& settled) {
  std::set<std::pair<std::int64_t, int>> seen;
  std::map<std::int64_t, std::size_t> people;
  std::size_t most = 0;
  for (const Estimate& estimate : settled) {
    EXPECT_TRUE(seen.emplace(estimate.frame, estimate.person).second) << estimate.frame << " has " << estimate.person;
    if (estimate.found) most = std::max(most, ++people[estimate.frame]);
  }
  return most;
}

}  // namespace kinema::body
