// Poses elsewhere that might explain a frame as well as the tracked one: turned round, limbs swapped, a limb somewhere
// else. A filter that follows one pose cannot leave a wrong one on its own when all poses in between fit worse.
#pragma once

#include "body/kinematics.h"

#include <vector>

namespace kinema::body {

/// All rivals of a state, within the limits of its joints, in an order that puts different kinds next to each other. Limbs are known by the names of the
/// default human; of a skeleton without them only turned poses are left.
class RivalPoses {
public:
  explicit RivalPoses(const Skeleton& skeleton);

  std::size_t count() const { return turns_.size() + swaps_.size() + limbs_.size(); }
  std::vector<float> make(std::span<const float> state, std::size_t index) const;

  /// The rival that has its back where the state has its front, and the limbs where they are.
  std::vector<float> turned_round(std::span<const float> state) const { return make(state, 0); }

private:
  struct Turn {
    double angle;  // about the person's own upright axis
    bool mirrored;
  };
  struct Limb {
    std::vector<std::size_t> angles;  // indices into the angles
    std::vector<float> values;
  };

  std::vector<float> lower_, upper_;  // limits of the angles
  std::vector<std::size_t> mirror_;   // for each angle, the same one of the other side
  std::vector<Turn> turns_;
  std::vector<std::vector<std::size_t>> swaps_;  // angles that change sides
  std::vector<Limb> limbs_;
};

}  // namespace kinema::body
