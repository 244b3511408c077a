// A person at one moment of a motion.
#pragma once

#include "core/geometry.h"
#include "synth/person.h"
#include "synth/rig.h"

#include <memory>
#include <string_view>
#include <vector>

namespace kinema::synth {

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
