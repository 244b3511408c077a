// A synthetic clip of a head in front of a webcam, with ground truth: lit and textured, with hair, features, a neck and a
// shirt, moving before a cluttered room in which some objects have nearly its colours, with camera noise.
#pragma once

#include "kinema/geometry.h"
#include "kinema/picture.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace kinema::synth {

/// A hand-held camera: it rests, turns, rests there, and turns back, again and again. Rotations are in the camera's
/// frame at rest: x right, y down, z forward.
struct CameraTurn {
  Vec3 rotation = {};    ///< of the camera at the far end: about this axis, by its length in radians
  Vec3 pivot = {};       ///< which does not move, metres
  double rest = 1;       ///< seconds before it turns
  double seconds = 1.2;  ///< that it turns for, each way
  double hold = 0.6;     ///< seconds at the far end
  double period = 5;     ///< seconds until all begins anew

  double share(double time) const;  ///< of the rotation, 0...1
};

struct HeadClipSettings {
  int width = 640, height = 480;
  double fps = 30;
  double field_of_view = 1.05;  ///< radians, across the frame: 60 degrees
  double noise = 2;             ///< standard deviation of each channel, in levels
  double distance = 0.6;        ///< metres, at the start
  bool moves = true;            ///< else the head stays where it starts
  bool room = true;             ///< objects of many colours, some near skin's; else a plain wall
  double light = 0;             ///< change of the light over ten seconds, 0.3: by 30 %
  std::uint64_t seed = 1;
  std::optional<CameraTurn> turn = {};  ///< the camera turns in place of the head's own movement
};

/// The head in the noise-free image, in pixels counted from 0 at the centre of the first one.
struct HeadTruth {
  double x = 0, y = 0;    ///< the head's centre
  double rx = 0, ry = 0;  ///< radii of its outline
  double distance = 0;    ///< metres, along the camera's axis
};

class HeadClip {
public:
  explicit HeadClip(const HeadClipSettings& settings = {});

  HeadTruth truth(std::size_t frame) const;
  io::Picture picture(std::size_t frame) const;

  /// The room without the person.
  io::Picture empty_room() const;

  const HeadClipSettings& settings() const { return settings_; }

private:
  Vec3 place(double time) const;
  Quaternion turned(double time) const;
  io::Picture room(double time) const;
  io::Picture with_noise(io::Picture picture, std::uint32_t frame) const;

  HeadClipSettings settings_;
  double focal_;
  io::Picture room_;
};

}  // namespace kinema::synth
