// What the skeleton of a motion-capture clip does, whatever its proportions: where limbs point and how the trunk leans.
//
// Rigs agree on limbs. They do not on trunk and neck: many put the neck between the shoulder blades and the pelvis above
// the hips, or draw the spine along the back. So leaning is counted from the rig's own upright posture: its rest pose,
// or, where that is no upright person, the vertical.
#pragma once

#include "io/motion/bvh.h"

#include <array>
#include <string>
#include <string_view>

namespace kinema::synth {

/// A rig at one moment. Frames are those of a body::Skeleton: parallel in its rest pose, a T, x to the left, y up, z to
/// the front. Sides of a person are 0: left, 1: right.
struct RigPose {
  struct Side {
    Vec3 upper_arm, forearm, thigh, shin;  ///< directions, of length 1
    Vec3 shrug;  ///< of the shoulder, from where it is while the arm hangs: metres, in the chest's frame
    Vec3 ankle;  ///< metres
    Quaternion hand, foot, toes;  ///< toes turn about the x axis of the foot only
  };

  Vec3 hips;         ///< the middle between them, metres
  Vec3 trunk, neck;  ///< directions from hips to neck and from neck to head; along y of pelvis and chest when upright
  Quaternion pelvis, chest, head;
  Side side[2];
};

/// "left_knee" of the knee of side 0.
inline std::string side_name(int side, std::string_view joint) {
  return (side == 0 ? "left_" : "right_") + std::string(joint);
}

class Rig {
public:
  /// `first`: the first frame of the motion. Throws Error where the file lacks one of body::common_joints.
  Rig(const io::Bvh& bvh, double metres_per_unit, std::size_t first);

  /// Thigh and shin, metres: the mean of both legs.
  double leg() const { return leg_; }

  RigPose at(double frame) const;

private:
  struct Places;

  Places places_of(const io::BvhPlaces& found) const;
  void find_joints();
  void calibrate_trunk();
  void calibrate_shoulders();
  void calibrate_feet();
  Quaternion pelvis_of(const Places& places) const;
  Quaternion chest_of(const Places& places) const;

  const io::Bvh& bvh_;
  double unit_;
  std::array<int, body::common_joints.size()> joints_;
  int waist_ = -1, chest_ = -1;
  struct {
    int ball = -1, finger = -1;  // joints beyond ankle and wrist; -1 where there is none
  } beyond_[2];
  std::vector<double> samples_;  // frames over the whole motion, to calibrate with
  bool upright_ = false;         // whether the rest pose is a person who stands and faces z
  double leg_ = 0;

  // from the frames of a skeleton to those of the rig's joints
  Quaternion chest_turn_{1, 0, 0, 0}, head_turn_{1, 0, 0, 0};
  Quaternion foot_turn_[2], toe_turn_[2];
  Vec3 palm_{};              // across the flat hand, in the frame of the wrist
  double pelvis_pitch_ = 0;  // of the lower trunk in the rig's upright posture, radians
  Quaternion trunk_lean_{1, 0, 0, 0}, neck_lean_{1, 0, 0, 0};  // from there to the vertical
  Vec3 shoulder_[2]{};  // from the neck while the arm hangs, metres, in the chest's frame
};

/// Whether the OFFSETs form an upright person facing along z: as in the CMU database, but not where every bone lies
/// along an axis of its own.
bool rest_is_upright(const io::Bvh& bvh);

}  // namespace kinema::synth
