#include "synth/faces/face_start.h"

#include "core/random.h"

#include <algorithm>
#include <cmath>

namespace kinema::synth {

face::Similarity displaced_start(const face::Model& model, std::span<const float> landmarks, const StartNoise& noise,
                                 std::uint64_t seed, std::uint32_t number) {
  face::Start truth;
  truth.landmarks.assign(landmarks.begin(), landmarks.end());
  const face::Similarity there = face::start_pose(model, truth);
  float left = landmarks[0], right = left, top = landmarks[1], bottom = top;
  for (std::size_t i = 0; i + 1 < landmarks.size(); i += 2) {
    left = std::min(left, landmarks[i]), right = std::max(right, landmarks[i]);
    top = std::min(top, landmarks[i + 1]), bottom = std::max(bottom, landmarks[i + 1]);
  }
  const Random random{seed, 0x57A7u, number};
  const double scale = 1 + noise.scale * random.normal(2), turn = noise.turn * random.normal(3);
  // the mean shape has its centroid at 0, so that scale and rotation leave the centre of the face in place
  const double c = scale * std::cos(turn), s = scale * std::sin(turn);
  return {c * there.a - s * there.b, s * there.a + c * there.b,
          there.tx + noise.shift * random.normal(0) * static_cast<double>(right - left),
          there.ty + noise.shift * random.normal(1) * static_cast<double>(bottom - top)};
}

}  // namespace kinema::synth
