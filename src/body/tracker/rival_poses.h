// Rival hypotheses of a pose, which may explain a frame as well: turned round, limbs swapped, a limb moved. A filter
// that follows one pose cannot leave a wrong one on its own where all poses in between fit worse.
#pragma once

#include "body/skeleton/kinematics.h"

#include <vector>

namespace kinema::body {

/// All rivals of a state, within the limits of its joints, turned ones first, then swapped limbs, then single limbs.
/// Limbs are identified by the names of the default human; a skeleton without these names has only turned poses.
class RivalPoses {
public:
  explicit RivalPoses(const Skeleton& skeleton);

  std::size_t count() const { return turns_.size() + swaps_.size() + limbs_.size(); }
  std::vector<float> make(std::span<const float> state, std::size_t index) const;

  /// The rival with back and front exchanged and the limbs in place.
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
  std::vector<std::size_t> mirror_;   // for each angle, its counterpart of the other side
  std::vector<Turn> turns_;
  std::vector<std::vector<std::size_t>> swaps_;  // angles that change sides
  std::vector<Limb> limbs_;
};

}  // namespace kinema::body
