// The person of tracker_problem.h before a stereo camera: pairs of pictures in which everything has texture.
#pragma once

#include "bench/body/tracker_problem.h"

#include <cstdint>
#include <vector>

namespace kinema::bench {

inline constexpr double pair_baseline = 0.12;  ///< metres

struct PairImages {
  std::vector<std::uint8_t> left, right;  // (height, width), with noise of two grey levels
  std::vector<float> disparity;           // true one of each pixel of the left picture
};

/// The walker in the room, as see_room() has it. `camera` is that of the left picture.
PairImages see_pair(const body::Skeleton& skeleton, const body::Pose& pose, const Camera& camera, std::uint64_t seed);

/// One step of a walk, of `frames` or fewer frames.
std::vector<PairImages> see_walk(const body::Skeleton& skeleton, const Camera& camera, std::size_t frames,
                                 std::uint64_t seed);

/// The phase of a frame of the walk, which repeats itself after walk_frames.
inline constexpr std::size_t walk_frames = 33;
double walk_phase(std::size_t frame);

}  // namespace kinema::bench
