// The noise-free view of a camera: for each pixel the depth, the slant and the colour of the first surface.
#pragma once

#include "kinema/picture.h"
#include "synth/part.h"
#include "synth/stage.h"

#include <cstdint>
#include <vector>

namespace kinema::synth {

struct Rendering {
  int width = 0, height = 0;
  std::vector<float> depth;          // along z, metres; 0 where there is nothing
  std::vector<float> cosine;         // between the ray and the surface's normal: 0 at grazing rays
  std::vector<std::uint8_t> person;  // 1 for the person, else 0
  io::Picture colour;
};

struct View {
  Vec3 eye{0, 0, 0};       // in the stage's camera frame
  bool background = true;  // floor and wall
  int oversampling = 1;    // rays along each side of a pixel, for the colour; depth needs 1
  std::uint32_t texture = 1;
};

/// `parts` are in the camera frame of the stage.
Rendering render(const Stage& stage, const std::vector<Part>& parts, const View& view);

}  // namespace kinema::synth
