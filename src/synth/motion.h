// The motion of a clip, performed by a person.
#pragma once

#include "synth/figure.h"

namespace kinema::synth {

struct MotionSettings {
  double metres_per_unit = 1;
  bool skip_first = false;  ///< the first frame of the file is not part of the motion
  PersonSettings person = {};
};

/// In metres and seconds; y is up.
class Motion {
public:
  /// Throws Error where the file lacks one of body::common_joints.
  Motion(const io::Bvh& bvh, const MotionSettings& settings);

  const Person& person() const { return *person_; }

  /// Seconds from the first frame of the motion to the last.
  double duration() const;

  /// Whether the first frame of a file is not part of the motion: a rest pose inserted by the converter.
  static bool starts_with_rest_pose(const io::Bvh& bvh);

  Figure at(double seconds) const;

private:
  const io::Bvh& bvh_;
  std::size_t first_;
  Rig rig_;
  std::shared_ptr<const Person> person_;
  double scale_;  // of ways: the person's legs over those of the clip
};

}  // namespace kinema::synth
