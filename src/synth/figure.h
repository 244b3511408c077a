// A person at one moment of a motion-capture clip: the joints, and what else a body needs.
#pragma once

#include "core/geometry.h"
#include "io/bvh.h"

#include <array>

namespace kinema::synth {

/// Sides of a person are 0: left, 1: right.
struct Figure {
  std::array<Vec3, body::common_joints.size()> joints;  // in the order of body::common_joints, metres
  Vec3 waist;                                           // half-way up the spine
  Vec3 hand[2];                                         // directions of the hands, unit vectors
  Vec3 palm[2];                                         // across the flat hands, unit vectors
  Vec3 ball[2], toe[2];                                 // of the feet: where the toes start and where they end
  Vec3 head_up, head_front;                             // perpendicular unit vectors
  double size = 1;                                      // of the person, relative to one of 1.65 m

  Vec3 joint(std::string_view common) const;
  Vec3 side_joint(int side, std::string_view joint) const;  // (0, "knee"): left_knee
};

/// The direction that the figure faces, across its shoulders and up its trunk: a unit vector.
Vec3 front_of(const Figure& figure);

/// The clip of a file, in metres and seconds; y is up.
class Motion {
public:
  /// Throws Error where the file lacks one of body::common_joints.
  Motion(const io::Bvh& bvh, double metres_per_unit);

  /// Seconds from the first valid frame to the last.
  double duration() const;

  /// Whether the first frame of the file is not part of the motion: a rest pose inserted by the converter.
  static bool starts_with_rest_pose(const io::Bvh& bvh);

  void skip_first_frame() { first_ = 1; }

  Figure at(double seconds) const;

private:
  struct Limb {
    int ball = -1, toe = -1, finger = -1;  // joints beyond ankle and wrist; -1 where there is none
  };

  const io::Bvh& bvh_;
  double unit_;
  std::size_t first_ = 0;
  std::array<int, body::common_joints.size()> joints_;
  int waist_ = -1;
  Limb limbs_[2];
  Vec3 head_up_ = {}, head_front_ = {};  // in the frame of the head's joint
  Vec3 palm_[2];                         // in the frames of the wrists
  double size_ = 1;
};

}  // namespace kinema::synth
