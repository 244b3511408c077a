// A synthetic likelihood problem: a person of 48 capsules in front of a depth camera, and poses near the true one.
#pragma once

#include "kinema/camera.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kinema::bench {

inline constexpr std::size_t person_capsules = 48;

struct BodyProblem {
  Camera camera;
  std::vector<float> points;    // (I, 3), in scan order of the camera
  std::vector<float> capsules;  // (J, 48, 7), sample 0 is the true pose
};

/// A person at 2 to 3 m, seen with noise that grows with distance, and with outliers.
BodyProblem make_body_problem(std::size_t points, std::size_t samples, std::uint64_t seed);

}  // namespace kinema::bench
