// The person who performs a clip, an anatomical skeleton with flesh of its own, and its figure at one moment.
#pragma once

#include "core/geometry.h"
#include "kinema/skeleton.h"
#include "synth/rig.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
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

/// Sides of a person are 0: left, 1: right.
struct Figure {
  std::shared_ptr<const Person> person;
  std::vector<Vec3> positions;        // of the joints of its skeleton, metres
  std::vector<Quaternion> rotations;  // from the joint's frame

  Vec3 joint(std::string_view name) const;
  Vec3 side_joint(int side, std::string_view name) const;  // (0, "knee"): left_knee

  /// A point in the frame of a joint.
  Vec3 place(int joint, Vec3 point) const {
    const auto j = static_cast<std::size_t>(joint);
    return positions[j] + rotate(rotations[j], point);
  }
};

/// The person in the rest pose of its skeleton.
Figure rest_figure(std::shared_ptr<const Person> person);

/// The person in the pose of a rig: limbs point where the rig's do, with their own lengths. Lengths of the rig are
/// multiplied by `scale`, and the lower of the feet is as high above the floor as the rig's.
Figure hang(std::shared_ptr<const Person> person, const RigPose& pose, double scale);

/// The direction that the figure faces, across its shoulders and up its trunk: a unit vector.
Vec3 front_of(const Figure& figure);

}  // namespace kinema::synth
