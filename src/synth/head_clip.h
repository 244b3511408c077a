// A synthetic clip of a head before a webcam, with ground truth: lit and textured, with hair, features, a neck and a
// shirt, moving before a cluttered room in which some objects have nearly its colours, with camera noise.
#pragma once

#include "kinema/picture.h"

#include <cstddef>
#include <cstdint>

namespace kinema::synth {

struct HeadClipSettings {
  int width = 640, height = 480;
  double fps = 30;
  double field_of_view = 1.05;  ///< radians, across the frame: 60 degrees
  double noise = 2;             ///< standard deviation of each channel, in levels
  bool moves = true;            ///< else the head stays where it starts
  bool room = true;             ///< objects of many colours, some near skin's; else a plain wall
  double light = 0;             ///< change of the light over ten seconds, 0.3: by 30 %
  std::uint64_t seed = 1;
};

/// The head in the noise-free image, in pixels counted from 0 at the centre of the first one.
struct HeadTruth {
  double x = 0, y = 0;    ///< the head's centre
  double rx = 0, ry = 0;  ///< radii of its outline
  double distance = 0;    ///< metres
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
  io::Picture with_noise(io::Picture picture, std::uint32_t frame) const;

  HeadClipSettings settings_;
  double focal_;
  io::Picture room_;
};

}  // namespace kinema::synth
