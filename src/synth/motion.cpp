#include "synth/motion.h"

#include <cmath>

namespace kinema::synth {

Motion::Motion(const io::Bvh& bvh, const MotionSettings& settings)
    : bvh_(bvh),
      first_(settings.skip_first ? 1 : 0),
      rig_(bvh, settings.metres_per_unit, first_),
      person_(std::make_shared<const Person>(make_person(rig_.leg(), settings.person))),
      scale_(leg_of(person_->skeleton) / rig_.leg()) {}

double Motion::duration() const { return static_cast<double>(bvh_.frames - 1 - first_) * bvh_.frame_time; }

bool Motion::starts_with_rest_pose(const io::Bvh& bvh) {
  if (bvh.frames < 3) return false;
  // it has no rotations, while the motion does
  std::size_t rotations = 0, start_from_rest = 0;
  for (const io::BvhJoint& joint : bvh.joints) {
    for (std::size_t c = 0; c < joint.channels.size(); ++c) {
      if (joint.channels[c] < io::BvhChannel::x_rotation) continue;
      const std::size_t at = joint.first_channel + c;
      ++rotations;
      if (bvh.frame(0)[at] == 0 && bvh.frame(1)[at] != 0) ++start_from_rest;
    }
  }
  if (2 * start_from_rest > rotations) return true;

  // or one frame leaves it, by more than a tenth of a person and ten times as fast as the motion that follows
  const io::BvhPlaces a = io::bvh_places(bvh, 0), b = io::bvh_places(bvh, 1), c = io::bvh_places(bvh, 2);
  double jump = 0, step = 0, size = 0;
  for (std::size_t j = 0; j < a.positions.size(); ++j) {
    jump += norm(b.positions[j] - a.positions[j]);
    step += norm(c.positions[j] - b.positions[j]);
    size += norm(b.positions[j] - b.positions[0]);
  }
  return jump > 0.1 * size && jump > 10 * step;
}

Figure Motion::at(double seconds) const {
  double frame = static_cast<double>(first_) + seconds / bvh_.frame_time;
  // a frame time is written with few digits: a time that misses a frame by such rounding is that frame
  const double nearest = std::round(frame);
  if (std::abs(frame - nearest) < 1e-2) frame = nearest;
  return hang(person_, rig_.at(frame), scale_);
}

}  // namespace kinema::synth
