// The person who performs a clip: an anatomical skeleton, and how its flesh differs from that of an average one.
#pragma once

#include "kinema/skeleton.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace kinema::synth {

struct PersonSettings {
  std::uint64_t seed = 0;             ///< 0: of average proportions; others: body::random_human
  std::optional<double> height = {};  ///< metres; empty: that of an average person with the legs of the clip
  bool clothes = false;               ///< loose ones, whose folds the seed decides too; else tight ones
};

/// Measures of the flesh on one joint, over those of body::default_human().
struct FleshScale {
  double length = 1, width = 1;    ///< of distances along its frame's y and z, and along x
  double radius = 1, breadth = 1;  ///< of thicknesses, and of those along x
};

struct Person {
  body::Skeleton skeleton;
  std::vector<FleshScale> flesh;  ///< by joint
  double height = 1.65;           ///< metres
  double size = 1;                ///< height over that of body::default_human()
  double hair = 0;                ///< its thickness, metres
  bool long_hair = false;         ///< to the shoulders
  double loose = 0;               ///< how far clothes stand off at most, metres
  std::uint32_t folds = 0;        ///< seed of their folds
};

/// Thigh and shin, metres.
double leg_of(const body::Skeleton& skeleton);

/// `leg`: that of the clip, metres.
Person make_person(double leg, const PersonSettings& settings);

}  // namespace kinema::synth
